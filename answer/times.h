// Times and windows as a person writes them (INTERFACES, "Arguments"). Knows no clock: the caller tells what
// `now` is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "storage/spans.h"

namespace leakhunt::answer {

// `now`; `-15m`, `-1.5h` (before now; units s m h d w); epoch seconds (1e11 and above refused: milliseconds);
// ISO 8601 (`2026-01-01`, `2026-01-01T08:00[:30[.5]]`, a space for the T; `Z` or `+02:00` behind it, else
// local time). Errors are ErrorCode::usage and one line.
[[nodiscard]] Result<Utc> parse_time(std::string_view text, Utc now);

// `30m`, `6h`, `-3d` (the same as `3d`), a bare number of seconds; fractions too. Always positive.
[[nodiscard]] Result<Duration> parse_length(std::string_view text);

// A length in the fewest units: `90s`, `6h`, `1d 12h`.
[[nodiscard]] std::string length_words(Duration length);

// A window as it was asked for. `window` is a length, `all` or `START..END`; `start` and `end` are times and
// stand instead of `window`. All empty: the question's own default.
struct WindowWords {
  std::string window;
  std::string start;
  std::string end;
};

struct ParsedWindow {
  std::optional<storage::Window> span;  // unset: `all`, or the default when is_default
  bool is_default = false;
  std::string asked;  // the words it came from: `6h`, `all`, `-2h..-1h`; `default`
};

// With `end` alone the span begins `default_length` before it; with `start` alone it ends now.
[[nodiscard]] Result<ParsedWindow> parse_window(const WindowWords& words, Utc now, Duration default_length);

}  // namespace leakhunt::answer
