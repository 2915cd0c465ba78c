// Power of the slope test, and the horizon.
#include "analysis/detectability.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace leakhunt::analysis {

double minimum_detectable_slope(const Trend& t, double alpha, double inflation) {
  return (student_quantile(alpha, t.df) + student_quantile(0.2, t.df)) * t.standard_error *
         std::sqrt(inflation);
}

double variance_inflation(const Values& regressor, const Values& x) {
  const Values zc = centred(regressor);
  const Values xc = centred(x);
  const double zx = dot(zc, xc);
  const double r2 = zx * zx / std::max(1e-12, dot(zc, zc) * dot(xc, xc));
  return std::min(25.0, 1 / std::max(0.04, 1 - r2));
}

Interval minutes_until(double level, double level_error, double reserve, const Interval& slope) {
  const double infinite = std::numeric_limits<double>::infinity();
  const double left = std::max(0.0, level - reserve);
  Interval out;
  out.value = slope.value < 0 ? left / -slope.value : infinite;
  out.low = slope.low < 0 ? std::max(0.0, left - level_error) / -slope.low : 0.0;
  out.high = slope.high < 0 ? (left + level_error) / -slope.high : infinite;
  return out;
}

}  // namespace leakhunt::analysis
