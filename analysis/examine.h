// The judgement of one boot's stretch of one source: is memory lost in it, how fast, in what shape, and what
// loss could not be seen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/clean.h"
#include "analysis/detectability.h"
#include "analysis/envelope.h"
#include "analysis/steps.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis {

// Thresholds for a heap of up to a megabyte (or used memory of up to 300 KB); larger ones scale them with
// their level (`Examination::unit`).
inline constexpr double kAlpha = 0.02;               // one-sided
inline constexpr double kLeastSlope = 1.0;           // bytes per minute
inline constexpr double kLeastLoss = 600.0;          // bytes inside the tested part
inline constexpr double kDailyWindow_s = 36 * 3600;  // a window in which a daily cycle shows itself
inline constexpr double kDailySlope = 12.0;  // bytes per minute: the steepest part of a 5 KB daily swing
inline constexpr double kShortSpan_s = 600;  // below it only a plain and large loss is believed

// Values as `Track` has them: falling is bad.
struct Examination {
  std::size_t samples = 0;
  double span_s = 0;
  bool leak = false;
  bool rise = false;       // memory came back
  bool too_short = false;  // nothing can be said
  std::string shape = "-";
  Interval slope;  // per minute: of the leak, or what is left beside the shape
  double p_fall = 1;
  std::optional<double> mds_per_min;
  Detectability detectability;  // what makes it
  double level = 0;             // at rest, at the end
  double level_error = 0;       // two standard errors
  double standard_error = 0;    // of a slope in these data
  double df = 3;
  double unit = 1;
  std::vector<Finding> findings;
  std::vector<std::string> ruled_out;
  std::vector<Block> blocks;  // on the clock of the stretch's points
};

[[nodiscard]] Examination examine(const Track& track, Sense sense, const Steps& steps = {});

}  // namespace leakhunt::analysis
