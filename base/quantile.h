// Quantiles with linear interpolation between order statistics (Hyndman and Fan 1996, type 7).
#pragma once

#include <vector>

namespace leakhunt {

// The q-quantile (0 <= q <= 1) of a non-empty list; the list is taken by value because it is reordered.
[[nodiscard]] double quantile(std::vector<double> values, double q);
[[nodiscard]] double median(std::vector<double> values);
// 1.4826 x the median absolute deviation: estimates the standard deviation of normal noise.
[[nodiscard]] double mad(const std::vector<double>& values);

}  // namespace leakhunt
