// Theil-Sen with a t form that respects autocorrelation.
#include "analysis/trend.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

struct Pairs {
  Values slopes;
  int s = 0;
};

Pairs pairwise(const Values& x, const Values& y) {
  Pairs out;
  out.slopes.reserve(x.size() * (x.size() - 1) / 2);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      if (x[j] <= x[i]) continue;
      out.slopes.push_back((y[j] - y[i]) / (x[j] - x[i]) * 60);
      out.s += (y[j] > y[i]) - (y[j] < y[i]);
    }
  }
  return out;
}

// Newey and West (1987): long-run variance of the residual steps, 3 lags with Bartlett weights.
double long_run_variance(const Values& residuals) {
  const Values d = centred(differences(residuals));
  const auto m = static_cast<double>(d.size());
  const double v = dot(d, d) / m;
  double sum = v;
  for (std::size_t lag = 1; lag <= 3; ++lag) {
    double c = 0;
    for (std::size_t i = lag; i < d.size(); ++i) c += d[i - lag] * d[i];
    sum += 2 * (1 - static_cast<double>(lag) / 4) * c / m;
  }
  return std::max(sum, 0.02 * v);
}

double spread(const Values& residuals, double floor) {
  Values absolute = residuals;
  for (double& v : absolute) v = std::abs(v);
  const double n = std::max(1.0, static_cast<double>(residuals.size()) - 2);
  return std::max(
      {1.4826 * median(std::move(absolute)), 0.6 * std::sqrt(dot(residuals, residuals) / n), floor});
}

}  // namespace

Trend trend(const Values& x, const Values& y, double floor, bool autocorrelated) {
  Trend out;
  out.standard_error = std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(x.size());
  Pairs pairs = x.size() < 2 ? Pairs{} : pairwise(x, y);
  if (pairs.slopes.empty()) return out;
  const double b = median(std::move(pairs.slopes));
  Values residuals = y;
  for (std::size_t i = 0; i < x.size(); ++i) residuals[i] -= b / 60 * x[i];
  residuals = centred(std::move(residuals));
  const double phi = autocorrelated ? autocorrelation(residuals) : 0.0;
  out.per_min = b;
  out.correction = (1 + phi) / (1 - phi);
  out.df = std::max(3.0, n / out.correction - 2);
  const Values xc = centred(x);
  double se = spread(residuals, floor) * std::sqrt(out.correction / dot(xc, xc)) * 60;
  if (x.size() >= 12 && autocorrelated) {
    const double step = (x.back() - x.front()) / (n - 1);
    se = std::max(se, std::sqrt(1.2 * long_run_variance(residuals) / n) / step * 60);
  }
  out.standard_error = se;
  const double half = student_quantile(0.025, out.df) * se;
  out.low = b - half;
  out.high = b + half;
  if (x.size() <= 7) {
    out.p_fall = kendall_tail(-pairs.s, x.size());
    out.p_rise = kendall_tail(pairs.s, x.size());
    return out;
  }
  const double tau = pairs.s / (0.5 * n * (n - 1));
  out.p_fall = std::max(student_tail(-b / se, out.df), tau > -0.4 ? 0.5 : 0.0);
  out.p_rise = std::max(student_tail(b / se, out.df), tau < 0.4 ? 0.5 : 0.0);
  return out;
}

}  // namespace leakhunt::analysis
