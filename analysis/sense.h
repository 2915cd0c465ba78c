// A track is held so that falling is bad; these turn its figures back into the field's own.
#pragma once

#include <optional>

#include "analysis/input.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis {

[[nodiscard]] inline bool used(const Question& q) {
  return q.sense == Sense::used_rises_is_bad;
}

// Free memory that a level of a track stands for; nothing where used memory has no limit.
[[nodiscard]] inline std::optional<double> as_free(const Question& q, double track_level) {
  if (!used(q)) return track_level;
  if (!q.total_bytes) return std::nullopt;
  return *q.total_bytes + track_level;
}

[[nodiscard]] inline double field_value(const Question& q, double track_level) {
  return used(q) ? -track_level : track_level;
}

[[nodiscard]] inline Interval field_slope(const Question& q, const Interval& s) {
  return used(q) ? Interval{-s.value, -s.high, -s.low} : s;
}

}  // namespace leakhunt::analysis
