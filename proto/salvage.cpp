// Protobuf shape, plain text, log prefixes: cheap looks without understanding.
#include "proto/salvage.h"

#include <algorithm>

#include "proto/log_body.h"
#include "proto/printable.h"
#include "proto/wire_fields.h"

namespace leakhunt::proto {
namespace {

bool eat_bytes(std::span<const std::uint8_t>& rest, std::uint64_t count) {
  if (count > rest.size()) return false;
  rest = rest.subspan(count);
  return true;
}

// The messages inside a FromRadio field: enough of the schema to notice a byte that got lost in one of them.
bool holds_message(std::uint64_t outer, std::uint64_t field) {
  switch (outer) {
    case 2:
      return field == 4;  // packet: decoded
    case 4:
      return field == 2 || field == 3 || field == 6;  // node_info: user, position, device_metrics
    case 5:
      return true;  // config: every section
    case 9:
      return true;  // moduleConfig: every section
    case 10:
      return field == 2;  // channel: settings
    default:
      return false;
  }
}

enum class Place { from_radio, variant, inside };

bool well_formed(std::span<const std::uint8_t> rest, Place place, std::uint64_t outer);

// The content of a length-delimited field; a FromRadio has messages alone.
bool eat_content(std::span<const std::uint8_t>& rest, std::uint64_t field, Place place, std::uint64_t outer) {
  std::uint64_t size = 0;
  if (!eat_varint(rest, size) || size > rest.size()) return false;
  const auto content = rest.first(size);
  rest = rest.subspan(size);
  if (place == Place::from_radio) return well_formed(content, Place::variant, field);
  if (place == Place::variant && holds_message(outer, field))
    return well_formed(content, Place::inside, field);
  return true;
}

bool well_formed(std::span<const std::uint8_t> rest, Place place, std::uint64_t outer) {
  while (!rest.empty()) {
    std::uint64_t tag = 0;
    std::uint64_t value = 0;
    if (!eat_varint(rest, tag) || tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF) return false;
    bool eaten = false;
    switch (tag & 7) {
      case 0:
        eaten = eat_varint(rest, value);
        break;
      case 1:
        eaten = eat_bytes(rest, 8);
        break;
      case 2:
        eaten = eat_content(rest, tag >> 3, place, outer);
        break;
      case 5:
        eaten = eat_bytes(rest, 4);
        break;
      default:
        break;
    }
    if (!eaten) return false;
  }
  return true;
}

// A control character that no log holds: the firmware prints `#` for it.
bool is_binary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\r' && c != '\n' && c != '\x1b' && c != '\0') || byte == 0x7F;
}

}  // namespace

bool looks_like_from_radio(std::span<const std::uint8_t> bytes) {
  return well_formed(bytes, Place::from_radio, 0);
}

bool has_binary(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_binary);
}

bool is_plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; });
}

bool is_plain_text(std::span<const std::uint8_t> bytes) {
  const std::string_view text{static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size()};
  return !has_binary(text) && is_utf8(text);
}

bool has_header_remains(std::string_view bytes) {
  for (std::size_t at = 0; at + 1 < bytes.size(); ++at) {
    const bool half = bytes[at] == '\x94' || bytes[at] == '\xC3';
    if (half && static_cast<unsigned char>(bytes[at + 1]) <= 2) return true;
  }
  return false;
}

std::string_view without_leading_junk(std::string_view line) {
  const auto is_junk = [](char c) { return c == '\0' || is_binary(c); };
  while (!line.empty() && (is_junk(line.front()) || !is_utf8(line.substr(0, code_point_length(line)))))
    line.remove_prefix(1);
  return line;
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
    if (c != '\0') out.push_back(c);
    ascii = ascii && static_cast<unsigned char>(c) < 0x80;
    ++at;
  }
  if (!ascii && !is_utf8(out)) out = repaired_utf8(out);
}

}  // namespace leakhunt::proto
