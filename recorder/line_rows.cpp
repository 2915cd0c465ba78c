// Log lines to rows. Knows nothing of boots and links.
#include "recorder/line_rows.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace leakhunt::recorder {

Source source_of(proto::SampleSource source) {
  switch (source) {
    case proto::SampleSource::poll:
      return Source::poll;
    case proto::SampleSource::stats:
      return Source::stats;
    case proto::SampleSource::debug_heap:
      return Source::debug_heap;
    case proto::SampleSource::heap_line:
      return Source::heap_line;
    case proto::SampleSource::thread_event:
      return Source::thread_event;
    case proto::SampleSource::alloc_line:
      return Source::alloc_line;
    case proto::SampleSource::boot_line:
      break;
  }
  return Source::boot_line;
}

bool tells_heap(const proto::LogLine& line) {
  return heap_readings(line).size() > 0 || line.min_free_bytes || line.largest_block_bytes;
}

bool shows_debug_heap(const proto::LogLine& line) {
  return line.has_heap_prefix || line.level == proto::Level::heap || line.heap_event || line.alloc ||
         (line.heap_free_bytes && line.heap_source == proto::SampleSource::debug_heap);
}

void add_line_rows(const SampleContext& context, const proto::LogLine& line, HeapSeries& series,
                   std::vector<Row>& out) {
  if (line.heap_total_bytes) {
    series.set_total(*line.heap_total_bytes);
  }
  for (const auto& reading : heap_readings(line)) {
    series.add(context, HeapField::heap_free_bytes, source_of(reading.source), reading.free_bytes, out);
  }
  const Source source = source_of(line.heap_source);
  if (line.largest_block_bytes) {
    series.add(context, HeapField::largest_block_bytes, source, *line.largest_block_bytes, out);
  }
  if (line.min_free_bytes) {
    series.add(context, HeapField::min_free_bytes, source, *line.min_free_bytes, out);
  }
  if (line.heap_event) {
    out.emplace_back(HeapEventRow{.device = context.device,
                                  .at = context.at,
                                  .thread = line.heap_event->thread,
                                  .before_bytes = line.heap_event->before_bytes,
                                  .after_bytes = line.heap_event->after_bytes});
  }
  if (line.alloc) {
    out.emplace_back(CallSiteRow{.device = context.device,
                                 .at = context.at,
                                 .context = line.alloc->context,
                                 .size_bytes = line.alloc->size_bytes});
  }
  if (line.mem_audit) {
    out.emplace_back(MemAuditRow{.device = context.device,
                                 .at = context.at,
                                 .when = line.mem_audit->when,
                                 .tag_bytes = line.mem_audit->tags,
                                 .total_bytes = line.mem_audit->total_bytes});
  }
}

LogRow log_row(const SampleContext& context, std::uint8_t link, proto::LogLine line, bool evidence) {
  constexpr std::size_t kMostOffset = std::numeric_limits<std::uint16_t>::max();
  LogRow row{};
  row.device = context.device;
  row.at = context.at;
  row.link = link;
  row.tells_heap = tells_heap(line);
  row.evidence = evidence;
  row.level = word(line.level);
  row.thread = std::move(line.thread);
  row.body_offset = static_cast<std::uint16_t>(std::min(line.message_at, kMostOffset));
  row.text = std::move(line.text);
  if (line.uptime) {
    row.uptime_us = line.uptime->count();
  }
  if (line.alarm) {
    row.alarm = word(*line.alarm);
  }
  return row;
}

}  // namespace leakhunt::recorder
