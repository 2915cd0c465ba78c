// Parses times and windows. See times.h for the forms.
#include "answer/times.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <utility>

namespace leakhunt::answer {
namespace {

constexpr std::string_view kTimeForms =
    "a time is now, -15m (units s m h d w), epoch seconds, or ISO 8601 such as 2026-01-31T08:00";
constexpr std::string_view kWindowForms =
    "a window is 30m, 6h, -3d (units s m h d w), a number of seconds, all, or START..END";
constexpr double kMillisecondsFrom = 1e11;
constexpr double kLongestLength_s = 1e10;

Error refused(std::string_view what, std::string_view text, std::string_view why, std::string_view forms) {
  return {ErrorCode::usage, std::string{what} + " \"" + std::string{text} + "\": " + std::string{why}, "",
          std::string{forms}};
}

Error wrong_time(std::string_view text, std::string_view why) {
  return refused("time", text, why, kTimeForms);
}
Error wrong_window(std::string_view text, std::string_view why) {
  return refused("window", text, why, kWindowForms);
}

// The whole of `text` as a plain decimal number (digits and at most one point, no sign, no exponent).
std::optional<double> plain_number(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) {
    return std::nullopt;
  }
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> unit_seconds(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 86400;
    case 'w':
      return 604800;
    default:
      return std::nullopt;
  }
}

// A number with a unit; `why` says what is wrong with it.
struct Length {
  std::optional<double> seconds;
  std::string why;
};

Length length_with_unit(std::string_view text) {
  if (text.empty()) {
    return {std::nullopt, "is empty"};
  }
  const std::size_t digits = text.find_first_not_of("0123456789.");
  const std::string_view number = text.substr(0, digits);
  const std::string_view unit = digits == std::string_view::npos ? "" : text.substr(digits);
  const auto value = plain_number(number);
  if (!value) {
    return {std::nullopt, "is not understood"};
  }
  if (unit.empty()) {
    return {std::nullopt, "has no unit"};
  }
  const auto factor = unit.size() == 1 ? unit_seconds(unit[0]) : std::nullopt;
  if (!factor) {
    return {std::nullopt, "unknown unit \"" + std::string{unit} + "\""};
  }
  if (*value * *factor > kLongestLength_s) {
    return {std::nullopt, "is longer than any record"};
  }
  return {*value * *factor, ""};
}

// Reads ISO 8601 piece by piece; ok() is false once something did not fit.
class IsoReader {
 public:
  explicit IsoReader(std::string_view text) : rest_(text) {}

  int digits(std::size_t count) {
    int value = 0;
    if (rest_.size() < count || rest_.substr(0, count).find_first_not_of("0123456789") != rest_.npos) {
      ok_ = false;
      return 0;
    }
    std::from_chars(rest_.data(), rest_.data() + count, value);
    rest_.remove_prefix(count);
    return value;
  }
  bool take(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_[0]) == any_of.npos) {
      return false;
    }
    taken_ = rest_[0];
    rest_.remove_prefix(1);
    return true;
  }
  void expect(std::string_view any_of) { ok_ = take(any_of) && ok_; }
  // The digits of a fraction of a second, in microseconds; further digits are cut.
  std::int64_t fraction_us() {
    const std::size_t end = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    ok_ = ok_ && end > 0;
    std::int64_t value = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      value = value * 10 + (i < end ? rest_[i] - '0' : 0);
    }
    rest_.remove_prefix(end);
    return value;
  }
  [[nodiscard]] char taken() const { return taken_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool ok() const { return ok_; }
  void require(bool condition) { ok_ = ok_ && condition; }

 private:
  std::string_view rest_;
  char taken_ = 0;
  bool ok_ = true;
};

int days_in_month(int year, int month) {
  static constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

// Seconds east of UTC, or nothing for local time.
std::optional<int> read_offset(IsoReader& iso) {
  if (iso.at_end()) {
    return std::nullopt;
  }
  iso.expect("Zz+-");
  const char sign = iso.taken();
  if (!iso.ok() || sign == 'Z' || sign == 'z') {
    return 0;
  }
  const int hours = iso.digits(2);
  iso.take(":");
  const int minutes = iso.at_end() ? 0 : iso.digits(2);
  iso.require(hours < 24 && minutes < 60);
  return (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

std::optional<Utc> parse_iso(std::string_view text) {
  IsoReader iso{text};
  std::tm tm{};
  const int year = iso.digits(4);
  iso.expect("-");
  const int month = iso.digits(2);
  iso.expect("-");
  tm.tm_mday = iso.digits(2);
  iso.require(month >= 1 && month <= 12);
  iso.require(iso.ok() && year >= 1970 && tm.tm_mday >= 1 && tm.tm_mday <= days_in_month(year, month));
  std::int64_t fraction_us = 0;
  std::optional<int> offset_s;
  if (!iso.at_end()) {
    iso.expect("T t");
    tm.tm_hour = iso.digits(2);
    iso.expect(":");
    tm.tm_min = iso.digits(2);
    if (iso.take(":")) {
      tm.tm_sec = iso.digits(2);
      if (iso.take(".,")) {
        fraction_us = iso.fraction_us();
      }
    }
    iso.require(tm.tm_hour < 24 && tm.tm_min < 60 && tm.tm_sec < 61);
    offset_s = read_offset(iso);
  }
  if (!iso.ok() || !iso.at_end()) {
    return std::nullopt;
  }
  tm.tm_year = year - 1900;
  tm.tm_mon = month - 1;
  tm.tm_isdst = -1;
  const std::int64_t seconds = offset_s ? timegm(&tm) - *offset_s : mktime(&tm);
  return Utc{seconds * 1'000'000 + fraction_us};
}

}  // namespace

Result<Utc> parse_time(std::string_view text, Utc now) {
  if (text == "now") {
    return now;
  }
  if (text.starts_with('-')) {
    const Length length = length_with_unit(text.substr(1));
    if (!length.seconds) {
      return wrong_time(text, length.why);
    }
    return now - from_seconds(*length.seconds);
  }
  if (const auto number = plain_number(text)) {
    if (*number >= kMillisecondsFrom) {
      return wrong_time(text, "looks like milliseconds or finer; epoch times are in seconds");
    }
    return utc_from_seconds(*number);
  }
  if (const auto iso = parse_iso(text)) {
    return *iso;
  }
  if (length_with_unit(text).seconds) {
    return wrong_time(text, "is a length, not a time; write -" + std::string{text} + " for that long ago");
  }
  return wrong_time(text, "is not understood");
}

Result<Duration> parse_length(std::string_view text) {
  const std::string_view bare = text.starts_with('-') ? text.substr(1) : text;
  double length_s = 0;
  if (const auto number = plain_number(bare)) {
    if (*number > kLongestLength_s) {
      return wrong_window(text, "is longer than any record; a bare number is seconds");
    }
    length_s = *number;
  } else {
    const Length length = length_with_unit(bare);
    if (!length.seconds) {
      return wrong_window(text, length.why);
    }
    length_s = *length.seconds;
  }
  const Duration length = from_seconds(length_s);
  if (length <= Duration::zero()) {
    return wrong_window(text, "is zero long");
  }
  return length;
}

std::string length_words(Duration length) {
  static constexpr std::array<std::pair<std::int64_t, const char*>, 4> kUnits{
      {{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}}};
  std::int64_t rest_s = (length.count() + 500'000) / 1'000'000;
  std::string words;
  for (const auto& [size_s, unit] : kUnits) {
    if (rest_s >= size_s) {
      words += (words.empty() ? "" : " ") + std::to_string(rest_s / size_s) + unit;
      rest_s %= size_s;
    }
  }
  return words.empty() ? "0s" : words;
}

namespace {

Result<storage::Window> span_between(std::string_view start_text, std::string_view end_text, Utc now,
                                     Duration default_length) {
  const auto end = parse_time(end_text.empty() ? "now" : end_text, now);
  if (!end) {
    return end.error();
  }
  if (start_text.empty()) {
    return storage::Window{*end - default_length, *end};
  }
  const auto start = parse_time(start_text, now);
  if (!start) {
    return start.error();
  }
  const std::string words =
      std::string{start_text} + ".." + (end_text.empty() ? "now" : std::string{end_text});
  if (*start > *end) {
    return wrong_window(words, "starts after its end");
  }
  if (*start == *end) {
    return wrong_window(words, "is zero long");
  }
  return storage::Window{*start, *end};
}

ParsedWindow made_of(storage::Window span, std::string asked) {
  return {span, false, std::move(asked)};
}

}  // namespace

Result<ParsedWindow> parse_window(const WindowWords& words, Utc now, Duration default_length) {
  const bool has_ends = !words.start.empty() || !words.end.empty();
  if (!words.window.empty() && has_ends) {
    return wrong_window(words.window, "cannot stand beside a start or an end");
  }
  if (has_ends) {
    const auto span = span_between(words.start, words.end, now, default_length);
    if (!span) {
      return span.error();
    }
    return made_of(*span, words.start + ".." + (words.end.empty() ? "now" : words.end));
  }
  if (words.window.empty()) {
    return ParsedWindow{std::nullopt, true, "default"};
  }
  if (words.window == "all") {
    return ParsedWindow{std::nullopt, false, "all"};
  }
  if (const std::size_t dots = words.window.find(".."); dots != std::string::npos) {
    const std::string start = words.window.substr(0, dots);
    const std::string end = words.window.substr(dots + 2);
    if (start.empty() || end.empty()) {
      return wrong_window(words.window, "needs a time on both sides of ..");
    }
    const auto span = span_between(start, end, now, default_length);
    if (!span) {
      return span.error();
    }
    return made_of(*span, words.window);
  }
  const auto length = parse_length(words.window);
  if (!length) {
    return length.error();
  }
  return made_of({now - *length, now}, words.window);
}

}  // namespace leakhunt::answer
