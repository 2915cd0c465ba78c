// Time stamps in front of log lines and in cells: the host's date and time, a clock without a date, time
// since boot. Knows nothing of what follows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace leakhunt::recorder {

// Whose clock an uptime stamp is: two forms in one file may differ by seconds.
enum class UptimeForm : std::uint8_t { none, esp_idf, bracketed, bare };

// What stands in front of a line. A stamp without zone counts as UTC, one without year as of 2000.
struct LineStamps {
  std::optional<double> utc_s;    // with a date: seconds since 1970
  std::optional<double> clock_s;  // seconds since midnight, no date
  std::optional<double>
      uptime_s;  // seconds since boot (`I (1234) tag:`, `[ 1234][D]`, `[  12.345678]`, `1234: `)
  UptimeForm uptime_form = UptimeForm::none;
  std::string_view rest;  // the line behind its stamps
};

// Reads every stamp in front of `line`; `[`, `>`, `->` and the like around them are skipped with them.
[[nodiscard]] LineStamps take_stamps(std::string_view line);

// A whole cell that is a time: ISO 8601 (`T` or space, zone or none), `YYYY/MM/DD ...`, `DD.MM.YYYY ...`,
// `MM/DD/YYYY ...` (the day first where the first number can be no month), what `date` prints: seconds since
// 1970.
[[nodiscard]] std::optional<double> parse_date_time(std::string_view text);
// `14:11:27`, `14:11:27.5`, `02:11 PM`: seconds since midnight.
[[nodiscard]] std::optional<double> parse_clock(std::string_view text);

}  // namespace leakhunt::recorder
