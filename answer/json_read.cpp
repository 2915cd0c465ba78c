// Fills messages from JSON by walking their descriptors: the mirror of json.cpp. See json_read.h.
#include "answer/json_read.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "answer/json_value.h"

namespace leakhunt::answer {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Kind = JsonValue::Kind;

bool fill(Message& message, const JsonValue& value);

template <class T>
std::optional<T> number(const JsonValue& value) {
  T result{};
  const char* end = value.text.data() + value.text.size();
  const auto parsed = std::from_chars(value.text.data(), end, result);
  const bool whole = parsed.ec == std::errc{} && parsed.ptr == end;
  return value.kind == Kind::number && whole ? std::optional{result} : std::nullopt;
}

// The value whose name ends in the word, in capitals behind a `_`; a bare number stands for itself.
std::optional<int> enum_number(const EnumDescriptor& type, const JsonValue& value) {
  if (value.kind == Kind::number) {
    return number<int>(value);
  }
  std::string suffix = "_" + value.text;
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->name().ends_with(suffix)) {
      return type.value(i)->number();
    }
  }
  return std::nullopt;
}

// Sets the field, or appends to it when it is a list.
template <class T, class Set, class Add>
bool put(Message& message, const FieldDescriptor& field, std::optional<T> value, Set set, Add add) {
  if (!value) {
    return false;
  }
  const Reflection& reflection = *message.GetReflection();
  if (field.is_repeated()) {
    (reflection.*add)(&message, &field, *value);
  } else {
    (reflection.*set)(&message, &field, *value);
  }
  return true;
}

bool put_string(Message& message, const FieldDescriptor& field, const JsonValue& value) {
  if (value.kind != Kind::string) {
    return false;
  }
  const Reflection& reflection = *message.GetReflection();
  if (field.is_repeated()) {
    reflection.AddString(&message, &field, value.text);
  } else {
    reflection.SetString(&message, &field, value.text);
  }
  return true;
}

bool put_value(Message& message, const FieldDescriptor& field, const JsonValue& value) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return put(message, field, number<std::int32_t>(value), &Reflection::SetInt32, &Reflection::AddInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return put(message, field, number<std::int64_t>(value), &Reflection::SetInt64, &Reflection::AddInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return put(message, field, number<std::uint32_t>(value), &Reflection::SetUInt32,
                 &Reflection::AddUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return put(message, field, number<std::uint64_t>(value), &Reflection::SetUInt64,
                 &Reflection::AddUInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return put(message, field, number<double>(value), &Reflection::SetDouble, &Reflection::AddDouble);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return put(message, field, number<float>(value), &Reflection::SetFloat, &Reflection::AddFloat);
    case FieldDescriptor::CPPTYPE_BOOL:
      return put(message, field, value.kind == Kind::boolean ? std::optional{value.boolean} : std::nullopt,
                 &Reflection::SetBool, &Reflection::AddBool);
    case FieldDescriptor::CPPTYPE_ENUM:
      return put(message, field, enum_number(*field.enum_type(), value), &Reflection::SetEnumValue,
                 &Reflection::AddEnumValue);
    case FieldDescriptor::CPPTYPE_STRING:
      return put_string(message, field, value);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return fill(field.is_repeated() ? *reflection.AddMessage(&message, &field)
                                      : *reflection.MutableMessage(&message, &field),
                  value);
  }
  return false;
}

bool put_map(Message& message, const FieldDescriptor& field, const JsonValue& value) {
  return value.kind == Kind::object &&
         std::all_of(value.members.begin(), value.members.end(), [&](const auto& member) {
           JsonValue key;
           key.kind = Kind::string;
           key.text = member.first;
           Message& entry = *message.GetReflection()->AddMessage(&message, &field);
           const auto& type = *field.message_type();
           return put_value(entry, *type.map_key(), key) &&
                  put_value(entry, *type.map_value(), member.second);
         });
}

bool put_field(Message& message, const FieldDescriptor& field, const JsonValue& value) {
  if (value.kind == Kind::null) {
    return true;
  }
  if (field.is_map()) {
    return put_map(message, field, value);
  }
  if (!field.is_repeated()) {
    return put_value(message, field, value);
  }
  return value.kind == Kind::array &&
         std::all_of(value.elements.begin(), value.elements.end(),
                     [&](const JsonValue& element) { return put_value(message, field, element); });
}

bool fill(Message& message, const JsonValue& value) {
  return value.kind == Kind::object &&
         std::all_of(value.members.begin(), value.members.end(), [&](const auto& member) {
           const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(member.first);
           return field == nullptr || put_field(message, *field, member.second);
         });
}

}  // namespace

bool read_json(std::string_view text, Message& message) {
  const JsonParse parsed = parse_json(text);
  return parsed.value && fill(message, *parsed.value);
}

Outcome check_json_object(std::string_view text) {
  const JsonParse parsed = parse_json(text);
  if (!parsed.value) {
    return Error{ErrorCode::usage, "the data are no JSON (byte " + std::to_string(parsed.error_at) + ")", "",
                 "one object, such as {\"build\": \"a1\"}"};
  }
  if (parsed.value->kind != Kind::object) {
    return Error{ErrorCode::usage, "the data are JSON, but no object", "", "such as {\"build\": \"a1\"}"};
  }
  return Done{};
}

}  // namespace leakhunt::answer
