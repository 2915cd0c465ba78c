#include "base/quantile.h"

#include <algorithm>
#include <cmath>

namespace leakhunt {

double quantile(std::vector<double> values, double q) {
  const double rank = static_cast<double>(values.size() - 1) * q;
  const auto low = static_cast<std::ptrdiff_t>(rank);
  const auto at = values.begin() + low;
  std::nth_element(values.begin(), at, values.end());
  const double below = *at;
  if (at + 1 == values.end()) return below;
  const double above = *std::min_element(at + 1, values.end());
  return below + (above - below) * (rank - static_cast<double>(low));
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

double mad(const std::vector<double>& values) {
  const double centre = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double v : values) deviations.push_back(std::abs(v - centre));
  return 1.4826 * median(std::move(deviations));
}

}  // namespace leakhunt
