// Copies a message field by field.
#include "proto/repair.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include "proto/printable.h"

namespace leakhunt::proto {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

constexpr int deepest_message = 16;

std::optional<std::string> mended(const Descriptor& type, std::string_view bytes, int depth);

// A length-delimited field of `type`, rewritten where it holds text.
std::optional<std::string> mended_field(const FieldDescriptor* field, std::string value, int depth) {
  if (field == nullptr) return value;
  if (field->type() == FieldDescriptor::TYPE_STRING) return repaired_utf8(value);
  if (field->type() == FieldDescriptor::TYPE_MESSAGE) return mended(*field->message_type(), value, depth + 1);
  return value;
}

bool copy_field(CodedInputStream& in, CodedOutputStream& out, std::uint32_t tag, const Descriptor& type,
                int depth) {
  if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
    return WireFormatLite::SkipField(&in, tag, &out);
  }
  std::uint32_t size = 0;
  std::string value;
  if (!in.ReadVarint32(&size) || !in.ReadString(&value, static_cast<int>(size))) return false;
  const auto* field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
  const auto mended_value = mended_field(field, std::move(value), depth);
  if (!mended_value) return false;
  out.WriteVarint32(tag);
  out.WriteVarint32(static_cast<std::uint32_t>(mended_value->size()));
  out.WriteString(*mended_value);
  return true;
}

std::optional<std::string> mended(const Descriptor& type, std::string_view bytes, int depth) {
  if (depth > deepest_message) return std::nullopt;
  google::protobuf::io::ArrayInputStream source{bytes.data(), static_cast<int>(bytes.size())};
  CodedInputStream in{&source};
  std::string result;
  {
    google::protobuf::io::StringOutputStream sink{&result};
    CodedOutputStream out{&sink};
    while (const std::uint32_t tag = in.ReadTag()) {
      if (!copy_field(in, out, tag, type, depth)) return std::nullopt;
    }
  }
  if (!in.ConsumedEntireMessage()) return std::nullopt;
  return result;
}

}  // namespace

std::optional<std::string> with_valid_strings(const Descriptor& type, std::string_view bytes) {
  return mended(type, bytes, 0);
}

}  // namespace leakhunt::proto
