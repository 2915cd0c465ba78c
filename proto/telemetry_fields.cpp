// Variants and fields out of the schema, and their names.
#include "proto/telemetry_fields.h"

#include <algorithm>

#include "leakhunt/device/v1/telemetry.pb.h"
#include "proto/scan.h"

namespace leakhunt::proto {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

TelemetryField::Kind kind_of(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return TelemetryField::Kind::text;
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return TelemetryField::Kind::real;
    default:
      return TelemetryField::Kind::integer;
  }
}

std::string short_name(Variant variant) {
  switch (variant) {
    case Variant::device:
      return "device";
    case Variant::environment:
      return "environment";
    case Variant::air_quality:
      return "airQuality";
    case Variant::power:
      return "power";
    case Variant::local:
      return "local";
    case Variant::health:
      return "health";
    case Variant::host:
      return "host";
    case Variant::traffic:
      return "traffic";
  }
  return {};
}

TelemetryVariant described(const FieldDescriptor& field) {
  TelemetryVariant variant;
  variant.variant = static_cast<Variant>(field.number());
  variant.name = short_name(variant.variant);
  variant.wire_name = field.name();
  variant.camel_name = field.json_name();
  const Descriptor& message = *field.message_type();
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& part = *message.field(i);
    if (part.is_repeated()) continue;  // its elements come under the names of their channels
    variant.fields.push_back(
        {part.name(), part.json_name(), static_cast<std::uint32_t>(part.number()), kind_of(part)});
  }
  return variant;
}

std::vector<TelemetryVariant> described_variants() {
  std::vector<TelemetryVariant> variants;
  const auto& oneof = *device::v1::Telemetry::descriptor()->FindOneofByName("variant");
  for (int i = 0; i < oneof.field_count(); ++i) variants.push_back(described(*oneof.field(i)));
  return variants;
}

// Equal but for case and underscores: snake_case and camelCase of one name are.
bool same_name(std::string_view a, std::string_view b) {
  while (true) {
    while (a.starts_with('_')) a.remove_prefix(1);
    while (b.starts_with('_')) b.remove_prefix(1);
    if (a.empty() || b.empty()) return a.empty() && b.empty();
    if (lowered(a.front()) != lowered(b.front())) return false;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
}

}  // namespace

const std::vector<TelemetryVariant>& telemetry_variants() {
  static const std::vector<TelemetryVariant> variants = described_variants();
  return variants;
}

const TelemetryVariant& info(Variant variant) {
  const auto& all = telemetry_variants();
  return *std::find_if(all.begin(), all.end(),
                       [variant](const TelemetryVariant& known) { return known.variant == variant; });
}

const TelemetryVariant* find_variant(std::string_view name) {
  for (const TelemetryVariant& known : telemetry_variants()) {
    if (same_name(name, known.name) || same_name(name, known.wire_name)) return &known;
  }
  return nullptr;
}

const TelemetryField* find_field(const TelemetryVariant& variant, std::string_view name) {
  if (same_name(name, "free_heap")) name = "heap_free_bytes";
  if (same_name(name, "total_heap")) name = "heap_total_bytes";
  for (const TelemetryField& field : variant.fields) {
    if (same_name(name, field.name)) return &field;
  }
  return nullptr;
}

std::vector<Variant> variants_with_field(std::string_view name) {
  std::vector<Variant> found;
  for (const TelemetryVariant& known : telemetry_variants()) {
    if (find_field(known, name) != nullptr) found.push_back(known.variant);
  }
  return found;
}

}  // namespace leakhunt::proto
