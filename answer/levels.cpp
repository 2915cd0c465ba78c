// Parts of the store to points.
#include "answer/levels.h"

#include <algorithm>
#include <array>

#include "analysis/buckets.h"
#include "answer/series_builder.h"
#include "answer/words.h"
#include "storage/reader.h"

namespace leakhunt::answer {
namespace {

using storage::Level;
using storage::Part;

constexpr Duration kLongForMinutes = std::chrono::hours{24} * 31;
constexpr std::size_t kMostParts = 200'000;

analysis::Point level_of(const Part& part) {
  return analysis::level_of({.x_s = seconds(part.t),
                             .t_s = epoch(part.utc_zero + part.t),
                             .n = static_cast<std::size_t>(part.n),
                             .min = static_cast<double>(part.min),
                             .max = static_cast<double>(part.max),
                             .p80 = part.p80.value_or(analysis::absent)});
}

// The least and the greatest reading in the order of time; one where they are the same.
struct Extremes {
  std::array<std::pair<Duration, std::int64_t>, 2> at{};
  std::size_t n = 0;
};

Extremes extremes_of(const Part& part) {
  const std::pair low{part.min_t, part.min};
  const std::pair high{part.max_t, part.max};
  return {{std::min(low, high), std::max(low, high)}, part.min == part.max ? 1U : 2U};
}

std::string judged_from(const std::vector<Part>& parts) {
  Level coarsest = Level::raw;
  bool has_samples = false;
  for (const Part& part : parts) {
    coarsest = std::max(coarsest, part.level);
    has_samples = has_samples || part.level == Level::raw;
  }
  if (coarsest == Level::raw) return "raw samples";
  if (coarsest == Level::minute) {
    return std::string{"minute buckets (the level at rest: their 80 % quantile)"} +
           (has_samples ? " and raw samples" : "");
  }
  return std::string{coarsest == Level::hour ? "hour" : "day"} +
         " buckets (the level at rest: their highest reading), finer ones at the ends";
}

// The finest level that shows as much as `max_points` can.
Level plot_level(Duration length, std::size_t max_points) {
  for (const Level level : {Level::day, Level::hour, Level::minute}) {
    const auto buckets = static_cast<std::size_t>(std::max<std::int64_t>(length / storage::width(level), 0));
    if (buckets >= std::max<std::size_t>(max_points / 4, 1)) return level;
  }
  return Level::minute;
}

}  // namespace

Levels load_levels(const Asked& asked, recorder::HeapField field, const storage::Window& window,
                   const std::vector<recorder::Source>& sources,
                   const std::vector<storage::BootSpan>& boots) {
  const storage::SampleQuery query{asked.device.id, std::nullopt, field, sources, window};
  const bool is_long = window.end - window.start > kLongForMinutes;
  std::vector<Part> parts = asked.reader.parts(query, is_long ? Level::hour : Level::minute);
  if (!is_long && parts.size() > kMostParts) parts = asked.reader.parts(query, Level::hour);
  Levels out;
  SeriesBuilder levels(out.series, boots);
  SeriesBuilder extremes(out.extremes, boots);
  for (const Part& part : parts) {
    levels.add(part.boot, part.source, level_of(part));
    const Extremes both = extremes_of(part);
    for (std::size_t i = 0; i < both.n; ++i) {
      const auto& [t, value] = both.at.at(i);
      extremes.add(part.boot, part.source,
                   {.x_s = seconds(t), .t_s = epoch(part.utc_zero + t), .value = static_cast<double>(value)});
    }
  }
  out.judged_from = judged_from(parts);
  return out;
}

std::vector<analysis::TimelinePoint> load_extremes(const Asked& asked, recorder::HeapField field,
                                                   const storage::Window& window,
                                                   const std::vector<recorder::Source>& sources,
                                                   std::size_t max_points) {
  const std::vector<storage::BootSpan> boots = asked.reader.boots(asked.device.id, window);
  if (boots.empty()) return {};
  const Duration length = std::min(window.end, boots.back().ended) -
                          std::max(window.start, boots.front().began + boots.front().first_t);
  std::vector<analysis::TimelinePoint> points;
  for (const Part& part : asked.reader.parts({asked.device.id, std::nullopt, field, sources, window},
                                             plot_level(length, max_points))) {
    const auto source = std::find(sources.begin(), sources.end(), part.source) - sources.begin();
    const Extremes both = extremes_of(part);
    for (std::size_t i = 0; i < both.n; ++i) {
      const auto& [t, value] = both.at.at(i);
      // Where a reading stands in its bucket is known to a hundredth: not beyond the window for that.
      const Utc at = std::clamp(part.utc_zero + t, window.start, window.end - Duration{1});
      points.push_back({epoch(at), static_cast<double>(value), static_cast<std::size_t>(source)});
    }
  }
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.t_s < b.t_s; });
  return points;
}

}  // namespace leakhunt::answer
