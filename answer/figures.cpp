// Figures of a window. See figures.h.
#include "answer/figures.h"

#include <algorithm>
#include <array>

#include "analysis/slope.h"
#include "answer/times.h"
#include "answer/words.h"
#include "base/quantile.h"
#include "base/sums.h"

namespace leakhunt::answer {
namespace {

constexpr std::array<Duration, 4> kDefaultWindows{std::chrono::hours{1}, std::chrono::hours{6},
                                                  std::chrono::hours{24}, std::chrono::hours{168}};
constexpr std::size_t kEnoughSamples = 24;

std::size_t count_of(const analysis::Series& series) {
  std::size_t n = 0;
  for (const analysis::Stretch& stretch : series.stretches) {
    n += stretch.points.size();
  }
  return n;
}

// Of all sources together: mean, and the values of the earliest and the latest reading.
struct Ends {
  double sum = 0;
  std::size_t n = 0;
  const analysis::Point* first = nullptr;
  const analysis::Point* last = nullptr;
};

Ends ends_of(const std::vector<analysis::Series>& series) {
  Ends ends;
  for (const analysis::Series& one : series) {
    for (const analysis::Stretch& stretch : one.stretches) {
      for (const analysis::Point& point : stretch.points) {
        ends.sum += point.value;
        ++ends.n;
        ends.first = ends.first == nullptr || point.t_s < ends.first->t_s ? &point : ends.first;
        ends.last = ends.last == nullptr || point.t_s >= ends.last->t_s ? &point : ends.last;
      }
    }
  }
  return ends;
}

// The samples of a boot, of the source that has the most there.
struct BootSamples {
  std::int64_t n = 0;
  const analysis::Stretch* fullest = nullptr;
};

BootSamples samples_of(const std::vector<analysis::Series>& series, std::int64_t boot) {
  BootSamples found;
  for (const analysis::Series& one : series) {
    for (const analysis::Stretch& stretch : one.stretches) {
      if (stretch.boot_id != boot) {
        continue;
      }
      found.n += static_cast<std::int64_t>(stretch.points.size());
      if (found.fullest == nullptr || stretch.points.size() > found.fullest->points.size()) {
        found.fullest = &stretch;
      }
    }
  }
  return found;
}

void fill(v1::BootStretch& out, const storage::BootSpan& span, const std::vector<analysis::Series>& series) {
  out.set_id(static_cast<std::int64_t>(span.boot.id));
  out.set_start(epoch(span.began));
  out.set_end(epoch(span.ended));
  out.set_cause(std::string{cause_word(span.boot.cause)});
  out.set_signs(span.boot.signs);
  out.set_firmware_version(span.boot.firmware_version);
  const BootSamples samples = samples_of(series, out.id());
  out.set_samples(samples.n);
  if (samples.fullest != nullptr && samples.fullest->points.size() > 1) {
    RunningSums sums;
    for (const analysis::Point& point : samples.fullest->points) {
      sums.add(point.x_s, point.value);
    }
    out.set_slope_per_min(sums.slope() * 60);
  }
}

std::size_t samples_since_boot(const SeriesSet& set) {
  std::int64_t last = 0;
  for (const storage::BootSpan& span : set.boots) {
    last = std::max(last, static_cast<std::int64_t>(span.boot.id));
  }
  return static_cast<std::size_t>(samples_of(set.series, last).n);
}

}  // namespace

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

void fill_figures(v1::Timeline& out, const Asked& asked, const FieldChoice& field, const AskedWindow& window,
                  const std::vector<analysis::Series>& series, const std::vector<storage::BootSpan>& boots) {
  const analysis::SlopeSummary slope = analysis::summarise(series);
  out.set_device(asked.device.name);
  out.set_samples(static_cast<std::int64_t>(slope.samples));
  if (slope.samples > 0) {
    const Ends ends = ends_of(series);
    out.set_min(slope.min);
    out.set_max(slope.max);
    out.set_mean(ends.sum / static_cast<double>(ends.n));
    out.set_first(ends.first->value);
    out.set_last(ends.last->value);
  }
  if (slope.samples > 1) {
    out.set_slope_per_min(slope.slope_per_min);
    out.set_slope_per_min_raw(slope.slope_per_min_raw);
  }
  for (const analysis::Series& one : series) {
    (*out.mutable_sources())[one.source] = static_cast<std::int64_t>(count_of(one));
  }
  for (const storage::BootSpan& span : boots) {
    fill(*out.add_boots(), span, series);
  }
  if (const auto cadence = cadence_s(series)) {
    out.set_cadence_s(*cadence);
  }
  fill(*out.mutable_window(), window);
  out.mutable_window()->set_variant(field.variant_name);
  out.mutable_window()->set_field(field.field);
  out.set_offline(asked.offline);
}

AskedWindow default_window(const Asked& asked, const FieldChoice& field) {
  AskedWindow window;
  window.ends_now = true;
  window.is_default = true;
  for (const Duration length : kDefaultWindows) {
    window.span = {asked.now - length, asked.now};
    window.asked = length_words(length) + " (default)";
    if (samples_since_boot(load_series(asked, field, window.span, {})) >= kEnoughSamples) {
      break;
    }
  }
  return window;
}

Result<AskedWindow> field_window(const Asked& asked, const v1::WindowSpec& spec, const FieldChoice& field) {
  const auto window = window_of(asked, spec, kDefaultWindows.front());
  return window && window->is_default ? Result<AskedWindow>{default_window(asked, field)} : window;
}

}  // namespace leakhunt::answer
