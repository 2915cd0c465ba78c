// What a series of this length and noise could not have shown.
#pragma once

#include "analysis/trend.h"

namespace leakhunt::analysis {

// What decides the least slope that would have been found. Slopes are per minute and positive.
struct Detectability {
  double standard_error = 0;  // of the slope
  double df = 3;              // degrees of freedom of its test
  double alpha = 0.02;        // of that test, one-sided
  double inflation = 1;       // of the variance: how much of a ramp the shape can take up
  double least_loss = 600;    // bytes that must be lost inside the tested part
  double least_slope = 1;
  double tested_min = 0;        // length of the tested part
  double span_min = 0;          // of all readings
  double daily_slope = 0;       // the steepest part of a daily cycle that nothing denies
  double daily_window_min = 0;  // from this length on that cycle would show itself
};

// (t(1 - alpha) + t(0.8)) SE sqrt(inflation): found with 80 % power at level alpha (after Weatherhead et al.
// 1998).
[[nodiscard]] double by_noise(const Detectability& d);
// The larger of that and of what is demanded of a loss to matter at all.
[[nodiscard]] double minimum_detectable_slope(const Detectability& d);
// The same after `more_min` further minutes like these: SE falls with the 3/2 power of the length, the
// degrees of freedom grow with it.
[[nodiscard]] Detectability continued(const Detectability& d, double more_min);

// 1 / (1 - R^2) of a shape's regressor against time, at most 25: how much of a ramp the shape can take up.
[[nodiscard]] double variance_inflation(const Values& regressor, const Values& x);

}  // namespace leakhunt::analysis
