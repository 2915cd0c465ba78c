// Bytes, files and a collecting sink for the tests of the wire.
#pragma once

#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "proto/framer.h"

namespace leakhunt::proto::testing {

using Bytes = std::vector<std::uint8_t>;

inline Bytes bytes(std::string_view text) {
  return {text.begin(), text.end()};
}

inline Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Bytes unhex(std::string_view hex) {
  Bytes out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(std::stoi(std::string{hex.substr(i, 2)}, nullptr, 16)));
  return out;
}

inline Bytes frame(const Bytes& payload) {
  return Bytes{0x94, 0xC3, static_cast<std::uint8_t>(payload.size() >> 8),
               static_cast<std::uint8_t>(payload.size() & 0xFF)} +
         payload;
}

// A FromRadio with config_complete_id = 1: four bytes that are a message and no text.
inline Bytes small_payload() {
  return {0x08, 0x00, 0x38, 0x01};
}

inline std::string file(const std::string& name) {
  std::ifstream in{std::string{LEAKHUNT_TEST_DATA} + "/" + name, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

// What came out of a framer, in order: frames as `<hex>`, lines as text, `…` behind an incomplete one.
class Collected {
 public:
  void operator()(const StreamItem& item) {
    if (const auto* got = std::get_if<Frame>(&item)) {
      frames.emplace_back(got->payload.begin(), got->payload.end());
      order.push_back("<frame>");
    } else {
      const auto& line = std::get<TextLine>(item);
      lines.emplace_back(line.text);
      order.push_back(std::string{line.text} + (line.complete ? "" : "…"));
    }
  }

  std::vector<Bytes> frames;
  std::vector<std::string> lines;
  std::vector<std::string> order;
};

// Everything a stream gives when fed at once and ended.
inline Collected collect(const Bytes& stream, FramerCounters* counters = nullptr) {
  Collected out;
  Framer framer;
  const Framer::Sink sink = [&out](const StreamItem& item) { out(item); };
  framer.feed(stream, sink);
  framer.finish(sink);
  if (counters != nullptr) *counters = framer.counters();
  return out;
}

}  // namespace leakhunt::proto::testing
