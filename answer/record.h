// What the store holds of one device over one window, as the analysis reads it. Knows no verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/input.h"
#include "answer/asked.h"
#include "answer/fields.h"
#include "answer/window_figures.h"
#include "storage/reader.h"

namespace leakhunt::answer {

// The readings of one field, a series per source, a stretch per boot. Isolated impossible readings are left
// out, but for the published rules.
struct SeriesSet {
  std::vector<analysis::Series> series;
  std::vector<storage::BootSpan> boots;  // with rows of any kind in the window
};

// `sources` empty: all but thread_event and alloc_line, which stand only where they are the only ones.
[[nodiscard]] SeriesSet load_series(const Asked& asked, const FieldChoice& field,
                                    const storage::Window& window,
                                    const std::vector<recorder::Source>& sources);

// How many log lines are searched for the words of the published rules, which no index finds.
struct LineSearch {
  std::size_t max_lines = 0;
};
inline constexpr LineSearch kEvidenceOnly{0};
inline constexpr LineSearch kNewestLines{200'000};
inline constexpr LineSearch kAllLines{~std::size_t{0}};

// Everything a verdict over the heap of a device is made from, and what a report tells beside it.
struct Record {
  analysis::Question question;  // its series: readings, or the levels of buckets where there are too many
  WindowFigures figures;        // of all readings
  std::vector<analysis::Series> landmarks;  // where that is so: what the published rules look at
  std::vector<recorder::Source> sources;    // likewise: those that take part
  std::string judged_from = "raw samples";
  std::vector<storage::BootSpan> boots;
  std::vector<storage::LogLine> alarms;    // lines with a kind of alarm, oldest first
  std::vector<recorder::EventRow> events;  // oldest first
  std::optional<recorder::BootRow> last_boot;
  std::uint32_t hw_model = 0;
  [[nodiscard]] bool from_buckets() const { return !sources.empty(); }
};

[[nodiscard]] Record load_record(const Asked& asked, const FieldChoice& field, const storage::Window& window,
                                 LineSearch search, std::optional<double> reserve_bytes);

}  // namespace leakhunt::answer
