// Readings to the series of the analysis. Knows no query.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/input.h"
#include "recorder/rows.h"
#include "storage/spans.h"

namespace leakhunt::answer {

// Whether a source is a reading of the heap by itself: those of thread_event and alloc_line stand in lines
// about something else.
[[nodiscard]] bool takes_part(recorder::Source source);

// Appends readings in the order of (boot, t) to the series of their sources.
class SeriesBuilder {
 public:
  // Both must outlive the builder; no series is added to `series` by anybody else meanwhile.
  SeriesBuilder(std::vector<analysis::Series>& series, const std::vector<storage::BootSpan>& boots);

  void add(recorder::BootId boot, recorder::Source source, const analysis::Point& point);

 private:
  [[nodiscard]] analysis::Series& series_for(recorder::Source source);
  void begin_stretch(analysis::Series& series, recorder::BootId boot);

  std::vector<analysis::Series>& series_;
  const std::vector<storage::BootSpan>& boots_;
  std::size_t current_ = 0;
  recorder::Source current_source_ = recorder::Source::poll;
};

}  // namespace leakhunt::answer
