// Field by field, by reflection.
#include "tests/proto/vectors.h"

#include <google/protobuf/dynamic_message.h>

#include <boost/json.hpp>
#include <memory>
#include <set>

#include "leakhunt/device/v1/mesh.pb.h"
#include "proto/records.h"
#include "tests/proto/support.h"

namespace leakhunt::proto::testing {
namespace {

namespace json = boost::json;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::string_view package = "leakhunt.device.v1.";

const Descriptor* find_type(std::string_view name) {
  return google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(std::string{package} +
                                                                                   std::string{name});
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

void compare_message(const Message& message, const json::object& expected, const std::string& path,
                     std::vector<std::string>& out);

// A single value, spelled as encode.mjs spells it.
json::value told(const Message& message, const Reflection& reflection, const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.GetInt32(message, &field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.GetUInt32(message, &field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return json::value(std::to_string(reflection.GetUInt64(message, &field)));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return double{reflection.GetFloat(message, &field)};
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(message, &field);
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.GetEnumValue(message, &field);
    default: {
      const std::string text = reflection.GetString(message, &field);
      return json::value(field.type() == FieldDescriptor::TYPE_BYTES ? hex(text) : text);
    }
  }
}

json::value told_list(const Message& message, const Reflection& reflection, const FieldDescriptor& field) {
  json::array out;
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT) {
      out.emplace_back(double{reflection.GetRepeatedFloat(message, &field, i)});
    } else {
      out.emplace_back(hex(reflection.GetRepeatedString(message, &field, i)));
    }
  }
  return out;
}

// Numbers by value: a float is printed in its shortest form by the other side.
bool same(const json::value& a, const json::value& b) {
  if (a.is_array() && b.is_array()) {
    return a.as_array().size() == b.as_array().size() &&
           std::equal(a.as_array().begin(), a.as_array().end(), b.as_array().begin(), same);
  }
  if (!a.is_number() || !b.is_number()) return a == b;
  return static_cast<float>(a.to_number<double>()) == static_cast<float>(b.to_number<double>());
}

void compare_field(const Message& message, const FieldDescriptor& field, const json::object& expected,
                   const std::string& path, std::vector<std::string>& out) {
  const Reflection& reflection = *message.GetReflection();
  const json::value* wanted = expected.if_contains(field.name());
  const bool present =
      field.is_repeated() ? reflection.FieldSize(message, &field) > 0 : reflection.HasField(message, &field);
  const std::string here = path + "." + field.name();
  if (!present || wanted == nullptr) {
    if (present != (wanted != nullptr)) out.push_back(here + (present ? " is only here" : " is not here"));
    return;
  }
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    const Message& part = reflection.GetMessage(message, &field);
    if (part.GetDescriptor()->field_count() > 0) compare_message(part, wanted->as_object(), here, out);
    return;
  }
  const json::value got =
      field.is_repeated() ? told_list(message, reflection, field) : told(message, reflection, field);
  if (!same(got, *wanted))
    out.push_back(here + ": " + json::serialize(got) + " for " + json::serialize(*wanted));
}

void compare_message(const Message& message, const json::object& expected, const std::string& path,
                     std::vector<std::string>& out) {
  const Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) compare_field(message, *type.field(i), expected, path, out);
}

// What decode_from_radio makes of a telemetry packet, against the one variant that was encoded.
void compare_record(const Bytes& frame, const json::object& expected, const std::string& path,
                    std::vector<std::string>& out) {
  for (const Record& record : decode_from_radio(frame)) {
    const auto* telemetry = std::get_if<Telemetry>(&record);
    if (telemetry == nullptr) continue;
    const json::object* wanted = nullptr;
    if (const auto* variant = expected.if_contains(info(telemetry->variant).wire_name))
      wanted = &variant->as_object();
    if (wanted == nullptr) return out.push_back(path + ": wrong variant");
    for (const auto& [name, value] : *wanted) {
      const FieldValue* got = find(*telemetry, name);
      const bool is_heap = name.starts_with("heap_");
      if (got == nullptr && !is_heap) out.push_back(path + "." + std::string{name} + " is not in the record");
      if (got == nullptr || is_heap) continue;
      const json::value spelled = std::visit([](const auto& held) { return json::value(held); }, *got);
      const bool equal = value.is_string() && !spelled.is_string()
                             ? json::serialize(spelled) == std::string{value.as_string()}
                             : same(spelled, value);
      if (!equal)
        out.push_back(path + "." + std::string{name} + ": " + json::serialize(spelled) + " in the record");
    }
    return;
  }
  out.push_back(path + ": no telemetry record");
}

void compare_line(const json::object& line, const std::string& path, VectorReport& report) {
  const Descriptor* type = find_type(line.at("type").as_string());
  if (type == nullptr) return;  // a type that is opaque here; lacks.json names it
  const Bytes encoded = unhex(line.at("hex").as_string());
  const std::unique_ptr<Message> message{
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New()};
  const std::string where = path + " " + type->name();
  ++report.messages;
  if (!message->ParseFromArray(encoded.data(), static_cast<int>(encoded.size())))
    return report.differences.push_back(where + " cannot be read");
  compare_message(*message, line.at("value").as_object(), where, report.differences);
  if (message->ByteSizeLong() != encoded.size())
    report.differences.push_back(where + " loses unknown fields");
  if (const auto* telemetry = line.if_contains("telemetry")) {
    ++report.telemetry;
    compare_record(encoded, telemetry->as_object(), where, report.differences);
  }
}

void collect_types(const Descriptor& type, std::vector<const Descriptor*>& out) {
  if (type.name() != "Opaque") out.push_back(&type);
  for (int i = 0; i < type.nested_type_count(); ++i) collect_types(*type.nested_type(i), out);
}

// All message types of the schema, from FromRadio's file and those it imports.
std::vector<const Descriptor*> our_types() {
  std::vector<const Descriptor*> out;
  const FileDescriptor& mesh = *device::v1::FromRadio::descriptor()->file();
  for (int i = 0; i < mesh.message_type_count(); ++i) collect_types(*mesh.message_type(i), out);
  for (int d = 0; d < mesh.dependency_count(); ++d) {
    for (int i = 0; i < mesh.dependency(d)->message_type_count(); ++i)
      collect_types(*mesh.dependency(d)->message_type(i), out);
  }
  return out;
}

// `Type.field` of all that only one schema has; a number that differs is a difference of its own.
json::object schema_differences(const json::object& theirs, std::vector<std::string>& out) {
  std::set<std::string> only_ours;
  std::set<std::string> only_theirs;
  for (const Descriptor* type : our_types()) {
    const std::string name = type->full_name().substr(package.size());
    const json::value* other = theirs.if_contains(name);
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor& field = *type->field(i);
      const json::value* number = other == nullptr ? nullptr : other->as_object().if_contains(field.name());
      if (number == nullptr) {
        only_ours.insert(name + "." + field.name());
      } else if (number->to_number<int>() != field.number()) {
        out.push_back(name + "." + field.name() + " has another number there");
      }
    }
    if (other == nullptr) continue;
    for (const auto& [field, number] : other->as_object()) {
      if (type->FindFieldByName(std::string{field}) == nullptr)
        only_theirs.insert(name + "." + std::string{field});
    }
  }
  return {{"only_here", json::array(only_ours.begin(), only_ours.end())},
          {"only_there", json::array(only_theirs.begin(), only_theirs.end())}};
}

}  // namespace

VectorReport compare_vectors(std::istream& vectors, std::string_view lacks) {
  VectorReport report;
  std::size_t number = 0;
  for (std::string text; std::getline(vectors, text);) {
    const json::object line = json::parse(text).as_object();
    const std::string path = "line " + std::to_string(++number);
    if (const auto* schema = line.if_contains("schema")) {
      const json::object found = schema_differences(schema->as_object(), report.differences);
      if (json::value(found) != json::parse(lacks))
        report.differences.push_back("protobufs-2.7.18-lacks.json is out of date; it should be " +
                                     json::serialize(found));
    } else {
      compare_line(line, path, report);
    }
  }
  return report;
}

}  // namespace leakhunt::proto::testing
