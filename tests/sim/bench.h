// A simulated device on a bench: virtual time by hand, its bytes kept, and a reader of protobuf written for
// the tests alone, so that no encoder of ours checks itself.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/device.h"
#include "sim/framer.h"

namespace leakhunt::sim::test {

// One field of a message: the value of a varint or fixed field, or the bytes of a delimited one.
struct Field {
  std::uint32_t number = 0;
  std::uint64_t value = 0;
  std::string bytes = {};
};

inline std::uint64_t read_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

inline std::uint64_t read_fixed(std::string_view& bytes, unsigned size) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < size && i < bytes.size(); ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  bytes.remove_prefix(std::min<std::size_t>(size, bytes.size()));
  return value;
}

inline std::vector<Field> fields(std::string_view bytes) {
  std::vector<Field> out;
  while (!bytes.empty()) {
    const std::uint64_t tag = read_varint(bytes);
    Field field{.number = static_cast<std::uint32_t>(tag >> 3)};
    if ((tag & 7) == 0) field.value = read_varint(bytes);
    if ((tag & 7) == 1) field.value = read_fixed(bytes, 8);
    if ((tag & 7) == 5) field.value = read_fixed(bytes, 4);
    if ((tag & 7) == 2) {
      const std::size_t size = read_varint(bytes);
      field.bytes = bytes.substr(0, size);
      bytes.remove_prefix(std::min(size, bytes.size()));
    }
    out.push_back(field);
  }
  return out;
}

inline std::optional<Field> find(std::string_view message, std::uint32_t number) {
  for (const Field& field : fields(message))
    if (field.number == number) return field;
  return std::nullopt;
}

inline std::string bytes_of(std::string_view message, std::uint32_t number) {
  const auto field = find(message, number);
  return field ? field->bytes : std::string{};
}

inline std::uint64_t value_of(std::string_view message, std::uint32_t number) {
  const auto field = find(message, number);
  return field ? field->value : 0;
}

// Building what a client sends.
inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>((value & 0x7F) | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}
inline std::string number(std::uint32_t field, std::uint64_t value) {
  return varint(std::uint64_t{field} << 3) + varint(value);
}
inline std::string delimited(std::uint32_t field, std::string_view bytes) {
  return varint(std::uint64_t{field} << 3 | 2) + varint(bytes.size()) + std::string{bytes};
}
inline std::string fixed32(std::uint32_t field, std::uint32_t value) {
  std::string out = varint(std::uint64_t{field} << 3 | 5);
  for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  return out;
}

inline std::string want_config(std::uint32_t nonce) {
  return number(3, nonce);
}
inline std::string heartbeat() {
  return delimited(7, "");
}
inline std::string disconnect() {
  return number(4, 1);
}
inline std::string packet_to(std::uint32_t node, std::uint32_t id, std::uint32_t port,
                             std::string_view payload) {
  return delimited(1, fixed32(2, node) +
                          delimited(4, number(1, port) + delimited(2, payload) + number(3, 1)) +
                          fixed32(6, id));
}
inline std::string ask_stats(std::uint32_t node, std::uint32_t id) {
  return packet_to(node, id, 67, delimited(6, ""));
}
inline std::string admin(std::uint32_t node, std::uint32_t id, std::string_view message) {
  return packet_to(node, id, 6, message);
}

// What the device said, taken apart. FromRadio fields: 2 packet, 3 my_info, 4 node_info, 5 config, 6
// log_record, 7 config_complete_id, 8 rebooted, 9 moduleConfig, 10 channel, 11 queueStatus, 13 metadata.
struct Telemetry {
  std::uint32_t from = 0;
  std::uint32_t request_id = 0;
  std::uint32_t variant = 0;  // 2 device_metrics, 6 local_stats
  std::string body = {};
};

inline std::optional<Telemetry> telemetry(std::string_view from_radio) {
  const std::string packet = bytes_of(from_radio, 2);
  const std::string data = bytes_of(packet, 4);
  if (value_of(data, 1) != 67) return std::nullopt;
  const std::string payload = bytes_of(data, 2);
  for (std::uint32_t variant = 2; variant <= 9; ++variant)
    if (find(payload, variant))
      return Telemetry{static_cast<std::uint32_t>(value_of(packet, 1)),
                       static_cast<std::uint32_t>(value_of(data, 6)), variant, bytes_of(payload, variant)};
  return std::nullopt;
}

// A line about a thread's memory, wherever it stands in a text.
struct ThreadEvent {
  std::string thread;
  int before = 0;
  int after = 0;
  int delta = 0;
};

inline std::vector<ThreadEvent> thread_events(const std::string& text) {
  std::vector<ThreadEvent> out;
  for (std::size_t at = text.find(" Thread "); at != std::string::npos; at = text.find(" Thread ", at + 1)) {
    char thread[64] = "";
    char verb[16] = "";
    ThreadEvent event;
    if (std::sscanf(text.c_str() + at, " Thread %63s %15s heap %d -> %d (%d)", thread, verb, &event.before,
                    &event.after, &event.delta) != 5)
      continue;
    event.thread = thread;
    out.push_back(event);
  }
  return out;
}

class Spy final : public Port {
 public:
  explicit Spy(PortKind kind) : kind_(kind) {}
  PortKind kind() const override { return kind_; }
  std::size_t waiting_bytes(Mono) override { return waiting; }
  void write(std::string_view bytes, Mono) override { text += bytes; }
  void drop_unsent() override { ++drops; }
  void hang_up() override { ++hang_ups; }
  void restart(Mono) override { ++restarts; }

  std::string text;
  int drops = 0;
  int hang_ups = 0;
  int restarts = 0;
  std::size_t waiting = 0;

 private:
  PortKind kind_;
};

// The FromRadio messages in what a port was given since it was last asked; text between them is left out.
inline std::vector<std::string> messages_of(Spy& spy) {
  return FrameReader{}.feed(std::exchange(spy.text, {}));
}

inline std::vector<Telemetry> telemetries_of(Spy& spy) {
  std::vector<Telemetry> out;
  for (const std::string& message : messages_of(spy))
    if (const auto found = telemetry(message)) out.push_back(*found);
  return out;
}

class Bench {
 public:
  static constexpr std::uint32_t kNode = 0x51E0A7C3;
  static constexpr Moment kStart{{1'790'000'000'000'000}, {5'000'000'000}};

  explicit Bench(const std::string& scenario, Setup setup = {}, Shape shape = {},
                 PortKind kind = PortKind::tcp)
      : spy(kind),
        now(kStart.mono),
        device(std::move(setup), *make_scenario(scenario, shape), kStart, {&spy}) {}

  void run(double seconds_on) {
    now = now + from_seconds(seconds_on);
    device.run_until(now);
  }
  void say(const std::string& message) { device.heard(spy, framed(message), now); }
  void connect(std::uint32_t nonce = 69'420) {
    device.opened(spy, now);
    say(want_config(nonce));
  }
  std::vector<std::string> messages() { return messages_of(spy); }
  std::vector<Telemetry> telemetries() { return telemetries_of(spy); }

  Spy spy;
  Mono now;
  Device device;
};

// The same on a serial line.
class ConsoleBench : public Bench {
 public:
  explicit ConsoleBench(const std::string& scenario, Setup setup = {}, Shape shape = {})
      : Bench(scenario, std::move(setup), shape, PortKind::serial) {}
};

// A networked board: its API on TCP, its console on a serial line.
struct TwoPorts {
  explicit TwoPorts(Setup setup = {}, const std::string& scenario = "steady")
      : device(std::move(setup), *make_scenario(scenario, {}), Bench::kStart, {&tcp, &serial}) {}
  void run(double seconds_on) {
    now = now + from_seconds(seconds_on);
    device.run_until(now);
  }
  void say(Spy& port, const std::string& message) { device.heard(port, framed(message), now); }
  void connect() {
    device.opened(tcp, now);
    say(tcp, want_config(1));
  }

  Spy tcp{PortKind::tcp};
  Spy serial{PortKind::serial};
  Mono now = Bench::kStart.mono;
  Device device;
};

inline int answers_to(const std::vector<Telemetry>& all, std::uint32_t id) {
  return static_cast<int>(
      std::count_if(all.begin(), all.end(), [id](const Telemetry& one) { return one.request_id == id; }));
}

inline std::vector<std::uint32_t> kinds(const std::vector<std::string>& messages) {
  std::vector<std::uint32_t> out;
  for (const std::string& message : messages)
    out.push_back(fields(message).empty() ? 0 : fields(message)[0].number);
  return out;
}

}  // namespace leakhunt::sim::test
