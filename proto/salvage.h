// Tells text from the remains of broken frames, which may hold keys and must not pass as text. Private to
// proto/.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace leakhunt::proto {

// True when the bytes have the shape of a FromRadio to the last byte (none has): a cheap look that notices a
// lost byte in almost every frame.
[[nodiscard]] bool looks_like_from_radio(std::span<const std::uint8_t> bytes);

// True when `text` holds a control character that no log has. NUL and escape codes are in many.
[[nodiscard]] bool has_binary(std::string_view text);

// True when nothing in `text` needs tidying: printable ASCII and tabs.
[[nodiscard]] bool is_plain_ascii(std::string_view text);

// True when the bytes are UTF-8 and hold nothing binary.
[[nodiscard]] bool is_plain_text(std::span<const std::uint8_t> bytes);

// True when half a frame header stands in the bytes: 0x94 or 0xC3 before the high byte of a length, which no
// UTF-8 has.
[[nodiscard]] bool has_header_remains(std::string_view bytes);

// The line from its first byte that can be text on.
[[nodiscard]] std::string_view without_leading_junk(std::string_view line);

// The part of a suspect line from where a log prefix (`LEVEL | `) begins; empty when there is none.
[[nodiscard]] std::string_view recognised_line(std::string_view line);

// The line without NUL and colour codes, as valid UTF-8, into `out`.
void tidy_line(std::string_view raw, std::string& out);

}  // namespace leakhunt::proto
