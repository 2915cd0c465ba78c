// Two stretches side by side (before and after a fix): is the leak gone, and is the second long enough to
// tell?
#pragma once

#include <optional>
#include <string>

#include "analysis/verdict.h"

namespace leakhunt::analysis {

// A slope as a verdict found it: per minute, with its standard error, degrees of freedom and detectability.
struct MeasuredSlope {
  double per_min = 0;
  double standard_error = 0;
  double degrees_of_freedom = 3;
  double mds_per_min = 0;
  double minutes = 0;  // length of the stretch
};

struct Comparison {
  double difference_per_min = 0;  // second - first
  double p = 1;                   // Welch's t test, two-sided
  bool passes = false;  // the second's interval holds 0 and its MDS is below a quarter of the first slope
  std::optional<double> minutes_needed;  // of the second stretch, where it is too short to tell
  std::string sentence;
};

[[nodiscard]] Comparison compare(const MeasuredSlope& before, const MeasuredSlope& after);

}  // namespace leakhunt::analysis
