// The fields of a protobuf message, read where they lie: nothing is copied, so nothing of a key is left
// behind. Knows no schema.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace leakhunt::proto {

// Reads one varint of at most ten bytes; false when it does not end.
[[nodiscard]] inline bool eat_varint(std::span<const std::uint8_t>& rest, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 70 && !rest.empty(); shift += 7) {
    const std::uint8_t byte = rest.front();
    rest = rest.subspan(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << std::min(shift, 63U);
    if (byte < 0x80) return true;
  }
  return false;
}

// The encodings of protobuf but for groups, which no Meshtastic message has.
enum class WireKind : std::uint8_t { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireKind kind = WireKind::varint;
  std::uint64_t value = 0;              // of a varint or fixed field
  std::span<const std::uint8_t> bytes;  // content of a delimited one
  std::span<const std::uint8_t> whole;  // tag and all
};

// Gives the fields in their order. The spans point into `message`.
class WireReader {
 public:
  explicit WireReader(std::span<const std::uint8_t> message) : rest_(message) {}

  // Nothing at the end, or where the bytes are no message any more.
  [[nodiscard]] std::optional<WireField> next();
  // The bytes ended in the middle of a field, or are none.
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  [[nodiscard]] bool read_content(WireField& field);

  std::span<const std::uint8_t> rest_;
  bool broken_ = false;
};

// The field of that number and kind; nothing when it is missing, stands there twice or as another kind, or
// the message is broken anywhere.
[[nodiscard]] std::optional<WireField> only_field(std::span<const std::uint8_t> message, std::uint32_t number,
                                                  WireKind kind);

}  // namespace leakhunt::proto
