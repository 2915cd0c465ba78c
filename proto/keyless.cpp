// Finds what may hold keys over the bare wire.
#include "proto/keyless.h"

#include <algorithm>

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

bool is_administration(Span data) {
  bool found = false;
  WireReader reader{data};
  while (const auto field = reader.next())
    found = found || (field->number == wire::Data::kPortnumFieldNumber && field->value == wire::ADMIN_APP);
  return found;
}

}  // namespace

std::optional<int> variant_with_keys(Span from_radio) {
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
