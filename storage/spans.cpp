// Anchors as a step function from t to civil time, cut by windows.
#include "storage/spans.h"

#include <algorithm>
#include <iterator>

namespace leakhunt::storage {

Utc BootSpan::utc(Duration t) const {
  if (anchors.empty()) {
    return Utc{} + t;
  }
  const auto after = std::upper_bound(anchors.begin(), anchors.end(), t,
                                      [](Duration at, const auto& anchor) { return at < anchor.since; });
  return (after == anchors.begin() ? after : std::prev(after))->utc_zero + t;
}

std::vector<BootRange> ranges(const BootSpan& span, const Window& window) {
  const Duration end = span.last_t + Duration{1};
  const std::size_t stretches = std::max<std::size_t>(span.anchors.size(), 1);
  std::vector<BootRange> found;
  for (std::size_t i = 0; i < stretches; ++i) {
    const Utc zero = span.anchors.empty() ? Utc{} : span.anchors[i].utc_zero;
    Duration from = i == 0 ? span.first_t : std::max(span.anchors[i].since, span.first_t);
    Duration to = i + 1 < stretches ? std::min(span.anchors[i + 1].since, end) : end;
    from = std::max(from, window.start - zero);
    to = std::min(to, window.end - zero);
    if (from < to) {
      found.push_back({span.boot.id, from, to, zero});
    }
  }
  return found;
}

std::vector<BootRange> ranges(std::span<const BootSpan> spans, const Window& window) {
  std::vector<BootRange> all;
  for (const BootSpan& span : spans) {
    const std::vector<BootRange> some = ranges(span, window);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace leakhunt::storage
