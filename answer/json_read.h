// Reads back what the JSON printer wrote, and checks that a text is JSON. Knows no message in particular.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace google::protobuf {
class Message;
}

namespace leakhunt::answer {

// Fills `message` from one JSON object in the form of answer/json.h. Names it does not know and nulls are
// passed over. False, with the message as far as it came, when the text is no such object.
[[nodiscard]] bool read_json(std::string_view text, google::protobuf::Message& message);

// Whether the text is one JSON object (RFC 8259) nested at most 64 deep; the error says where it is not.
[[nodiscard]] Outcome check_json_object(std::string_view text);

}  // namespace leakhunt::answer
