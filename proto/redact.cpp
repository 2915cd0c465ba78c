// What is private in a line, and what stands in its place.
#include "proto/redact.h"

#include <algorithm>
#include <optional>
#include <span>

#include "proto/own_words.h"
#include "proto/private_text.h"
#include "proto/scan.h"

namespace leakhunt::proto {
namespace {

constexpr std::size_t fewest_dumped_bytes = 8;   // `00 01 ...`: a MAC address has 6
constexpr std::size_t fewest_hex_digits = 16;    // one run: an address of a 64-bit build has 14 at most
constexpr std::size_t fewest_base64_chars = 22;  // 16 bytes, the shortest real key

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool is_base64(char c) {
  return is_word(c) ? c != '_' : c == '+' || c == '/';
}

// Names whose value tells a place or opens a door. Longest first where one begins another.
struct Name {
  std::string_view lower;
  bool number_only;  // a place: only a number is private; a secret: whatever stands there
};
constexpr Name names_in_l[] = {{"latitude_i", true}, {"longitude_i", true}, {"latitude", true},
                               {"longitude", true},  {"lati", true},        {"loni", true},
                               {"lat", true},        {"lon", true},         {"lng", true}};
constexpr Name names_in_a[] = {{"altitude", true}, {"alt", true}};
constexpr Name names_in_m[] = {{"msl", true}};
constexpr Name names_in_h[] = {{"hae", true}};
constexpr Name names_in_p[] = {
    {"psk", false}, {"password", false}, {"passkey", false}, {"private_key", false}};
constexpr Name names_in_s[] = {{"secret", false}};

std::span<const Name> names_beginning_with(char letter) {
  switch (lowered(letter)) {
    case 'l':
      return names_in_l;
    case 'a':
      return names_in_a;
    case 'm':
      return names_in_m;
    case 'h':
      return names_in_h;
    case 'p':
      return names_in_p;
    case 's':
      return names_in_s;
    default:
      return {};
  }
}

// The end of a value that begins at `at`.
std::size_t value_end(std::string_view text, std::size_t at, bool number_only) {
  if (!number_only) {
    while (at < text.size() && text[at] != ' ' && text[at] != ',' && text[at] != ')' && text[at] != ';') ++at;
    return at;
  }
  while (at < text.size() && (is_digit(text[at]) || text[at] == '.' || text[at] == '-')) ++at;
  return at;
}

// `name=VALUE`, `name: VALUE` and, for the long names, `name() VALUE`, `passkey VALUE`.
std::optional<Span> value_of(const Name& name, std::string_view message, std::size_t at) {
  const std::string_view here = message.substr(at, name.lower.size());
  const auto same = [](char a, char b) { return lowered(a) == b; };
  if (!std::equal(here.begin(), here.end(), name.lower.begin(), name.lower.end(), same)) return std::nullopt;
  Cursor rest{message.substr(at + here.size())};
  rest.eat("()");
  if (rest.at_end() || is_word(rest.rest().front())) return std::nullopt;
  rest.skip_spaces();
  const bool assigned = rest.eat("=") || rest.eat(":");
  rest.skip_spaces();
  const bool is_number = !rest.at_end() && (is_digit(rest.rest().front()) || rest.rest().front() == '-');
  const bool speaks_for_itself = name.lower.size() > 6 && is_number;
  if ((!assigned && !speaks_for_itself) || (name.number_only && !is_number)) return std::nullopt;
  const std::size_t begin = message.size() - rest.rest().size();
  const std::size_t end = value_end(message, begin, name.number_only);
  return end > begin ? std::optional{Span{begin, end}} : std::nullopt;
}

std::optional<Span> named_value(std::string_view message, std::size_t at) {
  for (const Name& name : names_beginning_with(message[at])) {
    if (auto found = value_of(name, message, at)) return found;
  }
  return std::nullopt;
}

// `00 01 02 ...` or `00:01:...`, at least eight bytes.
std::optional<Span> byte_dump(std::string_view message, std::size_t at) {
  std::size_t end = at;
  std::size_t bytes = 0;
  for (std::size_t next = at;
       next + 1 < message.size() && is_hex(message[next]) && is_hex(message[next + 1]);) {
    end = next + 2;
    ++bytes;
    const bool separated = end < message.size() && (message[end] == ' ' || message[end] == ':');
    if (!separated) break;
    next = end + 1;
  }
  const bool whole = end == message.size() || !is_word(message[end]);
  if (bytes < fewest_dumped_bytes || !whole) return std::nullopt;
  return Span{at, end};
}

// A long run of hex digits, or of base64 with its padding.
std::optional<Span> key_run(std::string_view message, std::size_t at) {
  std::size_t end = at;
  bool hex = true;
  while (end < message.size() && is_base64(message[end])) hex = is_hex(message[end++]) && hex;
  const std::size_t length = end - at;
  const bool is_build_hash = message.substr(0, at).ends_with("SHA256: ");
  if (hex && length >= fewest_hex_digits && !is_build_hash) return Span{at, end};
  std::size_t padding = 0;
  while (end < message.size() && message[end] == '=' && padding < 2) ++end, ++padding;
  const bool is_key = padding > 0 && length >= fewest_base64_chars && (length + padding) % 4 == 0;
  if (!is_key) return std::nullopt;
  return Span{at, end};
}

// `$GPGGA,...` and its kin.
std::optional<Span> nmea_sentence(std::string_view message, std::size_t at) {
  if (message.size() - at < 7 || message[at + 6] != ',') return std::nullopt;
  return Span{at + 7, message.size()};
}

constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

// The next part of a snake_case or camelCase name.
bool begins_part(char before, char c) {
  if (before == '_') return true;
  return is_upper(c) && !is_upper(before) && !is_digit(before);
}

std::size_t word_length(std::string_view message, std::size_t at) {
  std::size_t end = at;
  while (end < message.size() && is_word(message[end])) ++end;
  return end - at;
}

// `at` is where a word of `length` begins, or its next part.
std::optional<Span> private_at(std::string_view message, std::size_t at, std::size_t length) {
  if (auto found = named_value(message, at)) return found;
  if (length == 2) return byte_dump(message, at);
  const bool goes_on =
      at + length < message.size() && (message[at + length] == '+' || message[at + length] == '/');
  if (length < fewest_hex_digits && !goes_on) return std::nullopt;
  return key_run(message, message.substr(at).starts_with("0x") ? at + 2 : at);
}

// The first private part from `at` on that is no written text.
std::optional<Span> next_private(std::string_view message, std::size_t at) {
  while (at < message.size()) {
    const std::size_t end = at + word_length(message, at);
    for (std::size_t word = at; at < end; ++at) {
      if (at > word && !begins_part(message[at - 1], message[at])) continue;
      if (auto found = private_at(message, at, end - at)) return found;
    }
    if (at < message.size() && message[at] == '$') {
      if (auto found = nmea_sentence(message, at)) return found;
    }
    ++at;
  }
  return std::nullopt;
}

// A line that may be the rest of a written text: what a person cannot have written of it.
LogLine own_part(const LogLine& line, bool complete) {
  const auto own = is_sdk_line(line) ? own_sdk_words(line) : own_words(line.text);
  if (!own) {
    LogLine hidden;
    hidden.text = redaction_mark;
    hidden.redactions = 1;
    return hidden;
  }
  LogLine kept = read_text_line(*own, complete);
  if (own->find(redaction_mark) != std::string::npos) ++kept.redactions;
  return kept;
}

}  // namespace

std::uint32_t redact_message(std::string& message) {
  std::uint32_t count = 0;
  if (const std::size_t written = written_text_begin(message); written < message.size()) {
    message.replace(written, std::string::npos, redaction_mark);
    ++count;
  }
  for (auto found = next_private(message, 0); found;) {
    message.replace(found->begin, found->end - found->begin, redaction_mark);
    ++count;
    found = next_private(message, found->begin + redaction_mark.size());
  }
  return count;
}

void redact(LogLine& line) {
  const bool is_written = written_text_begin(line.message()) < line.message().size();
  if (!is_written && !next_private(line.message(), 0)) return;
  std::string message{line.message()};
  const std::uint32_t count = redact_message(message);
  if (count == 0) return;
  line.text.replace(line.message_at, std::string::npos, message);
  line.redactions += count;
}

LogLine read_text_line(std::string_view text, bool complete) {
  LogLine line = parse_text_line(text, complete);
  redact(line);
  return line;
}

LogLine read_record_body(std::string_view message, Level level, std::string_view source) {
  LogLine line = parse_record_body(message, level, source);
  redact(line);
  return line;
}

bool TextReader::may_be_rest(const LogLine& line, bool complete, std::optional<Mono> received) const {
  const bool has_prefix = line.message_at > 0 && !(written_by_firmware_ && is_sdk_line(line));
  if (has_prefix || line.text.empty() || line.text.size() > written_bytes_left_) return false;
  // What has no end was given out only after a pause.
  const bool later = complete && received && written_at_ && *received - *written_at_ > burst_;
  return !later;
}

LogLine TextReader::read(std::string_view text, bool complete, std::optional<Mono> received) {
  LogLine line = parse_text_line(text, complete);
  if (may_be_rest(line, complete, received)) {
    written_bytes_left_ -= line.text.size();
    return own_part(line, complete);
  }
  const std::string_view message = line.message();
  const bool ends_in_written_text = written_text_begin(message) < message.size() || message.ends_with("msg=");
  const std::size_t longest = std::max(text_body_cut_bytes, longest_message_bytes);
  written_bytes_left_ = ends_in_written_text && message.size() < longest ? longest - message.size() : 0;
  written_by_firmware_ = line.message_at > 0 && !is_sdk_line(line);
  written_at_ = received;
  redact(line);
  return line;
}

}  // namespace leakhunt::proto
