// Protobuf shape, plain text, log prefixes: cheap looks without understanding.
#include "proto/salvage.h"

#include <algorithm>

#include "proto/log_body.h"
#include "proto/printable.h"

namespace leakhunt::proto {
namespace {

// Reads one varint of at most ten bytes; false when it does not end.
bool eat_varint(std::span<const std::uint8_t>& rest, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 70 && !rest.empty(); shift += 7) {
    const std::uint8_t byte = rest.front();
    rest = rest.subspan(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << std::min(shift, 63U);
    if (byte < 0x80) return true;
  }
  return false;
}

bool eat_bytes(std::span<const std::uint8_t>& rest, std::uint64_t count) {
  if (count > rest.size()) return false;
  rest = rest.subspan(count);
  return true;
}

bool eat_field(std::span<const std::uint8_t>& rest) {
  std::uint64_t tag = 0;
  std::uint64_t value = 0;
  if (!eat_varint(rest, tag) || tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF) return false;
  switch (tag & 7) {
    case 0:
      return eat_varint(rest, value);
    case 1:
      return eat_bytes(rest, 8);
    case 2:
      return eat_varint(rest, value) && eat_bytes(rest, value);
    case 5:
      return eat_bytes(rest, 4);
    default:
      return false;
  }
}

bool is_binary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

}  // namespace

bool looks_like_message(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    if (!eat_field(bytes)) return false;
  }
  return true;
}

bool is_plain_text(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const std::uint8_t byte : bytes) text.push_back(static_cast<char>(byte));
  const bool binary = std::any_of(text.begin(), text.end(), [](char c) {
    return is_binary(c) && c != '\r' && c != '\n' && c != '\x1b' && c != '\0';
  });
  return !binary && is_utf8(text);
}

std::string_view recognised_line(std::string_view line) {
  constexpr std::string_view prefixes[] = {"DEBUG | ", "INFO  | ", "WARN  | ", "ERROR | ",
                                           "CRIT  | ", "TRACE | ", "HEAP | ",  "HEAP  | "};
  std::size_t at = line.size();
  for (const std::string_view prefix : prefixes) at = std::min(at, line.find(prefix));
  if (at < line.size()) return line.substr(at);
  // Coloured: `DEBUG ESC[0m| `.
  constexpr std::string_view levels[] = {"DEBUG ", "INFO  ", "WARN  ", "ERROR ", "CRIT  ", "TRACE ", "HEAP "};
  for (const std::string_view level : levels) {
    const std::size_t found = line.find(level);
    if (found != std::string_view::npos && line.substr(found + level.size()).starts_with("\x1b["))
      at = std::min(at, found);
  }
  return line.substr(at);
}

void tidy_line(std::string_view raw, std::string& out) {
  out.clear();
  bool ascii = true;
  for (std::size_t at = 0; at < raw.size();) {
    const char c = raw[at];
    if (c == '\x1b') {
      at += escape_length(raw.substr(at));
      continue;
    }
    const bool is_junk = c == '\0' || (out.empty() && is_binary(c));
    if (!is_junk) out.push_back(c);
    ascii = ascii && static_cast<unsigned char>(c) < 0x80;
    ++at;
  }
  if (ascii || is_utf8(out)) return;
  out = repaired_utf8(out);
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::size_t junk = 0;
  while (std::string_view{out}.substr(junk).starts_with(replacement)) junk += replacement.size();
  out.erase(0, junk);
}

}  // namespace leakhunt::proto
