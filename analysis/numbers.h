// Small statistics on lists of at most a few hundred values. Knows nothing of memory.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace leakhunt::analysis {

using Values = std::vector<double>;

[[nodiscard]] double dot(const Values& a, const Values& b);
// Seconds without what the representation of a large time adds to them, so that when something happened
// cannot matter.
[[nodiscard]] double whole_microseconds(double seconds);
[[nodiscard]] double mean(const Values& v);
[[nodiscard]] Values centred(Values v);
// Successive differences; one shorter than `v`.
[[nodiscard]] Values differences(const Values& v);
// Running medians over 2 * half + 1 values, fewer at the ends.
[[nodiscard]] Values running_median(const Values& v, std::size_t half);
// Running means over three values, two at the ends.
[[nodiscard]] Values smooth3(const Values& v);

struct Fit {
  Values coefficients;
  Values residuals;
  [[nodiscard]] double rss() const { return dot(residuals, residuals); }
};
// Least squares by normal equations with pivoting; nothing where the columns are dependent.
[[nodiscard]] std::optional<Fit> least_squares(const std::vector<Values>& columns, const Values& y);

// Lag-1 autocorrelation of residuals with Kendall's small-sample correction r + (1 + 3r)/n, within [0, 0.9];
// 0 for fewer than 8 values.
[[nodiscard]] double autocorrelation(const Values& residuals);

// Student's t: P(T > t) and its inverse, for any df > 0.
[[nodiscard]] double student_tail(double t, double df);
[[nodiscard]] double student_quantile(double upper_tail, double df);

// Kendall's S: concordant minus discordant pairs of `y` against its order.
[[nodiscard]] int kendall_s(const Values& y);
// P(S >= s) without ties, exact, for n <= 12 (recurrence over inversions).
[[nodiscard]] double kendall_tail(int s, std::size_t n);

}  // namespace leakhunt::analysis
