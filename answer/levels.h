// A window whose readings are too many, as the analysis and a plot read it: from buckets. Knows no verdict.
#pragma once

#include <string>
#include <vector>

#include "analysis/input.h"
#include "analysis/slope.h"
#include "answer/asked.h"
#include "storage/buckets.h"
#include "storage/spans.h"

namespace leakhunt::answer {

struct Levels {
  std::vector<analysis::Series> series;  // the level at rest of each bucket
  std::string judged_from;               // in words
};

// Of free memory: minutes where the series have them, else samples; hours of a window that is too long for
// that.
[[nodiscard]] Levels load_levels(const Asked& asked, recorder::HeapField field, const storage::Window& window,
                                 const std::vector<recorder::Source>& sources,
                                 const std::vector<storage::BootSpan>& boots);

// The least and greatest readings of each hour in their order, and those next to each of the moments: what
// the published rules look at.
[[nodiscard]] std::vector<analysis::Series> load_landmarks(const Asked& asked, recorder::HeapField field,
                                                           const storage::Window& window,
                                                           const std::vector<recorder::Source>& sources,
                                                           const std::vector<Utc>& moments);

// For a plot of at most `max_points`: the least and greatest readings of buckets no finer than it can show,
// by rising time. The index of a source in `sources` stands in each point.
[[nodiscard]] std::vector<analysis::TimelinePoint> load_extremes(const Asked& asked,
                                                                 recorder::HeapField field,
                                                                 const storage::Window& window,
                                                                 const std::vector<recorder::Source>& sources,
                                                                 std::size_t max_points);

}  // namespace leakhunt::answer
