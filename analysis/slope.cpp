// Least squares with one level per boot and source, and thinning by time.
#include "analysis/slope.h"

#include <algorithm>

#include "base/sums.h"

namespace leakhunt::analysis {

SlopeSummary summarise(const std::vector<Series>& series) {
  SlopeSummary out;
  RunningSums raw;
  double c_tv = 0;
  double m2_t = 0;
  for (const Series& s : series) {
    for (const Stretch& stretch : s.stretches) {
      RunningSums within;
      for (const Point& p : stretch.points) {
        within.add(p.x_s, p.value);
        raw.add(p.t_s, p.value);
        out.min = out.samples == 0 ? p.value : std::min(out.min, p.value);
        out.max = out.samples == 0 ? p.value : std::max(out.max, p.value);
        ++out.samples;
      }
      c_tv += within.c_tv;
      m2_t += within.m2_t;
    }
  }
  out.slope_per_min = m2_t > 0 ? c_tv / m2_t * 60 : 0;
  out.slope_per_min_raw = raw.slope() * 60;
  if (out.slope_per_min < 0) out.minutes_to_zero = out.min / -out.slope_per_min;
  return out;
}

std::vector<TimelinePoint> merge(const std::vector<Series>& series) {
  std::size_t n = 0;
  for (const Series& s : series) {
    for (const Stretch& stretch : s.stretches) n += stretch.points.size();
  }
  std::vector<TimelinePoint> out;
  out.reserve(n);
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (const Stretch& stretch : series[i].stretches) {
      for (const Point& p : stretch.points) out.push_back({p.t_s, p.value, i});
    }
  }
  const auto earlier = [](const TimelinePoint& a, const TimelinePoint& b) { return a.t_s < b.t_s; };
  if (!std::is_sorted(out.begin(), out.end(), earlier)) std::stable_sort(out.begin(), out.end(), earlier);
  return out;
}

std::vector<TimelinePoint> thin(std::vector<TimelinePoint> points, std::size_t max_points) {
  if (points.size() <= max_points) return points;
  if (max_points == 0) return {};
  if (max_points == 1) return {points.back()};
  const std::size_t buckets = max_points / 2;
  const double start = points.front().t_s;
  const double width = (points.back().t_s - start) / static_cast<double>(buckets);
  const auto bucket_of = [&](const TimelinePoint& p) {
    return width > 0 ? std::min(buckets - 1, static_cast<std::size_t>((p.t_s - start) / width))
                     : std::size_t{0};
  };
  std::vector<TimelinePoint> out;
  for (std::size_t i = 0; i < points.size();) {
    const std::size_t bucket = bucket_of(points[i]);
    std::size_t low = i;
    std::size_t high = i;
    for (; i < points.size() && bucket_of(points[i]) == bucket; ++i) {
      if (points[i].value < points[low].value) low = i;
      if (points[i].value > points[high].value) high = i;
    }
    out.push_back(points[std::min(low, high)]);
    if (low != high) out.push_back(points[std::max(low, high)]);
  }
  return out;
}

}  // namespace leakhunt::analysis
