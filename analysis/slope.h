// Figures and points of a timeline: least-squares slopes and thinning that keeps what stands out.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/input.h"

namespace leakhunt::analysis {

struct SlopeSummary {
  std::size_t samples = 0;
  double min = 0;
  double max = 0;
  double slope_per_min = 0;  // one level per boot and source, one slope common to all: never across a reboot
  double slope_per_min_raw = 0;           // plain, over all samples by UTC
  std::optional<double> minutes_to_zero;  // min / -slope_per_min where it falls
};
[[nodiscard]] SlopeSummary summarise(const std::vector<Series>& series);

struct TimelinePoint {
  double t_s = 0;
  double value = 0;
  std::size_t source = 0;  // index of the series
};
// All points of all series by rising time.
[[nodiscard]] std::vector<TimelinePoint> merge(const std::vector<Series>& series);
// At most `max_points` points: the lowest and the highest of each time bucket, in their order. `points` by
// rising t_s.
[[nodiscard]] std::vector<TimelinePoint> thin(std::vector<TimelinePoint> points, std::size_t max_points);

}  // namespace leakhunt::analysis
