// Hand-written scanners for time stamps: they run on every line of a log.
#include "recorder/stamps.h"

#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace leakhunt::recorder {
namespace {

bool digit(char c) {
  return c >= '0' && c <= '9';
}

// A place in a text; every take_* either moves on or leaves the place as it was.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[nodiscard]] std::string_view rest() const { return text_; }
  [[nodiscard]] bool at_end() const { return text_.empty(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const { return ahead < text_.size() ? text_[ahead] : '\0'; }
  void skip(std::size_t n) { text_.remove_prefix(n < text_.size() ? n : text_.size()); }

  bool take(char c) {
    if (peek() != c) {
      return false;
    }
    skip(1);
    return true;
  }
  bool take_any(std::string_view of) {
    if (at_end() || of.find(peek()) == std::string_view::npos) {
      return false;
    }
    skip(1);
    return true;
  }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t') {
      skip(1);
    }
  }
  // Exactly `width` digits.
  std::optional<int> fixed(std::size_t width) {
    int value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (!digit(peek(i))) {
        return std::nullopt;
      }
      value = value * 10 + (peek(i) - '0');
    }
    skip(width);
    return value;
  }
  // At least `least` digits and at most 15.
  std::optional<double> integer(std::size_t least) {
    std::size_t width = 0;
    while (digit(peek(width))) {
      ++width;
    }
    if (width < least || width > 15) {
      return std::nullopt;
    }
    std::uint64_t value = 0;
    std::from_chars(text_.data(), text_.data() + width, value);
    skip(width);
    return static_cast<double>(value);
  }
  // `.123` or `,123`; 0 where there is none.
  double fraction() {
    if ((peek() != '.' && peek() != ',') || !digit(peek(1))) {
      return 0;
    }
    skip(1);
    double value = 0;
    for (double scale = 0.1; digit(peek()); scale *= 0.1) {
      value += scale * (peek() - '0');
      skip(1);
    }
    return value;
  }

 private:
  std::string_view text_;
};

std::optional<double> days_since_1970(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) {
    return std::nullopt;
  }
  return static_cast<double>(std::chrono::sys_days{date}.time_since_epoch().count());
}

// HH:MM:SS[.fff], or HH:MM where `short_form` is allowed.
std::optional<double> take_clock(Scanner& in, bool short_form) {
  Scanner at = in;
  const auto hour = at.fixed(2);
  if (!hour || !at.take(':')) {
    return std::nullopt;
  }
  const auto minute = at.fixed(2);
  if (!minute || *hour > 23 || *minute > 59) {
    return std::nullopt;
  }
  double seconds = *hour * 3600.0 + *minute * 60.0;
  if (at.peek() == ':') {
    at.skip(1);
    const auto second = at.fixed(2);
    if (!second || *second > 60) {
      return std::nullopt;
    }
    seconds += *second;
    seconds += at.fraction();
  } else if (!short_form) {
    return std::nullopt;
  }
  if (digit(at.peek())) {
    return std::nullopt;
  }
  in = at;
  return seconds;
}

// Z, +01:00, +0100, +01; 0 where there is none.
double take_zone(Scanner& in) {
  if (in.take('Z')) {
    return 0;
  }
  Scanner at = in;
  const double sign = at.peek() == '-' ? -1 : 1;
  if (!at.take_any("+-")) {
    return 0;
  }
  const auto hours = at.fixed(2);
  if (!hours) {
    return 0;
  }
  at.take(':');
  const auto minutes = at.fixed(2);
  in = at;
  return sign * (*hours * 3600.0 + minutes.value_or(0) * 60.0);
}

std::optional<double> take_iso(Scanner& in) {
  Scanner at = in;
  const auto year = at.fixed(4);
  const char separator = at.peek();
  if (!year || !at.take_any("-/.")) {
    return std::nullopt;
  }
  const auto month = at.fixed(2);
  if (!month || !at.take(separator)) {
    return std::nullopt;
  }
  const auto day = at.fixed(2);
  const auto days = day ? days_since_1970(*year, *month, *day) : std::nullopt;
  if (!days) {
    return std::nullopt;
  }
  double seconds = *days * 86400;
  Scanner behind_date = at;
  if (at.take_any("T _-,;")) {
    at.skip_spaces();
    if (const auto clock = take_clock(at, true)) {
      seconds += *clock;
      seconds -= take_zone(at);
      in = at;
      return seconds;
    }
  }
  in = behind_date;
  return seconds;
}

// `Oct 27 02:20:14`, with the year behind it or none.
std::optional<double> take_syslog(Scanner& in) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (in.rest().size() < 15) {
    return std::nullopt;
  }
  const auto at_month = kMonths.find(in.rest().substr(0, 3));
  if (at_month == std::string_view::npos || at_month % 3 != 0 || in.peek(3) != ' ') {
    return std::nullopt;
  }
  Scanner at = in;
  at.skip(4);
  at.skip_spaces();
  const auto day = at.integer(1);
  if (!day || *day > 31 || !at.take(' ')) {
    return std::nullopt;
  }
  const auto clock = take_clock(at, false);
  const auto days = days_since_1970(2000, static_cast<int>(at_month / 3) + 1, static_cast<int>(*day));
  if (!clock || !days) {
    return std::nullopt;
  }
  in = at;
  return *days * 86400 + *clock;
}

// Behind a syslog stamp: `host prog[pid]: ` or `prog: `.
void skip_syslog_origin(Scanner& in) {
  Scanner at = in;
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

std::optional<double> take_epoch(Scanner& in) {
  Scanner at = in;
  const auto number = at.integer(10);
  if (!number) {
    return std::nullopt;
  }
  const double seconds = *number < 1e11 ? *number + at.fraction() : *number / 1e3;
  const bool plausible = seconds > 1e9 && seconds < 4.2e9 && *number < 1e14;
  const char next = at.peek();
  if (!plausible ||
      (next != ' ' && next != '\t' && next != ',' && next != ';' && next != ']' && next != ':')) {
    return std::nullopt;
  }
  in = at;
  return seconds;
}

// `I (1234) `: ESP-IDF, milliseconds.
std::optional<double> take_esp_idf(Scanner& in) {
  Scanner at = in;
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
std::optional<double> take_bracketed(Scanner& in) {
  Scanner at = in;
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
std::optional<double> take_bare_ms(Scanner& in) {
  Scanner at = in;
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

bool take_one(Scanner& in, LineStamps& stamps) {
  Scanner at = in;
  if (!stamps.uptime_s) {
    const auto bracketed = take_bracketed(at);
    const auto uptime = bracketed ? bracketed : take_esp_idf(at);
    if (uptime) {
      stamps.uptime_s = uptime;
      stamps.uptime_form = bracketed ? UptimeForm::bracketed : UptimeForm::esp_idf;
      in = at;
      return true;
    }
  }
  if (!stamps.utc_s && !stamps.clock_s) {
    at.take_any("[(<");
    auto utc = take_iso(at);
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
  Scanner in(line);
  in.skip_spaces();
  for (int taken = 0; taken < 3 && take_one(in, stamps); ++taken) {
    in.take_any(")]>");
    in.skip_spaces();
    if (in.rest().starts_with("->")) {
      in.skip(2);
    } else {
      in.take_any(";,");
    }
    in.skip_spaces();
  }
  stamps.rest = in.rest();
  return stamps;
}

std::optional<double> parse_date_time(std::string_view text) {
  Scanner in(text);
  const auto utc = take_iso(in);
  return in.at_end() ? utc : std::nullopt;
}

std::optional<double> parse_clock(std::string_view text) {
  Scanner in(text);
  const auto clock = take_clock(in, true);
  return in.at_end() ? clock : std::nullopt;
}

}  // namespace leakhunt::recorder
