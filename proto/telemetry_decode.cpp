// Telemetry by reflection, with the heap figures resolved.
#include "proto/telemetry_decode.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <array>

#include "leakhunt/device/v1/telemetry.pb.h"
#include "proto/log_body.h"
#include "proto/repair.h"

namespace leakhunt::proto {
namespace {

namespace wire = device::v1;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::string_view free_name = "heap_free_bytes";
constexpr std::string_view total_name = "heap_total_bytes";

FieldValue value_of(const Message& message, const Reflection& reflection, const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return std::int64_t{reflection.GetInt32(message, &field)};
    case FieldDescriptor::CPPTYPE_INT64:
      return std::int64_t{reflection.GetInt64(message, &field)};
    case FieldDescriptor::CPPTYPE_UINT32:
      return std::uint64_t{reflection.GetUInt32(message, &field)};
    case FieldDescriptor::CPPTYPE_UINT64:
      return std::uint64_t{reflection.GetUInt64(message, &field)};
    case FieldDescriptor::CPPTYPE_FLOAT:
      return double{reflection.GetFloat(message, &field)};
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection.GetDouble(message, &field);
    case FieldDescriptor::CPPTYPE_BOOL:
      return std::int64_t{reflection.GetBool(message, &field) ? 1 : 0};
    case FieldDescriptor::CPPTYPE_ENUM:
      return std::int64_t{reflection.GetEnumValue(message, &field)};
    default:
      return reflection.GetString(message, &field);
  }
}

// The elements of a repeated field come under `<name>_ch<i>`, the fields that newer firmware has for them;
// more than there are such fields cannot be named and are left out.
void append_elements(const Message& message, const Reflection& reflection, const FieldDescriptor& field,
                     std::vector<Telemetry::Field>& out) {
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    const auto* channel = message.GetDescriptor()->FindFieldByName(field.name() + "_ch" + std::to_string(i));
    if (channel == nullptr || reflection.HasField(message, channel)) continue;
    out.push_back({channel->name(), double{reflection.GetRepeatedFloat(message, &field, i)}});
  }
}

std::vector<Telemetry::Field> present_fields(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> present;
  reflection.ListFields(message, &present);
  std::vector<Telemetry::Field> fields;
  fields.reserve(present.size() + 1);
  for (const FieldDescriptor* field : present) {
    if (field->is_repeated()) {
      append_elements(message, reflection, *field, fields);
    } else {
      fields.push_back({field->name(), value_of(message, reflection, *field)});
    }
  }
  return fields;
}

// proto3 sends no zeros: a total without a free figure is the moment of exhaustion. 4294967295 is no figure.
void resolve_heap(const wire::LocalStats& stats, Telemetry& out) {
  const auto free = plausible_heap(stats.heap_free_bytes());
  const auto total = plausible_heap(stats.heap_total_bytes());
  const bool told = stats.heap_free_bytes() != 0 || stats.heap_total_bytes() != 0;
  const auto is_heap = [](const Telemetry::Field& field) {
    return field.name == free_name || field.name == total_name;
  };
  const auto at = std::find_if(out.fields.begin(), out.fields.end(), is_heap) - out.fields.begin();
  std::erase_if(out.fields, is_heap);
  if (!told || !free) return;
  out.heap = HeapFigures{*free, total.value_or(0)};
  auto place = out.fields.begin() + at;
  if (out.heap->total_bytes > 0)
    place = out.fields.insert(place, {total_name, std::uint64_t{stats.heap_total_bytes()}}) + 1;
  out.fields.insert(place, {free_name, std::uint64_t{stats.heap_free_bytes()}});
}

const Message& content(const wire::Telemetry& message) {
  const auto* field = wire::Telemetry::descriptor()->FindFieldByNumber(message.variant_case());
  return message.GetReflection()->GetMessage(message, field);
}

Telemetry read(const wire::Telemetry& message, const Packet& packet) {
  Telemetry out;
  out.from = packet.from;
  out.to = packet.to;
  out.packet_id = packet.id;
  out.request_id = packet.request_id;
  out.rx_time = packet.rx_time;
  out.time = message.time();
  out.variant = static_cast<Variant>(message.variant_case());
  const Message& values = content(message);
  out.fields = present_fields(values);
  out.unknown_fields =
      static_cast<std::uint32_t>(values.GetReflection()->GetUnknownFields(values).field_count());
  std::uint32_t uptime_s = 0;
  if (message.has_local_stats()) {
    resolve_heap(message.local_stats(), out);
    uptime_s = message.local_stats().uptime_seconds();
  } else if (message.has_device_metrics()) {
    uptime_s = message.device_metrics().uptime_seconds();
  }
  if (uptime_s != 0) out.uptime_s = uptime_s;
  return out;
}

void report_unknown(const wire::Telemetry& message, const Packet& packet, std::vector<Record>& out) {
  const auto& unknown = wire::Telemetry::GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const auto field = static_cast<std::uint32_t>(unknown.field(i).number());
    out.emplace_back(UnknownVariant{UnknownVariant::Where::telemetry, field, packet.from});
  }
}

bool parse(wire::Telemetry& message, std::string_view bytes) {
  const google::protobuf::LogSilencer quiet;  // a name cut in a character is no error, and mended below
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return true;
  const auto mended = with_valid_strings(*wire::Telemetry::descriptor(), bytes);
  return mended && message.ParseFromString(*mended);
}

}  // namespace

void decode_telemetry(std::string_view payload, const Packet& packet, google::protobuf::Arena& arena,
                      std::vector<Record>& out) {
  wire::Telemetry& message = *google::protobuf::Arena::CreateMessage<wire::Telemetry>(&arena);
  if (!parse(message, payload)) {
    out.emplace_back(
        Malformed{"a telemetry payload of " + std::to_string(payload.size()) + " bytes is no Telemetry"});
  } else if (message.variant_case() == wire::Telemetry::VARIANT_NOT_SET) {
    report_unknown(message, packet, out);
  } else {
    out.emplace_back(read(message, packet));
  }
}

const FieldValue* find(const Telemetry& telemetry, std::string_view name) {
  const auto found = std::find_if(telemetry.fields.begin(), telemetry.fields.end(),
                                  [name](const Telemetry::Field& field) { return field.name == name; });
  return found == telemetry.fields.end() ? nullptr : &found->value;
}

std::optional<double> number(const FieldValue& value) {
  return std::visit(
      [](const auto& held) -> std::optional<double> {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return std::nullopt;
        } else {
          return static_cast<double>(held);
        }
      },
      value);
}

}  // namespace leakhunt::proto
