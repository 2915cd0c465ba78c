// Prints messages as JSON by walking their descriptors. See json.h for the rules.
#include "answer/json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "leakhunt/v1/api.pb.h"
#include "proto/printable.h"

namespace leakhunt::answer {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// From here on a double is a time, or so large that its seventh decimal means nothing.
constexpr double kSixDecimalsFrom = 1e8;
constexpr double kPlainBelow = 1e15;

// Smaller numbers are written with an exponent, whole ones never.
constexpr double kExponentBelow = 1e-6;

template <class T, class... Form>
void append_number(std::string& out, T value, Form... form) {
  std::array<char, 48> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, form...);
  out.append(buffer.data(), end.ptr);
}

void append_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const double size = std::abs(value);
  if (size < kExponentBelow || size >= kPlainBelow) {
    append_number(out, value);
    return;
  }
  if (size < kSixDecimalsFrom) {
    append_number(out, value, std::chars_format::fixed);
    return;
  }
  std::array<char, 48> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 6);
  std::string_view text{buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data())};
  text.remove_suffix(text.size() - 1 - text.find_last_not_of('0'));
  if (text.back() == '.') {
    text.remove_suffix(1);
  }
  out += text;
}

void append_string(std::string& out, std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  const std::string clean = proto::repaired_utf8(text);
  for (const char c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else {
      out += c;
    }
  }
  out += '"';
}

// VERDICT_CLASS_SLOW_LEAK of VerdictClass -> slow_leak.
std::string enum_word(const EnumValueDescriptor& value) {
  std::string prefix;
  for (const char c : value.type()->name()) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !prefix.empty()) {
      prefix += '_';
    }
    prefix += upper ? c : static_cast<char>(c - 'a' + 'A');
  }
  prefix += '_';
  std::string word = value.name();
  if (word.starts_with(prefix)) {
    word.erase(0, prefix.size());
  }
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return word;
}

void append_enum(std::string& out, const FieldDescriptor& field, int number) {
  const EnumValueDescriptor* value = field.enum_type()->FindValueByNumber(number);
  if (value == nullptr) {
    append_number(out, number);
  } else {
    append_string(out, enum_word(*value));
  }
}

void append_message(std::string& out, const Message& message);

// The value of a field, or of its element `index` when it is a list.
void append_value(std::string& out, const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& r = *message.GetReflection();
  const bool list = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return append_number(out,
                           list ? r.GetRepeatedInt32(message, &field, index) : r.GetInt32(message, &field));
    case FieldDescriptor::CPPTYPE_INT64:
      return append_number(out,
                           list ? r.GetRepeatedInt64(message, &field, index) : r.GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return append_number(out,
                           list ? r.GetRepeatedUInt32(message, &field, index) : r.GetUInt32(message, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return append_number(out,
                           list ? r.GetRepeatedUInt64(message, &field, index) : r.GetUInt64(message, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return append_double(out,
                           list ? r.GetRepeatedDouble(message, &field, index) : r.GetDouble(message, &field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return append_double(out, static_cast<double>(list ? r.GetRepeatedFloat(message, &field, index)
                                                         : r.GetFloat(message, &field)));
    case FieldDescriptor::CPPTYPE_BOOL:
      out +=
          (list ? r.GetRepeatedBool(message, &field, index) : r.GetBool(message, &field)) ? "true" : "false";
      return;
    case FieldDescriptor::CPPTYPE_ENUM:
      return append_enum(
          out, field,
          list ? r.GetRepeatedEnumValue(message, &field, index) : r.GetEnumValue(message, &field));
    case FieldDescriptor::CPPTYPE_STRING:
      return append_string(out,
                           list ? r.GetRepeatedString(message, &field, index) : r.GetString(message, &field));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return append_message(
          out, list ? r.GetRepeatedMessage(message, &field, index) : r.GetMessage(message, &field));
  }
}

void append_list(std::string& out, const Message& message, const FieldDescriptor& field) {
  out += '[';
  const int size = message.GetReflection()->FieldSize(message, &field);
  for (int i = 0; i < size; ++i) {
    if (i > 0) {
      out += ',';
    }
    append_value(out, message, field, i);
  }
  out += ']';
}

void append_map(std::string& out, const Message& message, const FieldDescriptor& field) {
  const Descriptor& entry_type = *field.message_type();
  const Reflection& r = *message.GetReflection();
  std::vector<std::pair<std::string, std::string>> entries;
  for (int i = 0; i < r.FieldSize(message, &field); ++i) {
    const Message& entry = r.GetRepeatedMessage(message, &field, i);
    std::string key;
    std::string value;
    append_value(key, entry, *entry_type.map_key(), 0);
    append_value(value, entry, *entry_type.map_value(), 0);
    if (!key.starts_with('"')) {
      key = '"' + key + '"';
    }
    entries.emplace_back(std::move(key), std::move(value));
  }
  std::sort(entries.begin(), entries.end());
  out += '{';
  for (const auto& [key, value] : entries) {
    out += &value == &entries.front().second ? "" : ",";
    out += key + ':' + value;
  }
  out += '}';
}

// A cell of a table that somebody asked for in SQL; a blob in hexadecimal digits.
void append_sql_value(std::string& out, const v1::SqlValue& value) {
  switch (value.value_case()) {
    case v1::SqlValue::kInteger:
      return append_number(out, value.integer());
    case v1::SqlValue::kReal:
      return append_double(out, value.real());
    case v1::SqlValue::kText:
      return append_string(out, value.text());
    case v1::SqlValue::kBlob:
      return append_string(out, hex(value.blob()));
    case v1::SqlValue::VALUE_NOT_SET:
      out += "null";
  }
}

void append_sql_row(std::string& out, const v1::SqlRow& row) {
  out += '[';
  for (int i = 0; i < row.values_size(); ++i) {
    if (i > 0) {
      out += ',';
    }
    append_sql_value(out, row.values(i));
  }
  out += ']';
}

void append_message(std::string& out, const Message& message) {
  const Descriptor& type = *message.GetDescriptor();
  if (&type == v1::SqlRow::descriptor()) {
    return append_sql_row(out, static_cast<const v1::SqlRow&>(message));
  }
  out += '{';
  bool first = true;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (field.has_presence() && !message.GetReflection()->HasField(message, &field)) {
      continue;
    }
    if (!first) {
      out += ',';
    }
    first = false;
    append_string(out, field.name());
    out += ':';
    if (field.is_map()) {
      append_map(out, message, field);
    } else if (field.is_repeated()) {
      append_list(out, message, field);
    } else {
      append_value(out, message, field, 0);
    }
  }
  out += '}';
}

}  // namespace

std::string hex(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

std::string to_json(const Message& message) {
  std::string out;
  append_message(out, message);
  return out;
}

void append_json_line(std::string& out, const Message& message) {
  append_message(out, message);
  out += '\n';
}

const Message& told(const v1::Answer& answer) {
  const Reflection& reflection = *answer.GetReflection();
  const FieldDescriptor* field =
      reflection.GetOneofFieldDescriptor(answer, answer.GetDescriptor()->FindOneofByName("tell"));
  return field == nullptr ? answer : reflection.GetMessage(answer, field);
}

std::string json_string(const std::string& text) {
  std::string out;
  append_string(out, text);
  return out;
}

}  // namespace leakhunt::answer
