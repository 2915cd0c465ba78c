// Log lines of a window; filters that need no text are applied before it is copied.
#include <algorithm>
#include <string>

#include "storage/log_pages.h"
#include "storage/reader_impl.h"

namespace leakhunt::storage {
namespace {

LineFilter filter_of(const LogQuery& query, Reader::Impl& reader) {
  LineFilter filter;
  filter.flags = static_cast<std::uint8_t>((query.tells_heap ? kTellsHeap : 0) |
                                           (query.evidence ? kEvidence : 0) | (query.alarm ? kAlarm : 0));
  filter.any_flag = query.memory;
  filter.by_level = !query.levels.empty();
  filter.by_thread = !query.threads.empty();
  filter.levels = reader.word_ids(query.levels);
  filter.threads = reader.word_ids(query.threads);
  filter.search = query.search;
  return filter;
}

// Into a line that is used again for the next one.
void fill(LogLine& line, const StoredLine& stored, const BootRange& range, Reader::Impl& reader) {
  const auto word = [&](std::int64_t id, std::string& text) {
    if (id == 0) {
      text.clear();
    } else {
      text = reader.word(id);
    }
  };
  line.utc = range.utc_zero + stored.t;
  recorder::LogRow& row = line.row;
  row.at = {range.boot, stored.t};
  row.link = stored.link;
  word(stored.level, row.level);
  word(stored.thread, row.thread);
  word(stored.alarm, row.alarm);
  row.tells_heap = (stored.flags & kTellsHeap) != 0;
  row.evidence = (stored.flags & kEvidence) != 0;
  row.body_offset = stored.body_offset;
  row.uptime_us = stored.uptime_us;
  row.text = stored.text;
}

}  // namespace

void Reader::logs(const LogQuery& query, const OnLogLine& on_line) {
  impl_->ask([&] {
    const bool down = !query.oldest_first;
    LogPages pages(impl_->db_, filter_of(query, *impl_), down,
                   [&](std::int64_t id) { return impl_->word(id); });
    std::vector<BootRange> ranges = impl_->window_ranges(query.device, query.window);
    if (down) {
      std::reverse(ranges.begin(), ranges.end());
    }
    LogLine line;
    line.row.device = query.device;
    for (BootRange range : ranges) {
      impl_->check_time();
      while (pages.next(range)) {
        for (const StoredLine& stored : pages.lines()) {
          fill(line, stored, range, *impl_);
          if (!on_line(line)) {
            return;
          }
        }
        impl_->check_time();
      }
    }
  });
}

}  // namespace leakhunt::storage
