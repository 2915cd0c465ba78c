// What an answer must be to travel: small enough for the socket's frame, and valid text.
#pragma once

#include <cstddef>

namespace google::protobuf {
class Message;
}

namespace leakhunt::answer {

// Lists of an answer stop growing here; the frame holds 4 MiB.
inline constexpr std::size_t kListBytes = 3'000'000;

// Makes every string in the message, at any depth, valid UTF-8 (protobuf refuses to parse any other).
void repair_text(google::protobuf::Message& message);

}  // namespace leakhunt::answer
