// Sums of each source and boot, and of all of them.
#include "answer/window_figures.h"

#include <algorithm>

#include "answer/series_builder.h"
#include "answer/words.h"
#include "base/quantile.h"
#include "storage/reader.h"

namespace leakhunt::answer {
namespace {

constexpr std::int64_t kForCadence = 1000;  // readings: the newest tell it

std::size_t count_of(const analysis::Series& series) {
  std::size_t n = 0;
  for (const analysis::Stretch& stretch : series.stretches) n += stretch.points.size();
  return n;
}

SourceFigures of_stretch(const std::string& source, const analysis::Stretch& stretch) {
  const analysis::Point& first = stretch.points.front();
  const analysis::Point& last = stretch.points.back();
  SourceFigures out{source,      stretch.boot_id, static_cast<std::int64_t>(stretch.points.size()),
                    first.value, last.value,      first.value,
                    first.value, first.t_s,       last.t_s,
                    {}};
  for (const analysis::Point& point : stretch.points) {
    out.min = std::min(out.min, point.value);
    out.max = std::max(out.max, point.value);
    out.within.add(point.x_s - first.x_s, point.value - first.value);
  }
  return out;
}

// Adds what the store tells of a stretch of the same source and boot; `origin` is the one it was begun by.
void append(SourceFigures& whole, const storage::Figures& part, const storage::Figures& origin) {
  const storage::Bucket& bucket = part.bucket;
  const double first_t_s = epoch(part.utc_zero + part.first_t);
  const double last_t_s = epoch(part.utc_zero + part.last_t);
  if (first_t_s < whole.first_t_s) {
    whole.first = static_cast<double>(bucket.first);
    whole.first_t_s = first_t_s;
  }
  if (last_t_s >= whole.last_t_s) {
    whole.last = static_cast<double>(bucket.last);
    whole.last_t_s = last_t_s;
  }
  whole.n += bucket.n;
  whole.min = std::min(whole.min, static_cast<double>(bucket.min));
  whole.max = std::max(whole.max, static_cast<double>(bucket.max));
  whole.within.merge(bucket.sums.moved(seconds(bucket.start - origin.first_t),
                                       static_cast<double>(bucket.first - origin.bucket.first)));
}

SourceFigures begun_by(const storage::Figures& part) {
  const auto first = static_cast<double>(part.bucket.first);
  const double at = epoch(part.utc_zero + part.first_t);
  return {std::string{source_word(part.source)},
          static_cast<std::int64_t>(part.boot),
          0,
          first,
          first,
          first,
          first,
          at,
          at,
          {}};
}

// Those asked for, else those that take part, else all there are.
std::vector<recorder::Source> chosen(const std::vector<storage::Figures>& found,
                                     const std::vector<recorder::Source>& asked) {
  std::vector<recorder::Source> out = asked;
  for (const bool any : {false, true}) {
    for (const storage::Figures& part : found) {
      const bool known = std::find(out.begin(), out.end(), part.source) != out.end();
      if (asked.empty() && !known && (any || takes_part(part.source))) out.push_back(part.source);
    }
    if (!out.empty()) break;
  }
  return out;
}

std::optional<double> newest_cadence_s(const Asked& asked, recorder::HeapField field,
                                       const storage::Window& window,
                                       const std::vector<storage::Figures>& found) {
  const storage::Figures* fullest = nullptr;
  for (const storage::Figures& part : found) {
    if (fullest == nullptr || part.bucket.n > fullest->bucket.n) fullest = &part;
  }
  if (fullest == nullptr) return std::nullopt;
  const Duration length = fullest->last_t - fullest->first_t;
  const Duration recent =
      fullest->bucket.n > kForCadence ? Duration{length.count() / fullest->bucket.n * kForCadence} : length;
  const Utc end = fullest->utc_zero + fullest->last_t + Duration{1};
  analysis::Series series;
  for (const storage::Sample& sample :
       asked.reader.samples({asked.device.id,
                             std::nullopt,
                             field,
                             {fullest->source},
                             {std::max(window.start, end - recent - Duration{1}), end}})) {
    if (sample.suspect || sample.boot != fullest->boot) continue;
    if (series.stretches.empty()) series.stretches.emplace_back();
    series.stretches.back().points.push_back({.x_s = seconds(sample.t)});
  }
  return cadence_s(series);
}

}  // namespace

analysis::SlopeSummary WindowFigures::slopes() const {
  analysis::SlopeSummary out;
  double c_tv = 0;
  double m2_t = 0;
  for (const SourceFigures& part : parts) {
    out.min = out.samples == 0 ? part.min : std::min(out.min, part.min);
    out.max = out.samples == 0 ? part.max : std::max(out.max, part.max);
    out.samples += static_cast<std::size_t>(part.n);
    c_tv += part.within.c_tv;
    m2_t += part.within.m2_t;
  }
  out.slope_per_min = m2_t > 0 ? c_tv / m2_t * 60 : 0;
  out.slope_per_min_raw = all.slope() * 60;
  if (out.slope_per_min < 0) out.minutes_to_zero = out.min / -out.slope_per_min;
  return out;
}

const SourceFigures* WindowFigures::first() const {
  const auto found = std::min_element(parts.begin(), parts.end(),
                                      [](const auto& a, const auto& b) { return a.first_t_s < b.first_t_s; });
  return found == parts.end() ? nullptr : &*found;
}

const SourceFigures* WindowFigures::last() const {
  const SourceFigures* found = nullptr;
  for (const SourceFigures& part : parts) {
    if (found == nullptr || part.last_t_s >= found->last_t_s) found = &part;
  }
  return found;
}

std::int64_t WindowFigures::samples_of(std::int64_t boot_id) const {
  std::int64_t n = 0;
  for (const SourceFigures& part : parts) n += part.boot_id == boot_id ? part.n : 0;
  return n;
}

const SourceFigures* WindowFigures::fullest(std::int64_t boot_id) const {
  const SourceFigures* found = nullptr;
  for (const SourceFigures& part : parts) {
    if (part.boot_id == boot_id && (found == nullptr || part.n > found->n)) found = &part;
  }
  return found;
}

WindowFigures figures_of(const std::vector<analysis::Series>& series) {
  WindowFigures out;
  const analysis::Point* origin = nullptr;
  for (const analysis::Series& one : series) {
    for (const analysis::Stretch& stretch : one.stretches) {
      if (stretch.points.empty()) continue;
      if (origin == nullptr) origin = &stretch.points.front();
      out.parts.push_back(of_stretch(one.source, stretch));
      for (const analysis::Point& point : stretch.points) {
        out.all.add(point.t_s - origin->t_s, point.value - origin->value);
      }
    }
  }
  if (origin != nullptr) out.origin = origin->value;
  out.cadence_s = cadence_s(series);
  return out;
}

WindowFigures heap_figures(const Asked& asked, recorder::HeapField field, const storage::Window& window,
                           std::vector<recorder::Source>& sources) {
  std::vector<storage::Figures> found =
      asked.reader.figures({asked.device.id, std::nullopt, field, sources, window});
  sources = chosen(found, sources);
  std::erase_if(found, [&](const auto& part) {
    return std::find(sources.begin(), sources.end(), part.source) == sources.end();
  });
  WindowFigures out;
  std::vector<const storage::Figures*> origins;  // of each part
  for (const storage::Figures& part : found) {
    const std::string_view word = source_word(part.source);
    std::size_t at = 0;
    while (at < out.parts.size() &&
           (out.parts[at].source != word || out.parts[at].boot_id != static_cast<std::int64_t>(part.boot))) {
      ++at;
    }
    if (at == out.parts.size()) {
      out.parts.push_back(begun_by(part));
      origins.push_back(&part);
    }
    append(out.parts[at], part, *origins[at]);
    const storage::Figures& zero = found.front();
    out.all.merge(part.bucket.sums.moved(
        seconds((part.utc_zero + part.bucket.start) - (zero.utc_zero + zero.bucket.start)),
        static_cast<double>(part.bucket.first - zero.bucket.first)));
    out.read_from = std::max(out.read_from, part.level);
  }
  if (!found.empty()) out.origin = static_cast<double>(found.front().bucket.first);
  if (out.all.n > kMostRawSamples) out.cadence_s = newest_cadence_s(asked, field, window, found);
  return out;
}

std::optional<double> cadence_s(const analysis::Series& series) {
  constexpr double kSameMoment_s = 0.001;
  std::vector<double> gaps;
  for (const analysis::Stretch& stretch : series.stretches) {
    for (std::size_t i = 1; i < stretch.points.size(); ++i) {
      const double gap = stretch.points[i].x_s - stretch.points[i - 1].x_s;
      if (gap >= kSameMoment_s) gaps.push_back(gap);
    }
  }
  return gaps.empty() ? std::nullopt : std::optional{median(std::move(gaps))};
}

std::optional<double> cadence_s(const std::vector<analysis::Series>& series) {
  const auto fullest = std::max_element(
      series.begin(), series.end(), [](const auto& a, const auto& b) { return count_of(a) < count_of(b); });
  return fullest == series.end() ? std::nullopt : cadence_s(*fullest);
}

std::string read_from_words(storage::Level level) {
  switch (level) {
    case storage::Level::raw:
      return "raw samples";
    case storage::Level::minute:
      return "minute buckets, the ends from raw samples";
    case storage::Level::hour:
      return "hour buckets, the ends from finer ones and raw samples";
    case storage::Level::day:
      return "day buckets, the ends from finer ones and raw samples";
  }
  return "";
}

}  // namespace leakhunt::answer
