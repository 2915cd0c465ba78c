// Small statistics; distributions are Boost.Math's.
#include "analysis/numbers.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using StudentsT = boost::math::students_t_distribution<double, Policy>;

// Solves the k x (k + 1) system in place by Gauss-Jordan elimination; false where it is singular.
bool eliminate(std::vector<Values>& a) {
  const std::size_t k = a.size();
  for (std::size_t i = 0; i < k; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i + 1; r < k; ++r) {
      if (std::abs(a[r][i]) > std::abs(a[pivot][i])) pivot = r;
    }
    if (std::abs(a[pivot][i]) < 1e-12) return false;
    std::swap(a[i], a[pivot]);
    for (std::size_t r = 0; r < k; ++r) {
      if (r == i) continue;
      const double factor = a[r][i] / a[i][i];
      for (std::size_t c = i; c <= k; ++c) a[r][c] -= factor * a[i][c];
    }
  }
  return true;
}

}  // namespace

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double whole_microseconds(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

double mean(const Values& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}

Values centred(Values v) {
  const double m = mean(v);
  for (double& x : v) x -= m;
  return v;
}

Values differences(const Values& v) {
  Values d;
  d.reserve(v.size());
  for (std::size_t i = 1; i < v.size(); ++i) d.push_back(v[i] - v[i - 1]);
  return d;
}

Values running_median(const Values& v, std::size_t half) {
  Values out;
  out.reserve(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::size_t from = i < half ? 0 : i - half;
    const std::size_t to = std::min(v.size(), i + half + 1);
    out.push_back(median(
        Values(v.begin() + static_cast<std::ptrdiff_t>(from), v.begin() + static_cast<std::ptrdiff_t>(to))));
  }
  return out;
}

Values smooth3(const Values& v) {
  Values out;
  out.reserve(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::size_t from = i == 0 ? 0 : i - 1;
    const std::size_t to = std::min(v.size(), i + 2);
    double sum = 0;
    for (std::size_t j = from; j < to; ++j) sum += v[j];
    out.push_back(sum / static_cast<double>(to - from));
  }
  return out;
}

std::optional<Fit> least_squares(const std::vector<Values>& columns, const Values& y) {
  const std::size_t k = columns.size();
  std::vector<Values> a(k, Values(k + 1));
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) a[i][j] = dot(columns[i], columns[j]);
    a[i][k] = dot(columns[i], y);
  }
  if (!eliminate(a)) return std::nullopt;
  Fit fit;
  for (std::size_t i = 0; i < k; ++i) fit.coefficients.push_back(a[i][k] / a[i][i]);
  fit.residuals = y;
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t t = 0; t < y.size(); ++t) fit.residuals[t] -= fit.coefficients[i] * columns[i][t];
  }
  return fit;
}

double autocorrelation(const Values& residuals) {
  const auto n = static_cast<double>(residuals.size());
  const double total = dot(residuals, residuals);
  if (residuals.size() < 8 || total <= 0) return 0;
  double lagged = 0;
  for (std::size_t i = 1; i < residuals.size(); ++i) lagged += residuals[i - 1] * residuals[i];
  const double r = lagged / total;
  return std::clamp(r + (1 + 3 * r) / n, 0.0, 0.9);
}

double student_tail(double t, double df) {
  if (!std::isfinite(t)) return t > 0 ? 0.0 : (t < 0 ? 1.0 : 0.5);
  return boost::math::cdf(boost::math::complement(StudentsT(df), t));
}

double student_quantile(double upper_tail, double df) {
  return boost::math::quantile(boost::math::complement(StudentsT(df), upper_tail));
}

int kendall_s(const Values& y) {
  int s = 0;
  for (std::size_t i = 0; i + 1 < y.size(); ++i) {
    for (std::size_t j = i + 1; j < y.size(); ++j) s += (y[j] > y[i]) - (y[j] < y[i]);
  }
  return s;
}

double kendall_tail(int s, std::size_t n) {
  Values count{1.0};
  for (std::size_t i = 2; i <= n; ++i) {
    Values next(count.size() + i - 1);
    for (std::size_t k = 0; k < count.size(); ++k) {
      for (std::size_t j = 0; j < i; ++j) next[k + j] += count[k];
    }
    count = std::move(next);
  }
  double all = 0;
  for (const double c : count) all += c;
  const int pairs = static_cast<int>(n * (n - 1) / 2);
  const int first = (s + pairs + 1) / 2;
  double tail = 0;
  for (int k = std::max(first, 0); k <= pairs; ++k) tail += count[static_cast<std::size_t>(k)] / all;
  return first <= 0 ? 1.0 : tail;
}

}  // namespace leakhunt::analysis
