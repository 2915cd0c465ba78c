// Level over slope, with the interval of both.
#include "analysis/horizon.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/sense.h"
#include "analysis/words.h"

namespace leakhunt::analysis {

Interval minutes_until(double level, double level_error, double reserve, const Interval& slope) {
  const double infinite = std::numeric_limits<double>::infinity();
  const double left = std::max(0.0, level - reserve);
  Interval out;
  out.value = slope.value < 0 ? left / -slope.value : infinite;
  out.low = slope.low < 0 ? std::max(0.0, left - level_error) / -slope.low : 0.0;
  out.high = slope.high < 0 ? (left + level_error) / -slope.high : infinite;
  return out;
}

std::optional<Interval> horizon(const Question& question, double track_level, double level_error,
                                const Interval& track_slope) {
  const auto left = as_free(question, track_level);
  if (!left) return std::nullopt;
  return minutes_until(*left, level_error, question.reserve_bytes, track_slope);
}

std::string reserve_words(const Question& question) {
  const std::string& why = question.reserve_reason;
  return bytes_text(question.reserve_bytes) + (why.empty() ? "" : ": " + why);
}

std::string horizon_sentence(const Question& question, const Interval& minutes) {
  const std::string end = used(question) ? "the limit of " + bytes_text(question.total_bytes.value_or(0)) +
                                               " less the reserve (" + reserve_words(question) + ")"
                                         : "the reserve (" + reserve_words(question) + ")";
  if (minutes.value <= 0) return end + " is reached";
  const std::string low = span_text(minutes.low * 60);
  const std::string bounds =
      std::isfinite(minutes.high) ? low + " to " + span_text(minutes.high * 60) : low + " or later";
  return end + " is reached in about " + span_text(minutes.value * 60) + " (95 %: " + bounds + ")";
}

}  // namespace leakhunt::analysis
