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
constexpr std::size_t kEndsOfMinutes = 5000;  // samples: no more than stand at the ragged ends of minutes
constexpr std::size_t kMostMoments = 32;

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

std::string judged_from(Level coarsest, std::size_t samples) {
  if (coarsest == Level::raw) return "raw samples";
  if (coarsest == Level::minute) {
    return std::string{"minute buckets (the level at rest: their 80 % quantile)"} +
           (samples > kEndsOfMinutes ? " and raw samples" : "");
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
  Level coarsest = Level::raw;
  std::size_t parts = 0;
  std::size_t samples = 0;
  Levels out;
  const auto load = [&](Level level) {
    out.series.clear();
    SeriesBuilder levels(out.series, boots);
    coarsest = Level::raw;
    parts = samples = 0;
    asked.reader.parts(query, level, [&](const Part& part) {
      coarsest = std::max(coarsest, part.level);
      samples += part.level == Level::raw ? 1U : 0U;
      if (++parts <= kMostParts || level == Level::hour) levels.add(part.boot, part.source, level_of(part));
    });
  };
  load(is_long ? Level::hour : Level::minute);
  if (!is_long && parts > kMostParts) load(Level::hour);
  out.judged_from = judged_from(coarsest, samples);
  return out;
}

std::vector<analysis::Series> load_landmarks(const Asked& asked, recorder::HeapField field,
                                             const storage::Window& window,
                                             const std::vector<recorder::Source>& sources,
                                             const std::vector<Utc>& moments) {
  analysis::Stretch stretch;
  const auto add = [&](Utc at, std::int64_t value) {
    stretch.points.push_back({.t_s = epoch(at), .value = static_cast<double>(value)});
  };
  storage::SampleQuery query{asked.device.id, std::nullopt, field, sources, window};
  asked.reader.parts(query, Level::hour, [&](const Part& part) {
    const Extremes both = extremes_of(part);
    for (std::size_t i = 0; i < both.n; ++i) add(part.utc_zero + both.at.at(i).first, both.at.at(i).second);
  });
  for (std::size_t i = 0; i < std::min(moments.size(), kMostMoments); ++i) {
    query.window = {std::max(window.start, moments[i] - storage::width(Level::hour)), moments[i]};
    for (const storage::Figures& before : asked.reader.figures(query)) {
      add(before.utc_zero + before.last_t, before.bucket.last);
    }
    query.window = {moments[i], std::min(window.end, moments[i] + storage::width(Level::hour))};
    for (const storage::Figures& after : asked.reader.figures(query)) {
      add(after.utc_zero + after.first_t, after.bucket.first);
    }
  }
  std::stable_sort(stretch.points.begin(), stretch.points.end(),
                   [](const auto& a, const auto& b) { return a.t_s < b.t_s; });
  return {{"", {std::move(stretch)}}};
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
  const storage::SampleQuery query{asked.device.id, std::nullopt, field, sources, window};
  asked.reader.parts(query, plot_level(length, max_points), [&](const Part& part) {
    const auto source = std::find(sources.begin(), sources.end(), part.source) - sources.begin();
    const Extremes both = extremes_of(part);
    for (std::size_t i = 0; i < both.n; ++i) {
      const auto& [t, value] = both.at.at(i);
      // Where a reading stands in its bucket is known to a hundredth: not beyond the window for that.
      const Utc at = std::clamp(part.utc_zero + t, window.start, window.end - Duration{1});
      points.push_back({epoch(at), static_cast<double>(value), static_cast<std::size_t>(source)});
    }
  });
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.t_s < b.t_s; });
  return points;
}

}  // namespace leakhunt::answer
