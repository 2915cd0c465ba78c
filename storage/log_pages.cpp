// A part of a range ends with the block that stands in it, or with a page of rows, whichever comes first: so
// a line is met once, whether it is packed between two parts or not.
#include "storage/log_pages.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace leakhunt::storage {
namespace {

constexpr std::int64_t kPageRows = 16384;
constexpr std::int64_t kRowsBetweenLooks = 256;
constexpr std::chrono::milliseconds kLongestPart{300};

// Parameters: 1 boot, 2 from, 3 to, 4 rows of a page.
std::string rows_sql(bool by_evidence, bool down) {
  return std::string{"SELECT "} + kLineColumns + " FROM log " +
         (by_evidence ? "INDEXED BY log_evidence WHERE flags >= 2 AND" : "WHERE") +
         " boot = ?1 AND t_boot >= ?2 AND t_boot < ?3 ORDER BY t_boot " + (down ? "DESC" : "ASC") +
         " LIMIT ?4";
}

// Parameters: 1 to 3 as above, 4 the flags of a line, 5 whether it has any, 6 and 7 bits of its level and
// thread. Blocks of a boot do not overlap: the one that holds `from` is the last that begins there or before.
std::string blocks_sql(bool down) {
  return std::string{
             "SELECT t_first, t_last, data FROM log_block WHERE boot = ?1 AND t_first < ?3 AND t_last >= ?2 "
             "AND (flags & ?4) = ?4 AND (?5 = 0 OR flags <> 0) AND (?6 = 0 OR (levels & ?6) <> 0) AND "
             "(?7 = 0 OR (threads & ?7) <> 0) AND t_first >= coalesce((SELECT max(t_first) FROM log_block "
             "WHERE boot = ?1 AND t_first <= ?2), ?2) ORDER BY t_first "} +
         (down ? "DESC" : "ASC") + " LIMIT 1";
}

std::int64_t bits(bool asked, const std::vector<std::int64_t>& ids) {
  std::int64_t all = 0;
  for (const std::int64_t id : ids) {
    all |= word_bit(id);
  }
  return asked ? all : 0;
}

bool holds(const std::vector<std::int64_t>& ids, std::int64_t id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

StoredLine stored_line(const Statement& row) {
  return {.t = Duration{row.integer(0)},
          .link = static_cast<std::uint8_t>(row.integer(1)),
          .level = row.integer(2),
          .thread = row.integer(3),
          .alarm = row.integer(5),
          .flags = static_cast<std::uint8_t>(row.integer(4)),
          .body_offset = static_cast<std::uint16_t>(row.integer(6)),
          .uptime_us = row.maybe_integer(7),
          .text = row.text(8)};
}

bool LineFilter::passes(const StoredLine& line) const {
  return (line.flags & flags) == flags && (!any_flag || line.flags != 0) &&
         (!by_level || (line.level != 0 && holds(levels, line.level))) &&
         (!by_thread || (line.thread != 0 && holds(threads, line.thread)));
}

LogPages::LogPages(const Connection& db, LineFilter filter, bool down, WordText word)
    : filter_(std::move(filter)),
      down_(down),
      word_(std::move(word)),
      rows_(db.prepare(rows_sql((filter_.flags & (kEvidence | kAlarm)) != 0, down))),
      blocks_(db.prepare(blocks_sql(down))) {}

bool LogPages::next(BootRange& range) {
  lines_.clear();
  if (range.from >= range.to || (filter_.by_level && filter_.levels.empty()) ||
      (filter_.by_thread && filter_.threads.empty())) {
    return false;
  }
  BootRange part = range;
  read_part(part);
  if (has_block_) {
    read_block(part);
  }
  merge();
  (down_ ? range.to : range.from) = down_ ? part.from : part.to;
  return true;
}

void LogPages::read_part(BootRange& part) {
  plain_.clear();
  packed_.clear();
  plain_text_.clear();
  has_block_ = (filter_.flags & kEvidence) == 0 && step_block(part);
  Duration last{};
  if (has_block_) {
    block_first_ = Duration{blocks_.integer(0)};
    last = Duration{blocks_.integer(1)};
    part.from = down_ ? std::max(part.from, block_first_) : part.from;
    part.to = down_ ? part.to : std::min(part.to, last + Duration{1});
  }
  // The block's statement stands meanwhile, so that both see the same moment of the store.
  read_rows(part);
  has_block_ = has_block_ && block_first_ < part.to && last >= part.from;
  if (has_block_) {
    data_ = blocks_.blob(2);
  }
  blocks_.reset();
}

bool LogPages::step_block(const BootRange& part) {
  blocks_.bind(0, static_cast<std::int64_t>(part.boot)).bind(1, part.from.count()).bind(2, part.to.count());
  blocks_.bind(3, std::int64_t{filter_.flags}).bind(4, std::int64_t{filter_.any_flag});
  blocks_.bind(5, bits(filter_.by_level, filter_.levels));
  blocks_.bind(6, bits(filter_.by_thread, filter_.threads));
  return blocks_.step();
}

void LogPages::read_rows(BootRange& part) {
  rows_.bind(0, static_cast<std::int64_t>(part.boot)).bind(1, part.from.count()).bind(2, part.to.count());
  rows_.bind(3, kPageRows);
  const auto enough = std::chrono::steady_clock::now() + kLongestPart;
  std::int64_t n = 0;
  bool full = false;
  Duration t{};
  while (!full && rows_.step()) {
    StoredLine line = stored_line(rows_);
    t = line.t;
    if (filter_.passes(line) && (filter_.search == nullptr || filter_.search->matches(line.text))) {
      plain_text_ += line.text;
      plain_.push_back(line);
    }
    ++n;
    full = n == kPageRows || (n % kRowsBetweenLooks == 0 && std::chrono::steady_clock::now() > enough);
  }
  rows_.reset();
  if (full) {
    (down_ ? part.from : part.to) = down_ ? t : t + Duration{1};
  }
  const char* at = plain_text_.data();
  for (StoredLine& line : plain_) {
    line.text = {at, line.text.size()};
    at += line.text.size();
  }
}

void LogPages::take_block_line(const StoredLine& line) {
  if (filter_.passes(line) && (filter_.search == nullptr || filter_.search->matches(line.text))) {
    packed_.push_back(line);
  }
}

void LogPages::read_block(const BootRange& part) {
  if (data_ != unpacked_data_) {
    unpacked_data_.clear();
    block_.unpack(data_, block_first_, word_);
    std::swap(data_, unpacked_data_);
  }
  const std::span<const StoredLine> all = block_.lines();
  const auto earlier = [](const StoredLine& line, Duration t) { return line.t < t; };
  const auto begin = std::lower_bound(all.begin(), all.end(), part.from, earlier);
  const auto end = std::lower_bound(begin, all.end(), part.to, earlier);
  if (begin == end) {
    return;
  }
  if (filter_.search == nullptr || !block_.one_line_each()) {
    std::for_each(begin, end, [&](const StoredLine& line) { take_block_line(line); });
    return;
  }
  const std::size_t last = block_.end_of(static_cast<std::size_t>(end - all.begin()) - 1);
  const std::string_view text = block_.text().substr(0, last);
  auto at = static_cast<std::size_t>(begin->text.data() - text.data());
  while (at < text.size()) {
    const std::size_t found = filter_.search->find(text, at);
    if (found >= text.size()) {
      break;
    }
    const std::size_t line = block_.line_at(found);
    take_block_line(all[line]);
    at = block_.end_of(line);
  }
}

void LogPages::merge() {
  if (down_) {
    std::reverse(packed_.begin(), packed_.end());
  }
  lines_.resize(plain_.size() + packed_.size());
  std::merge(plain_.begin(), plain_.end(), packed_.begin(), packed_.end(), lines_.begin(),
             [this](const StoredLine& a, const StoredLine& b) { return down_ ? a.t > b.t : a.t < b.t; });
}

}  // namespace leakhunt::storage
