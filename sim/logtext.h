// Log lines as the firmware prints them on a serial console. Knows nothing of frames or of who reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace leakhunt::sim {

enum class Level { heap, trace, debug, info, warn, error, crit };

// One line of the device's log. `thread` is empty when no thread runs.
struct LogLine {
  Level level = Level::debug;
  std::string thread = {};
  std::string message = {};
  std::optional<std::uint32_t> heap_bytes =
      std::nullopt;   // overrides the reading of the curve in the `[heap N]` prefix
  bool bare = false;  // never with a `[heap N]` prefix
};

// What the console adds to a line.
struct Prefix {
  std::string clock = {};       // HH:MM:SS, or ??:??:?? until the clock is set
  std::uint64_t uptime_ms = 0;  // shown in whole seconds; wraps as millis() does, after 49.7 days
  std::optional<std::uint32_t> heap_bytes = std::nullopt;  // `[heap N]`, in DEBUG_HEAP builds
  bool colour = true;
};

// HH:MM:SS of a number of seconds since midnight UTC (or since the epoch).
[[nodiscard]] std::string clock_text(std::int64_t epoch_s);

// The line with CR LF. The body is cut at 158 characters. [RedirectablePrint.cpp, printBuf[160]]
[[nodiscard]] std::string text_line(const LogLine& line, const Prefix& prefix);

}  // namespace leakhunt::sim
