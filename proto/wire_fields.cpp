// Walks the fields of a protobuf message in place.
#include "proto/wire_fields.h"

namespace leakhunt::proto {
namespace {

constexpr std::uint64_t kLargestNumber = 0x1FFF'FFFF;

std::uint64_t little_endian(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) value = value << 8 | bytes[i - 1];
  return value;
}

}  // namespace

std::optional<WireField> WireReader::next() {
  if (rest_.empty() || broken_) return std::nullopt;
  const auto start = rest_;
  std::uint64_t tag = 0;
  WireField field;
  broken_ = !eat_varint(rest_, tag) || tag >> 3 == 0 || tag >> 3 > kLargestNumber;
  if (broken_) return std::nullopt;
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.kind = static_cast<WireKind>(tag & 7);
  broken_ = !read_content(field);
  if (broken_) return std::nullopt;
  field.whole = start.first(start.size() - rest_.size());
  return field;
}

bool WireReader::read_content(WireField& field) {
  std::uint64_t size = 0;
  switch (field.kind) {
    case WireKind::varint:
      return eat_varint(rest_, field.value);
    case WireKind::fixed64:
      size = 8;
      break;
    case WireKind::fixed32:
      size = 4;
      break;
    case WireKind::delimited:
      if (!eat_varint(rest_, size)) return false;
      break;
    default:
      return false;
  }
  if (size > rest_.size()) return false;
  field.bytes = rest_.first(size);
  rest_ = rest_.subspan(size);
  if (field.kind != WireKind::delimited) field.value = little_endian(field.bytes);
  return true;
}

std::optional<WireField> only_field(std::span<const std::uint8_t> message, std::uint32_t number,
                                    WireKind kind) {
  std::optional<WireField> found;
  WireReader reader{message};
  while (const auto field = reader.next()) {
    if (field->number != number) continue;
    if (found || field->kind != kind) return std::nullopt;
    found = field;
  }
  if (reader.broken()) return std::nullopt;
  return found;
}

}  // namespace leakhunt::proto
