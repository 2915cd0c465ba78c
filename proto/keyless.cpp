// Finds what may hold keys over the bare wire.
#include "proto/keyless.h"

#include <algorithm>
#include <cstring>

#include "leakhunt/device/v1/mesh.pb.h"
#include "proto/wire_fields.h"

namespace leakhunt::proto {
namespace {

namespace wire = device::v1;
using Span = std::span<const std::uint8_t>;

// Calls visit(content) for each delimited field of that number.
template <class Visit>
void for_each(Span message, int number, Visit visit) {
  WireReader reader{message};
  while (const auto field = reader.next()) {
    if (field->number == static_cast<std::uint32_t>(number) && field->kind == WireKind::delimited)
      visit(field->bytes);
  }
}

// Most frames begin so and hold nothing else: they are worth no walk.
bool begins_with(Span from_radio, int variant) {
  return !from_radio.empty() && from_radio.front() == (variant << 3 | static_cast<int>(WireKind::delimited));
}

// A cheap look before the walk: in most packets the port and its number stand nowhere.
bool may_be_administration(Span packet) {
  while (!packet.empty()) {
    const void* tag = std::memchr(packet.data(), wire::Data::kPortnumFieldNumber << 3, packet.size());
    if (tag == nullptr) return false;
    packet = packet.last(
        static_cast<std::size_t>(packet.data() + packet.size() - static_cast<const std::uint8_t*>(tag)) - 1);
    if (!packet.empty() && packet.front() == wire::ADMIN_APP) return true;
  }
  return false;
}

bool is_administration(Span data) {
  bool found = false;
  WireReader reader{data};
  while (const auto field = reader.next())
    found = found || (field->number == wire::Data::kPortnumFieldNumber && field->value == wire::ADMIN_APP);
  return found;
}

}  // namespace

std::optional<int> variant_with_keys(Span from_radio) {
  if (begins_with(from_radio, wire::FromRadio::kPacketFieldNumber) ||
      begins_with(from_radio, wire::FromRadio::kLogRecordFieldNumber))
    return std::nullopt;
  WireReader reader{from_radio};
  while (const auto field = reader.next()) {
    for (const int variant : {wire::FromRadio::kConfigFieldNumber, wire::FromRadio::kModuleConfigFieldNumber,
                              wire::FromRadio::kChannelFieldNumber}) {
      if (field->number == static_cast<std::uint32_t>(variant)) return variant;
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::uint8_t>> without_administration(Span from_radio) {
  std::optional<std::vector<std::uint8_t>> blanked;
  if (begins_with(from_radio, wire::FromRadio::kLogRecordFieldNumber) || !may_be_administration(from_radio))
    return blanked;
  const auto blank = [&](Span payload) {
    if (!blanked) blanked.emplace(from_radio.begin(), from_radio.end());
    const auto start = blanked->begin() + (payload.data() - from_radio.data());
    std::fill_n(start, payload.size(), std::uint8_t{0});
  };
  for_each(from_radio, wire::FromRadio::kPacketFieldNumber, [&](Span packet) {
    for_each(packet, wire::MeshPacket::kDecodedFieldNumber, [&](Span data) {
      if (is_administration(data)) for_each(data, wire::Data::kPayloadFieldNumber, blank);
    });
  });
  return blanked;
}

}  // namespace leakhunt::proto
