// Makes text from a device safe to show. Knows nothing of what the text means.
#pragma once

#include <string>
#include <string_view>

namespace leakhunt::proto {

// Valid UTF-8 without control characters: bad bytes become U+FFFD, C0 and C1 controls, DEL, bidirectional
// controls, zero-width and line-separator characters become `\xNN` or `\u{NNNN}`. Tabs become spaces.
[[nodiscard]] std::string printable(std::string_view text);

// True when `text` is valid UTF-8 (no surrogates, no overlong forms).
[[nodiscard]] bool is_utf8(std::string_view text);

// Bytes of the UTF-8 character at the front of `text` (not empty); 1 where there is none.
[[nodiscard]] std::size_t code_point_length(std::string_view text);

// Every run of bytes that is no UTF-8 becomes one U+FFFD; the rest stays.
[[nodiscard]] std::string repaired_utf8(std::string_view text);

}  // namespace leakhunt::proto
