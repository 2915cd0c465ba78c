// What one log line gives besides its text: heap samples, thread events, call sites, audits. Knows nothing of
// boots and links.
#pragma once

#include <vector>

#include "proto/log_line.h"
#include "recorder/heap_series.h"
#include "recorder/rows.h"

namespace leakhunt::recorder {

[[nodiscard]] Source source_of(proto::SampleSource source);

// A number of the line becomes a sample.
[[nodiscard]] bool tells_heap(const proto::LogLine& line);
// Only a build with -DDEBUG_HEAP=1 prints such a line.
[[nodiscard]] bool shows_debug_heap(const proto::LogLine& line);

void add_line_rows(const SampleContext& context, const proto::LogLine& line, HeapSeries& series,
                   std::vector<Row>& out);

// The row of the text itself.
[[nodiscard]] LogRow log_row(const SampleContext& context, std::uint8_t link, proto::LogLine line,
                             bool evidence);

}  // namespace leakhunt::recorder
