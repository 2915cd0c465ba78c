// Protobuf fields written by hand: an encoder that shares nothing with the decoder under test.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "tests/proto/support.h"

namespace leakhunt::proto::testing {

inline Bytes varint(std::uint64_t value) {
  Bytes out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
  return out;
}

inline Bytes tag(std::uint32_t field, std::uint32_t type) {
  return varint(std::uint64_t{field} << 3 | type);
}

inline Bytes number(std::uint32_t field, std::uint64_t value) {
  return tag(field, 0) + varint(value);
}

inline Bytes fixed32(std::uint32_t field, std::uint32_t value) {
  Bytes out = tag(field, 5);
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
  return out;
}

inline Bytes real(std::uint32_t field, float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return fixed32(field, bits);
}

inline Bytes part(std::uint32_t field, const Bytes& content) {
  return tag(field, 2) + varint(content.size()) + content;
}

inline Bytes text(std::uint32_t field, std::string_view content) {
  return part(field, bytes(content));
}

// FromRadio.packet from node 7 to node 9 that carries `payload` for `portnum`.
inline Bytes packet(std::uint32_t portnum, const Bytes& payload, const Bytes& more_data = {}) {
  return part(2, fixed32(1, 7) + fixed32(2, 9) + part(4, number(1, portnum) + part(2, payload) + more_data) +
                     fixed32(6, 0x1234));
}

constexpr std::uint32_t telemetry_port = 67;

// FromRadio with a Telemetry of one variant.
inline Bytes telemetry(std::uint32_t variant, const Bytes& content, const Bytes& more_data = {}) {
  return packet(telemetry_port, fixed32(1, 1'700'000'000) + part(variant, content), more_data);
}

}  // namespace leakhunt::proto::testing
