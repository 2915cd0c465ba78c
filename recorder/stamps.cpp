// Hand-written scanners for time stamps: they run on every line of a log.
#include "recorder/stamps.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "recorder/dates.h"

namespace leakhunt::recorder {
namespace {

// Behind a syslog stamp: `host prog[pid]: ` or `prog: `.
void skip_syslog_origin(StampScanner& in) {
  StampScanner at = in;
  for (int words = 0; words < 2; ++words) {
    at.skip_spaces();
    while (!at.at_end() && at.peek() != ' ' && at.peek() != ':') {
      at.skip(1);
    }
    if (at.peek() == ':') {
      at.skip(1);
      at.skip_spaces();
      in = at;
      return;
    }
  }
}

std::optional<double> take_epoch(StampScanner& in) {
  StampScanner at = in;
  const auto number = at.integer(10);
  if (!number) {
    return std::nullopt;
  }
  const double seconds = *number < 1e11 ? *number + at.fraction() : *number / 1e3;
  const bool plausible = seconds > 1e9 && seconds < 4.2e9 && *number < 1e14;
  const char next = at.peek();
  if (!plausible || (next != '\0' && next != ' ' && next != '\t' && next != ',' && next != ';' &&
                     next != ']' && next != ':')) {
    return std::nullopt;
  }
  in = at;
  return seconds;
}

// `I (1234) `: ESP-IDF, milliseconds.
std::optional<double> take_esp_idf(StampScanner& in) {
  StampScanner at = in;
  if (!at.take_any("IWEDV") || !at.take(' ') || !at.take('(')) {
    return std::nullopt;
  }
  const auto ms = at.integer(1);
  if (!ms || !at.take(')')) {
    return std::nullopt;
  }
  in = at;
  return *ms / 1e3;
}

// `[  1234][D]` (Arduino core, milliseconds) and `[ 1234.567890]` (kernel, seconds).
std::optional<double> take_bracketed(StampScanner& in) {
  StampScanner at = in;
  if (!at.take('[')) {
    return std::nullopt;
  }
  at.skip_spaces();
  const auto whole = at.integer(1);
  if (!whole) {
    return std::nullopt;
  }
  if (at.peek() == '.') {
    const double seconds = *whole + at.fraction();
    if (!(at.take('s'), at.take(']'))) {
      return std::nullopt;
    }
    in = at;
    return seconds;
  }
  if (!at.take(']') || at.peek() != '[') {
    return std::nullopt;
  }
  in = at;
  return *whole / 1e3;
}

// `1266608: text`, `6555 : text`, `21342298   DEBUG text`: milliseconds.
std::optional<double> take_bare_ms(StampScanner& in) {
  StampScanner at = in;
  const auto ms = at.integer(3);
  if (!ms || *ms > 4294967295.0) {
    return std::nullopt;
  }
  const bool spaced = at.peek() == ' ';
  at.skip_spaces();
  if (at.take(':') && at.peek() == ' ') {
    in = at;
    return *ms / 1e3;
  }
  constexpr std::array<std::string_view, 8> kLevels = {"DEBUG ", "INFO ",  "WARN ",    "WARNING ",
                                                       "ERROR ", "TRACE ", "VERBOSE ", "FATAL "};
  for (const auto level : kLevels) {
    if (spaced && at.rest().starts_with(level)) {
      in = at;
      return *ms / 1e3;
    }
  }
  return std::nullopt;
}

// `<134>1 - node THREAD - - - BOM[812]: `, as the firmware sends its log to a syslog server: seconds since
// boot.
std::optional<double> take_syslog_frame(StampScanner& in) {
  StampScanner at = in;
  if (!at.take('<') || !at.integer(1) || !at.take('>') || !at.take('1') || !at.take(' ')) {
    return std::nullopt;
  }
  for (int field = 0; field < 6; ++field) {
    while (!at.at_end() && at.peek() != ' ') {
      at.skip(1);
    }
    at.take(' ');
  }
  if (at.rest().starts_with("\xEF\xBB\xBF")) {
    at.skip(3);
  }
  at.skip_spaces();
  const auto uptime = at.take('[') ? at.integer(1) : std::nullopt;
  if (!uptime || !at.take(']') || !at.take(':')) {
    return std::nullopt;
  }
  in = at;
  return uptime;
}

// Behind any other date: `host prog[pid]: `, as a journal writes it.
void skip_journal_origin(StampScanner& in) {
  StampScanner at = in;
  at.skip_spaces();
  while (!at.at_end() && at.peek() != ' ' && at.peek() != '[') {
    at.skip(1);
  }
  if (!at.take(' ')) {
    return;
  }
  while (!at.at_end() && at.peek() != ' ' && at.peek() != '[') {
    at.skip(1);
  }
  if (at.take('[') && at.integer(1) && at.take(']') && at.take(':')) {
    in = at;
  }
}

bool take_one(StampScanner& in, LineStamps& stamps) {
  StampScanner at = in;
  if (!stamps.uptime_s) {
    const auto bracketed = take_bracketed(at);
    const auto framed = bracketed ? std::nullopt : take_syslog_frame(at);
    const auto uptime = bracketed ? bracketed : framed ? framed : take_esp_idf(at);
    if (uptime) {
      stamps.uptime_s = uptime;
      stamps.uptime_form = bracketed || framed ? UptimeForm::bracketed : UptimeForm::esp_idf;
      in = at;
      return true;
    }
  }
  if (!stamps.utc_s && !stamps.clock_s) {
    at.take_any("[(<");
    auto utc = take_date(at);
    if (utc) {
      skip_journal_origin(at);
    } else {
      utc = take_written_date(at);
    }
    if (!utc) {
      utc = take_syslog(at);
      if (utc) {
        skip_syslog_origin(at);
      }
    }
    if (!utc) {
      utc = take_epoch(at);
    }
    if (utc) {
      stamps.utc_s = utc;
      in = at;
      return true;
    }
    if (const auto clock = take_clock(at, false)) {
      stamps.clock_s = clock;
      in = at;
      return true;
    }
  }
  at = in;
  if (!stamps.uptime_s && !stamps.clock_s) {
    if (const auto uptime = take_bare_ms(at)) {
      stamps.uptime_s = uptime;
      stamps.uptime_form = UptimeForm::bare;
      in = at;
      return true;
    }
  }
  return false;
}

}  // namespace

LineStamps take_stamps(std::string_view line) {
  LineStamps stamps;
  StampScanner in(line);
  in.skip_spaces();
  // A rule or quote mark in front, as in `=== Mon Mar  2 10:00:00 UTC 2026` and `> [10:00:00]`.
  StampScanner behind_marks = in;
  while (behind_marks.take_any("=->#*")) {
  }
  if (behind_marks.peek() == ' ') {
    behind_marks.skip_spaces();
    in = behind_marks;
  }
  int taken = 0;
  for (; taken < 3 && take_one(in, stamps); ++taken) {
    in.take_any(")]>");
    in.skip_spaces();
    if (in.rest().starts_with("->")) {
      in.skip(2);
    } else {
      in.take_any(";,");
    }
    in.skip_spaces();
  }
  stamps.rest = taken > 0 ? in.rest() : line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  return stamps;
}

std::optional<double> parse_date_time(std::string_view text) {
  StampScanner in(text);
  auto utc = take_date(in);
  if (!utc) {
    utc = take_written_date(in);
  }
  return in.at_end() ? utc : std::nullopt;
}

std::optional<double> parse_clock(std::string_view text) {
  StampScanner in(text);
  const auto clock = take_clock(in, true);
  return in.at_end() ? clock : std::nullopt;
}

}  // namespace leakhunt::recorder
