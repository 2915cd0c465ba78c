// Heap readings to sample rows. Knows nothing of where they stand.
#include "recorder/heap_series.h"

#include <algorithm>

namespace leakhunt::recorder {
namespace {

constexpr std::int64_t kNoFigures = 4294967295;
// With PSRAM the total itself may differ by some hundred bytes between reports (device-facts.md).
constexpr std::int64_t kTotalSlack_bytes = 4096;

bool is_figure(std::int64_t value_bytes) {
  return value_bytes >= 0 && value_bytes < kNoFigures;
}

}  // namespace

void HeapSeries::set_total(std::int64_t total_bytes) {
  if (is_figure(total_bytes) && total_bytes > 0) {
    total_ = total_bytes;
  }
}

void HeapSeries::add(const SampleContext& context, HeapField field, Source source, std::int64_t value_bytes,
                     std::vector<Row>& out) {
  if (!is_figure(value_bytes)) {
    return;
  }
  out.emplace_back(SampleRow{.device = context.device,
                             .identity = context.identity,
                             .field = field,
                             .source = source,
                             .at = context.at,
                             .value_bytes = value_bytes,
                             .suspect = total_ && value_bytes > *total_ + kTotalSlack_bytes});
  if (field == HeapField::heap_free_bytes && context.live) {
    newest_ = HeapSampleLive{.value_bytes = value_bytes, .source = source, .when = *context.live};
    note_interval(source, context.live->mono);
  }
}

void HeapSeries::note_interval(Source source, Mono when) {
  Intervals& intervals = intervals_[source];
  if (intervals.last) {
    intervals.us[intervals.count % intervals.us.size()] = (when - *intervals.last).count();
    ++intervals.count;
  }
  intervals.last = when;
}

std::map<Source, Duration> HeapSeries::cadence() const {
  std::map<Source, Duration> medians;
  for (const auto& [source, intervals] : intervals_) {
    auto us = intervals.us;
    const std::size_t n = std::min(intervals.count, us.size());
    if (n > 0) {
      const auto middle = us.begin() + static_cast<std::ptrdiff_t>(n / 2);
      std::nth_element(us.begin(), middle, us.begin() + static_cast<std::ptrdiff_t>(n));
      medians[source] = Duration{*middle};
    }
  }
  return medians;
}

}  // namespace leakhunt::recorder
