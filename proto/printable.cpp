// UTF-8, byte by byte.
#include "proto/printable.h"

#include <array>
#include <cstdint>

namespace leakhunt::proto {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

constexpr bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Decodes the code point at the front; an invalid one takes one byte.
CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
  std::uint32_t value = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_continuation(text[i])) return {};
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest[size] || value > 0x10FFFF || surrogate) return {};
  return {value, size, true};
}

// Characters that move the cursor, reorder what is shown, or hide.
bool is_hostile(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0xAD || c == 0x061C || c == 0x180E ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
         c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
}

void append_escaped(std::string& out, std::uint32_t c) {
  constexpr std::string_view digits = "0123456789abcdef";
  const bool wide = c > 0xFF;
  out += wide ? "\\u{" : "\\x";
  bool started = false;
  for (int shift = 20; shift >= 0; shift -= 4) {
    const std::uint32_t digit = c >> shift & 0xF;
    const int always_from = wide ? 12 : 4;
    started = started || digit != 0 || shift <= always_from;
    if (started) out += digits[digit];
  }
  if (wide) out += '}';
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (!c.valid) {
      out += replacement;
    } else if (c.value == '\t') {
      out += ' ';
    } else if (is_hostile(c.value)) {
      append_escaped(out, c.value);
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (!c.valid) return false;
    text.remove_prefix(c.bytes);
  }
  return true;
}

std::size_t code_point_length(std::string_view text) {
  return first_code_point(text).bytes;
}

std::string repaired_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_bad_run = false;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (c.valid) {
      out += text.substr(0, c.bytes);
    } else if (!in_bad_run) {
      out += replacement;
    }
    in_bad_run = !c.valid;
    text.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace leakhunt::proto
