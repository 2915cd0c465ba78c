// One stretch prepared for judging: impossible readings dropped, the sign turned so that falling is bad,
// covariates as columns.
#pragma once

#include <cstddef>
#include <optional>

#include "analysis/input.h"
#include "analysis/numbers.h"
#include "analysis/steps.h"

namespace leakhunt::analysis {

struct Track {
  Values x;              // steady seconds since the first reading, rising
  double first_x_s = 0;  // steady seconds of the first reading as `Point` has them
  Values v;              // bytes; free memory, or used memory with its sign turned
  Values nodes;          // empty where the stretch has none
  Values packets;
  Values block;
  double uptime_s = absent;       // at the first reading
  double quantum = 0;             // the step of a coarse counter, 0 where readings do not repeat
  std::size_t dropped = 0;        // readings that were impossible or stood alone
  std::size_t level_changes = 0;  // steps at a reconnect, taken out of v
  double level_changed_by = 0;    // their sum
  bool ends_at_zero = false;      // the last readings say that nothing is free
};

// Drops a lone 0 (one that lasts, or ends a fall, is memory that ran out), what exceeds the heap (or is a
// 32-bit wrap), and a reading that differs from the median of its six neighbours by more than max(a quarter
// of it, 8 MAD); a step of the level at a lost connection is taken out.
[[nodiscard]] Track prepare(const Stretch& stretch, const Question& question, const Steps& steps = {});

// The readings from `from_x` on.
[[nodiscard]] Track last_part(const Track& track, double from_x);

}  // namespace leakhunt::analysis
