// Tells text from the remains of broken frames, which may hold keys and must not pass as text. Private to
// proto/.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace leakhunt::proto {

// True when the bytes are a well-formed sequence of protobuf fields to the last byte (none is well-formed).
[[nodiscard]] bool looks_like_message(std::span<const std::uint8_t> bytes);

// True when the bytes could all stand in a log: UTF-8, no control characters but line ends, tabs, colour
// codes.
[[nodiscard]] bool is_plain_text(std::span<const std::uint8_t> bytes);

// The part of a suspect line from where a log prefix (`LEVEL | `) begins; empty when there is none.
[[nodiscard]] std::string_view recognised_line(std::string_view line);

// The line without NUL, colour codes and leading junk, as valid UTF-8, into `out`.
void tidy_line(std::string_view raw, std::string& out);

}  // namespace leakhunt::proto
