// The prefix of a log line in all its forms; what the message says is in log_body.cpp.
#include "proto/log_line.h"

#include <algorithm>

#include "proto/log_body.h"
#include "proto/scan.h"

namespace leakhunt::proto {
namespace {

constexpr std::string_view unset_clock = "??:??:??";
constexpr std::size_t longest_thread_name = 40;

struct LevelWord {
  std::string_view word;
  Level level;
};
constexpr LevelWord level_words[] = {
    {"DEBUG", Level::debug},  {"INFO", Level::info},     {"WARN", Level::warn},   {"ERROR", Level::error},
    {"HEAP", Level::heap},    {"CRIT", Level::crit},     {"TRACE", Level::trace}, {"MARK", Level::mark},
    {"WARNING", Level::warn}, {"CRITICAL", Level::crit},
};

// `LEVEL |`, padded with any number of spaces.
Level eat_level(Cursor& at) {
  for (const LevelWord& known : level_words) {
    Cursor trial = at;
    if (!trial.eat(known.word)) continue;
    trial.skip_spaces();
    if (!trial.eat("|")) continue;
    trial.eat(" ");
    at = trial;
    return known.level;
  }
  return Level::none;
}

bool is_clock(std::string_view text) {
  if (text == unset_clock) return true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % 3 == 2 ? text[i] != ':' : !is_digit(text[i])) return false;
  }
  return text.size() == unset_clock.size();
}

bool eat_clock(Cursor& at, std::string& clock) {
  const std::string_view word = at.rest().substr(0, unset_clock.size());
  if (!is_clock(word) || !at.rest().substr(word.size()).starts_with(' ')) return false;
  clock = word;
  at.skip(word.size() + 1);
  return true;
}

// Seconds, with up to six decimals on portduino, before a space.
struct Uptime {
  Duration value{};
  bool has_decimals = false;
};
std::optional<Uptime> eat_uptime(Cursor& at) {
  Cursor trial = at;
  const auto whole = trial.rest().empty() || !is_digit(trial.rest().front()) ? std::nullopt : trial.integer();
  if (!whole || *whole > 9'999'999'999) return std::nullopt;
  Uptime uptime{std::chrono::seconds{*whole}, trial.eat(".")};
  if (uptime.has_decimals) {
    std::int64_t unit_us = 100'000;
    for (; !trial.at_end() && is_digit(trial.rest().front()); trial.skip(1), unit_us /= 10)
      uptime.value += Duration{(trial.rest().front() - '0') * unit_us};
  }
  if (!trial.eat(" ") && !(trial.at_end() && trial.whole_rest())) return std::nullopt;
  at = trial;
  return uptime;
}

// `[heap N] `. A number that may be cut, or the closing bracket missing, is no prefix.
bool eat_heap_prefix(Cursor& at, LogLine& line) {
  Cursor trial = at;
  if (!trial.eat("[heap ")) return false;
  const auto free = trial.integer();
  if (!free || !trial.eat("]") || (!trial.eat(" ") && !trial.at_end())) return false;
  line.has_heap_prefix = true;
  line.heap_free_bytes = plausible_heap(*free);
  at = trial;
  return true;
}

bool eat_thread(Cursor& at, std::string& thread) {
  if (!at.rest().starts_with('[') || at.rest().starts_with("[heap ")) return false;
  const std::size_t close = at.rest().find(']');
  if (close == std::string_view::npos || close < 2 || close > longest_thread_name) return false;
  Cursor trial = at;
  trial.skip(close + 1);
  if (!trial.eat(" ") && !trial.at_end()) return false;
  thread = at.rest().substr(1, close - 1);
  at = trial;
  return true;
}

Level letter_level(char letter) {
  switch (letter) {
    case 'E':
      return Level::error;
    case 'W':
      return Level::warn;
    case 'I':
      return Level::info;
    case 'D':
      return Level::debug;
    case 'V':
      return Level::trace;
    default:
      return Level::none;
  }
}

// ESP-IDF: `E (12345) tag: message`, milliseconds since boot.
bool eat_idf_prefix(Cursor& at, LogLine& line) {
  Cursor trial = at;
  const Level level = trial.at_end() ? Level::none : letter_level(trial.rest().front());
  if (level == Level::none) return false;
  trial.skip(1);
  if (!trial.eat(" (")) return false;
  const auto ms = trial.integer();
  if (!ms || *ms < 0 || !trial.eat(") ")) return false;
  const auto tag = trial.until(": ");
  if (!tag || tag->find(' ') != std::string_view::npos) return false;
  line.level = level;
  line.uptime = std::chrono::milliseconds{*ms};
  line.thread = *tag;
  at = trial;
  return true;
}

// Arduino core: `[ 53100][E][WiFiSTA.cpp:353] function(): message`.
bool eat_arduino_prefix(Cursor& at, LogLine& line) {
  Cursor trial = at;
  if (!trial.eat("[")) return false;
  trial.skip_spaces();
  const auto ms = trial.integer();
  if (!ms || *ms < 0 || !trial.eat("][") || trial.at_end()) return false;
  const Level level = letter_level(trial.rest().front());
  trial.skip(1);
  if (level == Level::none || !trial.eat("][") || !trial.until("] ")) return false;
  line.level = level;
  line.uptime = std::chrono::milliseconds{*ms};
  at = trial;
  return true;
}

// `LEVEL | CLOCK UPTIME [Thread] [heap N] `, or without a level as before 2.0.11. Returns whether the line is
// one of a build with millisecond uptimes, whose print buffer is larger.
bool eat_firmware_prefix(Cursor& at, LogLine& line) {
  Cursor trial = at;
  line.level = eat_level(trial);
  const bool has_clock = eat_clock(trial, line.clock);
  std::optional<Uptime> uptime;
  if (has_clock) uptime = eat_uptime(trial);
  if (uptime) line.uptime = uptime->value;
  const bool has_thread = has_clock && eat_thread(trial, line.thread);
  if (line.level == Level::none && !uptime && !has_thread) {
    line.clock.clear();
    trial = at;
  }
  eat_heap_prefix(trial, line);
  at = trial;
  return uptime && uptime->has_decimals;
}

// Without colour codes, NUL and the line end.
std::string cleaned(std::string_view text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == '\n')) text.remove_suffix(1);
  const auto is_code = [](char c) { return c == '\x1b' || c == '\0'; };
  if (std::none_of(text.begin(), text.end(), is_code)) return std::string{text};
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\x1b') {
      at += escape_length(text.substr(at));
    } else {
      if (text[at] != '\0') out.push_back(text[at]);
      ++at;
    }
  }
  while (!out.empty() && out.back() == '\r') out.pop_back();
  return out;
}

}  // namespace

std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[1] != '[') return 1;
  std::size_t at = 2;
  while (at < text.size() && (is_digit(text[at]) || text[at] == ';')) ++at;
  return std::min(at + 1, text.size());
}

std::string_view word(Level level) {
  for (const LevelWord& known : level_words) {
    if (known.level == level) return known.word;
  }
  return {};
}

std::optional<Level> level(std::string_view word) {
  std::string upper{word};
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  for (const LevelWord& known : level_words) {
    if (known.word == upper) return known.level;
  }
  return std::nullopt;
}

LogLine parse_text_line(std::string_view text, bool complete) {
  LogLine line;
  line.text = cleaned(text);
  Cursor at{line.text, !complete};
  const bool large_buffer = eat_firmware_prefix(at, line);
  const bool has_prefix = line.level != Level::none || !line.clock.empty();
  if (!has_prefix && !line.has_heap_prefix && !eat_idf_prefix(at, line)) eat_arduino_prefix(at, line);
  line.message_at = line.text.size() - at.rest().size();
  const std::size_t filled = large_buffer ? large_text_body_cut_bytes : text_body_cut_bytes;
  line.cut = !complete || (has_prefix && at.rest().size() >= filled);
  read_body(line);
  return line;
}

LogLine parse_record_body(std::string_view message, Level level, std::string_view source) {
  LogLine line;
  line.text = cleaned(message);
  line.level = level;
  line.thread = source;
  line.cut = line.text.size() >= record_body_cut_bytes;
  read_body(line);
  return line;
}

HeapReadings heap_readings(const LogLine& line) {
  HeapReadings readings;
  if (line.heap_free_bytes) readings.add({line.heap_source, *line.heap_free_bytes});
  if (line.heap_event) readings.add({SampleSource::thread_event, line.heap_event->after_bytes});
  const bool told_already = line.heap_free_bytes && line.heap_source == SampleSource::alloc_line;
  if (line.alloc && line.alloc->free_bytes && !told_already)
    readings.add({SampleSource::alloc_line, *line.alloc->free_bytes});
  return readings;
}

}  // namespace leakhunt::proto
