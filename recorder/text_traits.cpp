// A look at the beginning of a file: frames, lines, lines of the firmware.
#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>

#include "proto/framer.h"
#include "proto/records.h"
#include "recorder/line_reader.h"
#include "recorder/stamps.h"
#include "recorder/text_reader.h"

namespace leakhunt::recorder {
namespace {

constexpr std::size_t kLook_bytes = 256 * 1024;

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

bool is_from_radio(std::span<const std::uint8_t> payload) {
  const auto records = proto::decode_from_radio(payload);
  return !records.empty() && std::none_of(records.begin(), records.end(), [](const proto::Record& record) {
    return std::holds_alternative<proto::Malformed>(record) ||
           std::holds_alternative<proto::UnknownVariant>(record);
  });
}

}  // namespace

TextTraits look_at_text(std::string_view bytes) {
  TextTraits traits;
  const proto::Framer::Sink look = [&traits](const proto::StreamItem& item) {
    if (const auto* frame = std::get_if<proto::Frame>(&item)) {
      traits.good_frames += is_from_radio(frame->payload) ? 1U : 0U;
      return;
    }
    const auto text = std::get<proto::TextLine>(item).text;
    if (text.find_first_not_of(" \t") == std::string_view::npos) {
      return;
    }
    ++traits.lines;
    auto line = proto::parse_text_line(text);
    if (!has_firmware_prefix(line)) {
      line = proto::parse_text_line(take_stamps(text).rest);
    }
    traits.firmware_lines += has_firmware_prefix(line) ? 1U : 0U;
  };
  proto::Framer framer;
  framer.feed(as_bytes(bytes.substr(0, kLook_bytes)), look);
  framer.finish(look);
  return traits;
}

}  // namespace leakhunt::recorder
