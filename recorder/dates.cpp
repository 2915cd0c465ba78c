// Hand-written scanners for dates and clocks: they run on every line of a log.
#include "recorder/dates.h"

#include <cctype>
#include <chrono>

namespace leakhunt::recorder {
namespace {

std::optional<double> days_since_1970(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) {
    return std::nullopt;
  }
  return static_cast<double>(std::chrono::sys_days{date}.time_since_epoch().count());
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// `AM`, `pm`, `a.m.`, with or without a blank before it; nothing is taken where there is none.
std::optional<bool> take_half_of_day(StampScanner& in) {
  StampScanner at = in;
  at.take(' ');
  const char half = lower(at.peek());
  if (half != 'a' && half != 'p') {
    return std::nullopt;
  }
  at.skip(1);
  at.take('.');
  if (lower(at.peek()) != 'm') {
    return std::nullopt;
  }
  at.skip(1);
  at.take('.');
  if (std::isalnum(static_cast<unsigned char>(at.peek())) != 0) {
    return std::nullopt;
  }
  in = at;
  return half == 'p';
}

// Two digits, or one where a 12-hour clock drops the leading zero.
std::optional<int> take_hour(StampScanner& at) {
  if (is_digit(at.peek()) && at.peek(1) == ':') {
    return at.fixed(1);
  }
  return at.fixed(2);
}

}  // namespace

std::optional<double> take_clock(StampScanner& in, bool short_form) {
  StampScanner at = in;
  const bool one_digit = at.peek(1) == ':';
  auto hour = take_hour(at);
  if (!hour || !at.take(':')) {
    return std::nullopt;
  }
  const auto minute = at.fixed(2);
  if (!minute || *hour > 23 || *minute > 59) {
    return std::nullopt;
  }
  int seconds = *minute * 60;
  double fraction = 0;
  const bool whole = at.peek() == ':';
  if (whole) {
    at.skip(1);
    const auto second = at.fixed(2);
    if (!second || *second > 60) {
      return std::nullopt;
    }
    seconds += *second;
    fraction = at.fraction();
  }
  if (is_digit(at.peek())) {
    return std::nullopt;
  }
  if (const auto after_noon = *hour <= 12 ? take_half_of_day(at) : std::nullopt) {
    hour = *hour % 12 + (*after_noon ? 12 : 0);
  } else if (one_digit || (!whole && !short_form)) {
    return std::nullopt;
  }
  in = at;
  return *hour * 3600 + seconds + fraction;
}

namespace {

// Z, +01:00, +0100, +01; 0 where there is none.
double take_zone(StampScanner& in) {
  if (in.take('Z')) {
    return 0;
  }
  StampScanner at = in;
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

// Days since 1970 of `2026-03-02`, `2026/03/02`.
std::optional<double> take_year_first(StampScanner& at) {
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
  return day ? days_since_1970(*year, *month, *day) : std::nullopt;
}

// Days since 1970 of `02.03.2026` (the day first) and `03/02/2026` (the month first, unless it can be none).
std::optional<double> take_year_last(StampScanner& at) {
  const auto first = is_digit(at.peek(1)) ? at.fixed(2) : at.fixed(1);
  const char separator = at.peek();
  if (!first || !at.take_any("./-")) {
    return std::nullopt;
  }
  const auto second = is_digit(at.peek(1)) ? at.fixed(2) : at.fixed(1);
  if (!second || !at.take(separator)) {
    return std::nullopt;
  }
  const auto year = at.fixed(4);
  if (!year || *year < 1990 || is_digit(at.peek())) {
    return std::nullopt;
  }
  const bool month_first = separator == '/' && *first <= 12;
  return month_first ? days_since_1970(*year, *first, *second) : days_since_1970(*year, *second, *first);
}

constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";

// 1 to 12 of a month's English name, short or whole.
std::optional<int> take_month(StampScanner& in) {
  const auto at_month = kMonths.find(in.rest().substr(0, 3));
  if (in.rest().size() < 3 || at_month == std::string_view::npos || at_month % 3 != 0) {
    return std::nullopt;
  }
  in.skip(3);
  while (std::isalpha(static_cast<unsigned char>(in.peek())) != 0) {
    in.skip(1);
  }
  return static_cast<int>(at_month / 3) + 1;
}

// `20260302-100000`, `20260302T100000Z`.
std::optional<double> take_compact(StampScanner& in) {
  StampScanner at = in;
  const auto year = at.fixed(4);
  const auto month = year ? at.fixed(2) : std::nullopt;
  const auto day = month ? at.fixed(2) : std::nullopt;
  if (!day || *year < 1990 || !at.take_any("-_T")) {
    return std::nullopt;
  }
  const auto hour = at.fixed(2);
  const auto minute = hour ? at.fixed(2) : std::nullopt;
  const auto second = minute ? at.fixed(2) : std::nullopt;
  const auto days = days_since_1970(*year, *month, *day);
  if (!second || !days || *hour > 23 || *minute > 59 || *second > 60 || is_digit(at.peek())) {
    return std::nullopt;
  }
  at.take('Z');
  in = at;
  return *days * 86400 + *hour * 3600 + *minute * 60 + *second;
}

// `02/Mar/2026:10:00:01 +0000`.
std::optional<double> take_apache(StampScanner& in) {
  StampScanner at = in;
  const auto day = at.fixed(2);
  if (!day || !at.take('/')) {
    return std::nullopt;
  }
  const auto month = take_month(at);
  if (!month || !at.take('/')) {
    return std::nullopt;
  }
  const auto year = at.fixed(4);
  const auto clock = year && at.take(':') ? take_clock(at, false) : std::nullopt;
  const auto days = clock ? days_since_1970(*year, *month, *day) : std::nullopt;
  if (!days) {
    return std::nullopt;
  }
  at.take(' ');
  const double zone = take_zone(at);
  in = at;
  return *days * 86400 + *clock - zone;
}

}  // namespace

std::optional<double> take_date(StampScanner& in) {
  if (const auto compact = take_compact(in)) {
    return compact;
  }
  if (const auto apache = take_apache(in)) {
    return apache;
  }
  StampScanner at = in;
  auto days = take_year_first(at);
  if (!days) {
    at = in;
    days = take_year_last(at);
  }
  if (!days) {
    return std::nullopt;
  }
  double seconds = *days * 86400;
  StampScanner behind_date = at;
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

namespace {

bool take_weekday(StampScanner& in) {
  constexpr std::string_view kDays = "MonTueWedThuFriSatSun";
  const auto at_day = kDays.find(in.rest().substr(0, 3));
  if (in.rest().size() < 3 || at_day == std::string_view::npos || at_day % 3 != 0) {
    return false;
  }
  StampScanner at = in;
  at.skip(3);
  while (std::isalpha(static_cast<unsigned char>(at.peek())) != 0) {
    at.skip(1);
  }
  at.take(',');
  if (at.peek() != ' ') {
    return false;
  }
  at.skip_spaces();
  in = at;
  return true;
}

// Behind the clock of `date`: the zone's name, then the year.
std::optional<int> take_zone_name_and_year(StampScanner& in) {
  StampScanner at = in;
  at.skip_spaces();
  if (std::isalpha(static_cast<unsigned char>(at.peek())) != 0) {
    while (std::isalpha(static_cast<unsigned char>(at.peek())) != 0) {
      at.skip(1);
    }
    at.skip_spaces();
  }
  const auto year = at.fixed(4);
  if (!year || *year < 1990 || is_digit(at.peek())) {
    return std::nullopt;
  }
  in = at;
  return year;
}

}  // namespace

std::optional<double> take_written_date(StampScanner& in) {
  StampScanner at = in;
  if (!take_weekday(at)) {
    return std::nullopt;
  }
  std::optional<double> day;
  auto month = take_month(at);
  at.skip_spaces();
  day = at.integer(1);
  at.take(',');
  at.skip_spaces();
  if (!month) {
    month = take_month(at);
    at.skip_spaces();
  }
  if (!month || !day || *day > 31) {
    return std::nullopt;
  }
  auto year = at.peek(2) == ':' || at.peek(1) == ':' ? std::optional<int>() : at.fixed(4);
  at.skip_spaces();
  const auto clock = take_clock(at, true);
  if (!clock) {
    return std::nullopt;
  }
  double zone = 0;
  if (!year) {
    year = take_zone_name_and_year(at);
  } else {
    at.take(' ');
    zone = take_zone(at);
  }
  const auto days = days_since_1970(year.value_or(2000), *month, static_cast<int>(*day));
  if (!days) {
    return std::nullopt;
  }
  in = at;
  return *days * 86400 + *clock - zone;
}

namespace {}  // namespace

std::optional<double> take_syslog(StampScanner& in) {
  if (in.rest().size() < 15) {
    return std::nullopt;
  }
  const auto at_month = kMonths.find(in.rest().substr(0, 3));
  if (at_month == std::string_view::npos || at_month % 3 != 0 || in.peek(3) != ' ') {
    return std::nullopt;
  }
  StampScanner at = in;
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

}  // namespace leakhunt::recorder
