// The one JSON printer of every face: any message of api.proto, by reflection, with the rules of INTERFACES
// "JSON". Knows one message in particular: a row of SQL is the list of its values.
#pragma once

#include <string>
#include <string_view>

namespace google::protobuf {
class Message;
}
namespace leakhunt::v1 {
class Answer;
}

namespace leakhunt::answer {

// One line of JSON, without a newline. Names as in the schema; enum words lower-case without their prefix
// (an unknown number is printed as the number); every integer a number, 64-bit ones too; NaN and infinity
// null; scalars printed even when 0; lists and maps printed even when empty, maps as objects by rising key.
// An `optional` field and a message field that is not set is left out. Numbers of 1e8 and above (times) have
// at most 6 decimals, all others the fewest digits that read back as the same double. Always valid UTF-8.
[[nodiscard]] std::string to_json(const google::protobuf::Message& message);

// Appends the message and a newline: one record of a JSON Lines stream.
void append_json_line(std::string& out, const google::protobuf::Message& message);

// The message an answer carries (its Report, its Status, ...), which is what a face prints; the answer itself
// when it carries none.
[[nodiscard]] const google::protobuf::Message& told(const v1::Answer& answer);

// Two lower-case digits a byte.
[[nodiscard]] std::string hex(std::string_view bytes);

// A JSON string literal with its quotes: control characters escaped, bytes that are no UTF-8 replaced.
[[nodiscard]] std::string json_string(const std::string& text);

}  // namespace leakhunt::answer
