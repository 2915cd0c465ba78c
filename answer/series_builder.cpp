// See series_builder.h.
#include "answer/series_builder.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "answer/words.h"

namespace leakhunt::answer {

using recorder::BootId;
using recorder::Source;

bool takes_part(Source source) {
  return source != Source::thread_event && source != Source::alloc_line;
}

SeriesBuilder::SeriesBuilder(std::vector<analysis::Series>& series,
                             const std::vector<storage::BootSpan>& boots)
    : series_(series), boots_(boots), current_(series.size()) {}

void SeriesBuilder::add(BootId boot, Source source, const analysis::Point& point) {
  if (!std::isfinite(point.value)) return;  // a float on the wire may be anything; no figure survives it
  analysis::Series& series = series_for(source);
  const auto id = static_cast<std::int64_t>(boot);
  if (series.stretches.empty() || series.stretches.back().boot_id != id) begin_stretch(series, boot);
  series.stretches.back().points.push_back(point);
}

analysis::Series& SeriesBuilder::series_for(Source source) {
  if (current_ >= series_.size() || source != current_source_) {
    const std::string_view word = source_word(source);
    const auto found = std::find_if(series_.begin(), series_.end(),
                                    [&](const auto& series) { return series.source == word; });
    current_ = static_cast<std::size_t>(found - series_.begin());
    current_source_ = source;
    if (found == series_.end()) series_.push_back({std::string{word}, {}});
  }
  return series_[current_];
}

void SeriesBuilder::begin_stretch(analysis::Series& series, BootId boot) {
  analysis::Stretch stretch;
  stretch.boot_id = static_cast<std::int64_t>(boot);
  const auto span =
      std::find_if(boots_.begin(), boots_.end(), [&](const auto& one) { return one.boot.id == boot; });
  if (span != boots_.end()) {
    stretch.began_s = epoch(span->began);
    stretch.cause = cause_word(span->boot.cause);
  }
  series.stretches.push_back(std::move(stretch));
}

}  // namespace leakhunt::answer
