// Welch's t test on two slopes, and how long the second stretch would have to be.
#include "analysis/comparison.h"

#include <algorithm>
#include <cmath>

#include "analysis/numbers.h"
#include "analysis/words.h"

namespace leakhunt::analysis {

Comparison compare(const MeasuredSlope& before, const MeasuredSlope& after) {
  Comparison out;
  out.difference_per_min = after.per_min - before.per_min;
  const double a = before.standard_error * before.standard_error;
  const double b = after.standard_error * after.standard_error;
  const double df = (a + b) * (a + b) /
                    std::max(1e-300, a * a / before.degrees_of_freedom + b * b / after.degrees_of_freedom);
  if (a + b > 0)
    out.p = 2 * student_tail(std::abs(out.difference_per_min) / std::sqrt(a + b), std::max(1.0, df));
  const double half = student_quantile(0.025, after.degrees_of_freedom) * after.standard_error;
  const bool holds_zero = std::abs(after.per_min) <= half;
  const double first = std::abs(before.per_min);
  const bool sees_enough = after.mds_per_min < first / 4;
  out.passes = holds_zero && sees_enough && first > 0;
  const std::string slopes = rate_text(before.per_min) + " before, " + rate_text(after.per_min) + " after";
  if (out.passes) {
    out.sentence = slopes + ": the loss is gone; what is left is below " + rate_text(after.mds_per_min);
  } else if (!holds_zero) {
    out.sentence = slopes + ": memory is still lost";
  } else if (first > 0) {
    // The detectable slope shrinks with the 3/2 power of the length.
    out.minutes_needed = after.minutes * std::pow(4 * after.mds_per_min / first, 2.0 / 3.0);
    out.sentence =
        slopes + ": not long enough to tell; run on to " + span_text(*out.minutes_needed * 60) + " in all";
  } else {
    out.sentence = slopes + ": there was no loss to compare with";
  }
  return out;
}

}  // namespace leakhunt::analysis
