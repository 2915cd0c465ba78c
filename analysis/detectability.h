// What a series of this length and noise could not have shown, and when memory ends.
#pragma once

#include "analysis/trend.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis {

// (t(1 - alpha) + t(0.8)) SE sqrt(inflation): found with 80 % power at level alpha (after Weatherhead et al.
// 1998). Per minute, positive.
[[nodiscard]] double minimum_detectable_slope(const Trend& t, double alpha, double inflation);

// 1 / (1 - R^2) of a shape's regressor against time, at most 25: how much of a ramp the shape can take up.
[[nodiscard]] double variance_inflation(const Values& regressor, const Values& x);

// Minutes until `level` reaches `reserve` at `slope` (per minute, falling), bounds from both intervals.
[[nodiscard]] Interval minutes_until(double level, double level_error, double reserve, const Interval& slope);

}  // namespace leakhunt::analysis
