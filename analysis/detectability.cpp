// Power of the slope test, now and later.
#include "analysis/detectability.h"

#include <algorithm>
#include <cmath>

namespace leakhunt::analysis {

double by_noise(const Detectability& d) {
  return (student_quantile(d.alpha, d.df) + student_quantile(0.2, d.df)) * d.standard_error *
         std::sqrt(d.inflation);
}

double minimum_detectable_slope(const Detectability& d) {
  const double by_loss = d.tested_min > 0 ? d.least_loss / d.tested_min : 0.0;
  const double by_day = d.span_min < d.daily_window_min ? d.daily_slope : 0.0;
  return std::max({by_noise(d), by_loss, d.least_slope, by_day});
}

Detectability continued(const Detectability& d, double more_min) {
  Detectability out = d;
  if (d.tested_min <= 0) return out;
  const double longer = (d.tested_min + more_min) / d.tested_min;
  out.standard_error = d.standard_error / std::pow(longer, 1.5);
  out.df = (d.df + 2) * longer - 2;
  out.tested_min += more_min;
  out.span_min += more_min;
  return out;
}

double variance_inflation(const Values& regressor, const Values& x) {
  const Values zc = centred(regressor);
  const Values xc = centred(x);
  const double zx = dot(zc, xc);
  const double r2 = zx * zx / std::max(1e-12, dot(zc, zc) * dot(xc, xc));
  return std::min(25.0, 1 / std::max(0.04, 1 - r2));
}

}  // namespace leakhunt::analysis
