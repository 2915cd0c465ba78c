// Small scanners for the few places where other people's words stand in a log.
#include "recorder/quoted.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>

namespace leakhunt::recorder {
namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

// Where `low_word` stands as a word of its own, whatever its case.
std::size_t find_word(std::string_view text, std::string_view low_word, std::size_t from) {
  const auto same = [](char a, char b) { return lower(a) == b; };
  for (auto at = text.begin() + static_cast<std::ptrdiff_t>(from);;) {
    at = std::search(at, text.end(), low_word.begin(), low_word.end(), same);
    if (at == text.end()) {
      return std::string_view::npos;
    }
    const auto begin = static_cast<std::size_t>(at - text.begin());
    const auto end = begin + low_word.size();
    if ((begin == 0 || !letter(text[begin - 1])) && (end == text.size() || !letter(text[end]))) {
      return begin;
    }
    ++at;
  }
}

template <std::size_t N>
std::size_t first_word(std::string_view text, const std::array<std::string_view, N>& words,
                       std::size_t from) {
  std::size_t first = std::string_view::npos;
  for (const auto word : words) {
    first = std::min(first, find_word(text, word, from));
  }
  return first;
}

// `user@box:~$ command`, `$ command`, `>>> expression`, `PS C:\> command`.
bool is_shell_line(std::string_view line) {
  if (line.starts_with("$ ") || line.starts_with(">>> ") || line.starts_with("PS C:")) {
    return true;
  }
  const auto at = line.find('@');
  if (at == std::string_view::npos || at == 0 || at > 32 || line.find(' ') < at) {
    return false;
  }
  const auto prompt = line.find_first_of("$#%", at);
  return prompt != std::string_view::npos && prompt + 1 < line.size() && line[prompt + 1] == ' ' &&
         line.substr(0, prompt).find(' ') == std::string_view::npos;
}

// Behind `Received text msg ... msg=`, `Sending message: ` and the like.
std::optional<std::size_t> message_text(std::string_view line) {
  constexpr std::array<std::string_view, 9> kDone = {"received", "receive", "recv",     "rx", "sent",
                                                     "sending",  "send",    "incoming", "got"};
  constexpr std::array<std::string_view, 6> kWhat = {"msg", "message", "text", "payload", "chat", "sms"};
  const auto done = first_word(line, kDone, 0);
  if (done == std::string_view::npos) {
    return std::nullopt;
  }
  const auto what = first_word(line, kWhat, done);
  if (what == std::string_view::npos) {
    return std::nullopt;
  }
  const auto mark = line.find_first_of(":=", what);
  const auto text = mark == std::string_view::npos ? mark : line.find_first_not_of(' ', mark + 1);
  // A report of the device's own, on its way to a broker.
  if (text == std::string_view::npos || line[text] == '{') {
    return std::nullopt;
  }
  return text;
}

bool is_address(std::string_view word) {
  return (word.starts_with('/') && word.size() > 1) || word.find("://") != std::string_view::npos;
}

bool is_file_name(std::string_view word) {
  constexpr std::array<std::string_view, 8> kEnds = {".log", ".txt",  ".md",   ".html",
                                                     ".png", ".json", ".jpeg", ".csv"};
  return std::any_of(kEnds.begin(), kEnds.end(), [word](auto end) { return word.ends_with(end); });
}

void blank(std::string& text, std::size_t from, std::size_t to) {
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(from), text.begin() + static_cast<std::ptrdiff_t>(to),
            ' ');
}

void blank_addresses(std::string& text) {
  for (std::size_t at = text.find_first_not_of(" \t"); at != std::string::npos;) {
    const auto end = std::min(text.find_first_of(" \t\"'", at), text.size());
    const auto word = std::string_view(text).substr(at, end - at);
    if (is_address(word) || is_file_name(word)) {
      blank(text, at, end);
    }
    at = text.find_first_not_of(" \t\"'", end);
  }
}

// `key="..."`, `"key": "..."` and `text: "..."` are the line's own words; any other pair of quotes holds
// somebody else's.
void blank_quotes(std::string& text) {
  for (auto open = text.find('"'); open != std::string::npos;) {
    const auto close = text.find('"', open + 1);
    if (close == std::string::npos) {
      return;
    }
    const auto before = text.find_last_not_of(' ', open == 0 ? 0 : open - 1);
    const char mark = open == 0 || before == std::string::npos ? '\0' : text[before];
    const char behind = close + 1 < text.size() ? text[close + 1] : '\0';
    const bool own = mark == '=' || mark == ':' || mark == '{' || mark == ',' || mark == '[' || behind == ':';
    if (!own && open != 0) {
      blank(text, open, close + 1);
    }
    open = text.find('"', close + 1);
  }
}

}  // namespace

bool may_quote(std::string_view line) {
  constexpr std::array<std::string_view, 5> kMarks = {"msg", "message", "text", "payload", "chat"};
  return line.find_first_of("\"/$@>") != std::string_view::npos ||
         line.find(".txt") != std::string_view::npos || line.find(".log") != std::string_view::npos ||
         first_word(line, kMarks, 0) != std::string_view::npos;
}

std::string without_quotes(std::string_view line) {
  std::string text(line);
  if (is_shell_line(line)) {
    blank(text, 0, text.size());
    return text;
  }
  if (const auto from = message_text(line)) {
    blank(text, *from, text.size());
  }
  blank_quotes(text);
  blank_addresses(text);
  return text;
}

}  // namespace leakhunt::recorder
