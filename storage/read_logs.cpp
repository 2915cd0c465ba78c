// Log lines, page by page; filters that need no text are applied before it is copied.
#include <algorithm>
#include <string>

#include "storage/reader_impl.h"

namespace leakhunt::storage {
namespace {

// As the writer packs them.
constexpr std::int64_t kTellsHeap = 1;
constexpr std::int64_t kEvidence = 2;
constexpr std::int64_t kAlarm = 4;

struct LogFilter {
  std::int64_t flags = 0;  // all of these
  bool any_flag = false;
  bool by_level = false;
  bool by_thread = false;
  std::vector<std::int64_t> levels;
  std::vector<std::int64_t> threads;

  [[nodiscard]] bool passes(const Statement& row) const {
    const std::int64_t own = row.integer(4);
    return (own & flags) == flags && (!any_flag || own != 0) &&
           (!by_level || holds(levels, row.maybe_integer(2))) &&
           (!by_thread || holds(threads, row.maybe_integer(3)));
  }
  [[nodiscard]] static bool holds(const std::vector<std::int64_t>& ids,
                                  const std::optional<std::int64_t>& id) {
    return id && std::find(ids.begin(), ids.end(), *id) != ids.end();
  }
};

std::string log_sql(bool by_evidence, bool down) {
  return std::string{
             "SELECT t_boot, link, level, thread, flags, alarm, body_offset, uptime_us, text FROM log "} +
         (by_evidence ? "INDEXED BY log_evidence WHERE flags >= 2 AND" : "WHERE") +
         " boot = ?1 AND t_boot >= ?2 AND t_boot < ?3 ORDER BY t_boot " + (down ? "DESC" : "ASC") +
         " LIMIT ?4";
}

}  // namespace

void Reader::logs(const LogQuery& query, const OnLogLine& on_line) {
  impl_->ask([&] {
    LogFilter filter{.flags = (query.tells_heap ? kTellsHeap : 0) | (query.evidence ? kEvidence : 0) |
                              (query.alarm ? kAlarm : 0),
                     .any_flag = query.memory,
                     .by_level = !query.levels.empty(),
                     .by_thread = !query.threads.empty(),
                     .levels = impl_->word_ids(query.levels),
                     .threads = impl_->word_ids(query.threads)};
    const bool down = !query.oldest_first;
    Statement rows = impl_->db_.prepare(log_sql(query.evidence || query.alarm, down));
    std::vector<BootRange> ranges = impl_->window_ranges(query.device, query.window);
    if (down) {
      std::reverse(ranges.begin(), ranges.end());
    }
    std::vector<LogLine> page;
    for (const BootRange& range : ranges) {
      const auto keep = [&](Duration t) {
        if (!filter.passes(rows)) {
          return;
        }
        LogLine& line = page.emplace_back();
        line.utc = range.utc_zero + t;
        line.row.device = query.device;
        line.row.at = {range.boot, t};
        line.row.link = static_cast<std::uint8_t>(rows.integer(1));
        line.row.level = impl_->word_or_empty(rows.maybe_integer(2));
        line.row.thread = impl_->word_or_empty(rows.maybe_integer(3));
        line.row.tells_heap = (rows.integer(4) & kTellsHeap) != 0;
        line.row.evidence = (rows.integer(4) & kEvidence) != 0;
        line.row.alarm = impl_->word_or_empty(rows.maybe_integer(5));
        line.row.body_offset = static_cast<std::uint16_t>(rows.integer(6));
        line.row.uptime_us = rows.maybe_integer(7);
        line.row.text = rows.text(8);
      };
      const auto hand_over = [&] {
        const bool more = std::all_of(page.begin(), page.end(), on_line);
        page.clear();
        return more;
      };
      if (!impl_->scan(rows, range, 3, down, keep, hand_over)) {
        return;
      }
    }
  });
}

}  // namespace leakhunt::storage
