// What all readings of a window come to, of each source and boot and of all together; from points or from
// what the store adds up itself. Knows no message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/input.h"
#include "analysis/slope.h"
#include "answer/asked.h"
#include "base/sums.h"
#include "storage/buckets.h"

namespace leakhunt::answer {

// Of one source within one boot.
struct SourceFigures {
  std::string source;
  std::int64_t boot_id = 0;
  std::int64_t n = 0;
  double first = 0;
  double last = 0;
  double min = 0;
  double max = 0;
  double first_t_s = 0;  // UTC seconds
  double last_t_s = 0;
  RunningSums within;  // t in steady seconds and v both from the first reading
};

struct WindowFigures {
  std::vector<SourceFigures> parts;
  RunningSums all;  // t in UTC seconds from some reading, v from `origin`
  double origin = 0;
  std::optional<double> cadence_s;  // of the source with most readings: the median of their distances
  storage::Level read_from = storage::Level::raw;  // the coarsest that whole parts came from

  [[nodiscard]] bool empty() const { return parts.empty(); }
  [[nodiscard]] double mean() const { return origin + all.mean_v; }
  [[nodiscard]] analysis::SlopeSummary slopes() const;
  [[nodiscard]] const SourceFigures* first() const;  // the earliest reading's
  [[nodiscard]] const SourceFigures* last() const;   // the latest one's
  [[nodiscard]] std::int64_t samples_of(std::int64_t boot_id) const;
  // The source with most readings in that boot; null without any.
  [[nodiscard]] const SourceFigures* fullest(std::int64_t boot_id) const;
};

// Above so many readings, buckets are plotted and judged.
inline constexpr std::int64_t kMostRawSamples = 20'000;

[[nodiscard]] WindowFigures figures_of(const std::vector<analysis::Series>& series);

// Of a heap field, at a cost that does not grow with the number of readings. `sources` empty: as in
// load_series(); those that take part are told in `sources`. The cadence is told only above kMostRawSamples.
[[nodiscard]] WindowFigures heap_figures(const Asked& asked, recorder::HeapField field,
                                         const storage::Window& window,
                                         std::vector<recorder::Source>& sources);

// Median distance of the readings; unset below two of them.
[[nodiscard]] std::optional<double> cadence_s(const analysis::Series& series);
// Of the series with most of them.
[[nodiscard]] std::optional<double> cadence_s(const std::vector<analysis::Series>& series);

// "raw samples", or which buckets whole parts came from.
[[nodiscard]] std::string read_from_words(storage::Level level);

}  // namespace leakhunt::answer
