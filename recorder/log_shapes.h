// The forms in which logs of other projects tell memory and trouble, as a table a user can extend. Knows
// nothing of time or of what the figures mean for a verdict.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace leakhunt::recorder {

// One form of a line. `pattern` is RE2 and searched anywhere in the line (behind its time stamps, which are
// read without a pattern). Named groups tell what it holds:
//   free, used, rss     the level: a size, with its unit if the line has one
//   largest, min, total largest free block, low-water mark, heap size or limit
//   uptime, uptime_ms, uptime_min   time since boot; `0T00:12:10` and `000+00:00:11.218` are understood
//   time                a time stamp the reader does not find by itself
//   thread              whose the level is
//   label               kept apart: lines of different labels are different series
//   before, after       a thread's change of free memory
//   event               a word of RecordedLineKind
struct LogShape {
  std::string name;
  std::string pattern;
  std::string unit;   // of sizes without one: `B` (default), `KiB`, `MiB`, `GiB`, `pages`, or `auto` (KiB
                      // where all are small)
  std::string event;  // what each matching line tells, a word of RecordedLineKind; empty: nothing
  bool last = false;  // no shape further down is tried on a line that this one matches
};

// The built-in table, in the order it is tried.
[[nodiscard]] std::span<const LogShape> built_in_log_shapes();

// What the shapes found in a line. Sizes in bytes.
struct ShapeFinds {
  std::string shape;  // the first that gave a figure or event
  std::string label;
  std::string thread;
  std::optional<double> free, used, largest, min, total, before, after;
  std::optional<double> uptime_s;
  std::string time;
  std::vector<std::string> events;
  bool unit_open = false;  // a level without unit whose shape has unit `auto`
  [[nodiscard]] bool anything() const;
};

// The user's shapes, then the built-in ones, compiled. Cheap to copy.
class ShapeTable {
 public:
  // Fails with the name of the shape whose pattern, unit, event or group name is not understood.
  [[nodiscard]] static Result<ShapeTable> make(std::span<const LogShape> user_shapes);

  // `cut`: the line's end is missing, so that a figure touching it is not trusted.
  [[nodiscard]] ShapeFinds find(std::string_view line, bool cut) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

// `12345`, `1,234 bytes`, `18944.00000 B`, `977.2MiB`, `24 kB` in bytes; kB, MB and GB count 1024. A number
// without unit counts `unit_bytes`. Nothing where it is no size.
struct Size {
  double bytes = 0;
  bool had_unit = false;
};
[[nodiscard]] std::optional<Size> parse_size(std::string_view text, double unit_bytes);
// 1 for `B` or empty, 1024 for `KiB`, ...; nothing for an unknown unit.
[[nodiscard]] std::optional<double> unit_bytes(std::string_view unit);

}  // namespace leakhunt::recorder
