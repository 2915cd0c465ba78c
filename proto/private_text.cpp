// The words that introduce written text.
#include "proto/private_text.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "proto/scan.h"

namespace leakhunt::proto {

namespace {

// Where the value behind the first `NAME=` of `names` begins; message.size() when there is none.
template <std::size_t N>
std::size_t value_of_first(std::string_view message, const std::string_view (&names)[N]) {
  for (std::size_t at = message.find('='); at != std::string_view::npos; at = message.find('=', at + 1)) {
    const std::string_view before = message.substr(0, at);
    for (const std::string_view name : names) {
      // The last letter first: most names are others, and this saves the call that compares them.
      if (at > 0 && message[at - 1] == name.back() && before.ends_with(name)) return at + 1;
    }
  }
  return message.size();
}

// `"... at ..."` or `'... at ...'`, the opening mark in front of a word.
bool between(char mark, std::string_view message, std::size_t at) {
  bool open = false;
  for (std::size_t i = 0; i < at; ++i) {
    if (message[i] != mark) continue;
    const bool opens = i == 0 || std::string_view{" =(:[,"}.find(message[i - 1]) != std::string_view::npos;
    open = !open && opens;
  }
  return open && message.find(mark, at) != std::string_view::npos;
}

// A log line inside a log line, as a page that shows the log would print it: `ERROR | 12:34:56 ...`.
bool behind_another_prefix(std::string_view before) {
  for (std::size_t bar = before.find("| "); bar != std::string_view::npos; bar = before.find("| ", bar + 1)) {
    const std::string_view clock = before.substr(bar + 2, 8);
    if (clock.size() == 8 && clock[2] == ':' && clock[5] == ':') return true;
  }
  return false;
}

constexpr bool is_letter(char c) {
  return lowered(c) >= 'a' && lowered(c) <= 'z';
}

// Whether `lower` stands in `text` as a word of its own, in any case. A number may follow: `Channel2`.
bool has_word(std::string_view text, std::string_view lower) {
  const auto same = [](char a, char b) { return lowered(a) == b; };
  for (auto at = text.begin();; ++at) {
    at = std::search(at, text.end(), lower.begin(), lower.end(), same);
    if (at == text.end()) return false;
    const auto end = at + static_cast<std::ptrdiff_t>(lower.size());
    if ((at == text.begin() || !is_letter(at[-1])) && (end == text.end() || !is_letter(*end))) return true;
  }
}

bool in_a_path(std::string_view before) {
  const std::size_t blank = before.find_last_of(' ');
  return before.substr(blank == std::string_view::npos ? 0 : blank).find('/') != std::string_view::npos;
}

bool is_typed(std::string_view message) {
  if (message.starts_with("$ ") || message.starts_with("> ") || message.starts_with(">>> ")) return true;
  const std::size_t word = message.substr(0, message.find(' ')).find('@');
  const std::size_t prompt = message.find_first_of("$#");
  return word != std::string_view::npos && prompt != std::string_view::npos &&
         message.substr(prompt + 1, 1) == " ";
}

// Of any log, and of the firmware's alone: a logger calls its own message `msg` or `text` as well.
constexpr std::string_view chosen_by_person[] = {
    "owner",   "user", "username",      "longname",     "shortname",  "long name", "short name", "nickname",
    "channel", "ssid", "connecting to", "connected to", "connect to", "node name", "waypoint"};
constexpr std::string_view written_by_person[] = {"name",  "alias", "text",     "msg",
                                                  "sms",   "chat",  "ringtone", "canned",
                                                  "topic", "title", "payload",  "hostname"};

template <std::size_t N>
bool has_any_word(std::string_view text, const std::string_view (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words),
                     [text](std::string_view word) { return has_word(text, word); });
}

}  // namespace

bool introduces_user_data(std::string_view words, bool of_firmware) {
  return has_any_word(words, chosen_by_person) || (of_firmware && has_any_word(words, written_by_person));
}

bool stands_quoted(std::string_view message, std::size_t at) {
  const std::string_view before = message.substr(0, at);
  // The C++ library puts the name of an exception that nobody caught between quotes.
  if (before.ends_with("instance of '")) return false;
  return between('"', message, at) || between('\'', message, at) || behind_another_prefix(before) ||
         in_a_path(before) || is_typed(message) || introduces_user_data(before, true);
}

std::size_t written_text_begin(std::string_view message) {
  constexpr std::string_view starts[] = {"serialized json message: ", "p.payload.bytes"};
  for (const std::string_view start : starts) {
    if (message.starts_with(start)) return start.size();
  }
  constexpr std::string_view names[] = {"msg", "text", "payload"};
  const std::size_t json = message.find('{');
  const bool is_json = json != std::string_view::npos && message.substr(json).starts_with("{\"");
  return std::min(value_of_first(message, names), is_json ? json : message.size());
}

std::string_view firmware_words(std::string_view message) {
  const std::string_view before = message.substr(0, written_text_begin(message));
  constexpr std::string_view names[] = {"name", "Name"};
  return before.substr(0, value_of_first(before, names));
}

}  // namespace leakhunt::proto
