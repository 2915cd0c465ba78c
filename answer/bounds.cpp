// Repairs the text of messages by walking their descriptors. See bounds.h.
#include "answer/bounds.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "proto/printable.h"

namespace leakhunt::answer {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void repair_strings(Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  std::string scratch;
  if (!field.is_repeated()) {
    const std::string& text = reflection.GetStringReference(message, &field, &scratch);
    if (!proto::is_utf8(text)) {
      reflection.SetString(&message, &field, proto::repaired_utf8(text));
    }
    return;
  }
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    const std::string& text = reflection.GetRepeatedStringReference(message, &field, i, &scratch);
    if (!proto::is_utf8(text)) {
      reflection.SetRepeatedString(&message, &field, i, proto::repaired_utf8(text));
    }
  }
}

void repair_messages(Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) {
    return repair_text(*reflection.MutableMessage(&message, &field));
  }
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    repair_text(*reflection.MutableRepeatedMessage(&message, &field, i));
  }
}

}  // namespace

void repair_text(Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->type() == FieldDescriptor::TYPE_STRING) {
      repair_strings(message, *field);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      repair_messages(message, *field);
    }
  }
}

}  // namespace leakhunt::answer
