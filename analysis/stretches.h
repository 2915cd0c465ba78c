// One source's readings, boot by boot: each stretch examined, its lines weighed, its class found.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/evidence.h"
#include "analysis/examine.h"
#include "analysis/fragmentation.h"
#include "analysis/input.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis {

// MINIMUM_SAFE_FREE_HEAP of the firmware's configuration.h
inline constexpr double kSafeFree = 1500;

struct Examined {
  const Stretch* stretch = nullptr;
  Examination exam;
  Evidence evidence;
  double share = 0;       // of the time of all stretches
  double tail = 0;        // 20 % quantile of its last readings, as the track has them
  double last = 0;        // median of its last five
  double last_value = 0;  // the last reading as recorded
  double last_x_s = 0;    // when that was, as Point::x_s
  double most = 0;        // its highest reading
  bool at_zero = false;   // its last readings are 0: nothing is free
  std::optional<Interval> minutes_to_oom;
  Pieces pieces;
  VerdictClass verdict = VerdictClass::insufficient_data;
};

struct Candidate {
  const Series* series = nullptr;
  std::vector<Examined> stretches;  // not empty
  std::size_t main = 0;             // the one the figures come from
  std::size_t usable = 0;           // readings
  [[nodiscard]] const Examined& chosen() const { return stretches[main]; }
  [[nodiscard]] const Examined& now() const { return stretches.back(); }
};

// Nothing where the series has no reading.
[[nodiscard]] std::optional<Candidate> examine_series(const Question& question, const Series& series,
                                                      const Steps& steps = {});

// The level at rest at the end; the last readings where there are too few to tell. As the track has it.
[[nodiscard]] double level_now(const Examined& e);
// Less is free than the firmware itself holds to be safe.
[[nodiscard]] bool nothing_left(const Question& question, const Examined& e);
// What the device has left now is nothing or less than the reserve.
[[nodiscard]] bool below_reserve(const Question& question, const Examined& e);
// The level is below the least a user accepts, whatever its trend.
[[nodiscard]] bool below_floor(const Question& question, const Examined& e);
// The most urgent class of all, one without enough data last; of equals the last. `stretches` is not empty.
[[nodiscard]] VerdictClass most_urgent(const std::vector<StretchVerdict>& stretches);

}  // namespace leakhunt::analysis
