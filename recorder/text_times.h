// Gives every line of a text recording its time and its boot, from what the lines tell themselves. Knows
// nothing of figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "recorder/recording.h"

namespace leakhunt::recorder {

// Clocks of different origin never mix: an ESP-IDF stamp and the firmware's own may differ by seconds.
enum class UptimeOf : std::uint8_t { none, firmware, telemetry, esp_idf, bracketed, bare, figure, count };

// A line that other firmware prints while booting, often several of them: never two boots within a minute.
inline constexpr std::string_view kWeakSign = "boot_line";

// What one line or frame tells of time, in the order of the file; the last three are the answer.
struct TextItem {
  double utc_s = kNoFigure;    // a date and time, of the host or the device
  double clock_s = kNoFigure;  // a clock without a date
  double told_uptime_s = kNoFigure;
  UptimeOf uptime_of = UptimeOf::none;
  bool has_reading = false;
  // Words that live as long as the program; empty where the line is none of these.
  std::string_view boot_sign;    // kind of a line that only a booting device prints
  std::string_view crash_cause;  // a line after which the device restarts, and why
  std::string_view cause_hint;   // what a restart after this line would be due to
  std::string_view boot_cause;   // why the device has just restarted, as its boot sign tells

  double t_s = 0;
  double uptime_s = kNoFigure;
  std::size_t boot = 0;
};

struct PlacedTimes {
  TimeBase base = TimeBase::none;
  std::vector<RecordedBoot> boots;
  std::size_t wraps = 0;        // of a 32-bit millisecond counter, no restarts
  std::size_t clock_steps = 0;  // the host's clock went back
};

// Boots: an uptime that falls by more than 5 s (not at its wrap), a boot line, a clock that starts at
// midnight again, a crash at the end. Signs of different kinds within 60 s are one boot, a kind already
// listed begins the next. Lines of the same second are spread evenly, lines without time lie between their
// neighbours.
[[nodiscard]] PlacedTimes place(std::vector<TextItem>& items);

}  // namespace leakhunt::recorder
