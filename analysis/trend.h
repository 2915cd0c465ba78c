// The slope of a short series with its uncertainty under autocorrelated noise.
#pragma once

#include "analysis/numbers.h"

namespace leakhunt::analysis {

// Slopes are per minute, x in seconds.
struct Trend {
  double per_min = 0;  // Theil (1950), Sen (1968): the median of all pairwise slopes
  double low = 0;      // 95 % interval
  double high = 0;
  double p_fall = 1;  // one-sided
  double p_rise = 1;
  double correction = 1;  // variance factor for autocorrelation, (1 + phi) / (1 - phi)
  double standard_error = 0;
  double df = 3;  // effective degrees of freedom, n / correction - 2, at least 3
};

// Fewer than 8 values: exact Mann-Kendall. Else a t test of the slope whose variance carries the
// autocorrelation (lag 1, and Newey-West with 3 lags on the residual steps for a wandering level); Kendall's
// |tau| must reach 0.4. `floor` is the least standard deviation believed, in units of y; `autocorrelated`
// false: as if the values were independent.
[[nodiscard]] Trend trend(const Values& x, const Values& y, double floor = 4, bool autocorrelated = true);

}  // namespace leakhunt::analysis
