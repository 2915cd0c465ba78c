// Two lists in one order: what may be dropped, and what may not. Merged again when taken.
#include "storage/queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace leakhunt::storage {
namespace {

recorder::DeviceId device_of(const recorder::Row& row) {
  return std::visit(
      [](const auto& r) {
        if constexpr (requires { r.device; }) {
          return r.device;
        } else {
          return recorder::DeviceId{0};
        }
      },
      row);
}

}  // namespace

RowQueue::RowQueue(std::size_t limit_bytes, const Clock& clock) : limit_bytes_(limit_bytes), clock_(clock) {}

void RowQueue::push(recorder::Row row) {
  std::vector<recorder::Row> rows;
  rows.push_back(std::move(row));
  push(std::move(rows));
}

void RowQueue::push(std::vector<recorder::Row> rows) {
  const Moment now = clock_.now();
  bool wake = false;
  {
    const std::scoped_lock lock(mutex_);
    for (recorder::Row& row : rows) {
      add(std::move(row), now);
    }
    make_room(now);
    wake = wanted_rows_ > 0 && ready(wanted_rows_);
  }
  if (wake) {
    filled_.notify_one();
  }
}

bool RowQueue::ready(std::size_t max_rows) const {
  return closed_ || urgent_ || kept_.size() + text_.size() >= max_rows ||
         bytes_ - taken_bytes_ > limit_bytes_ / 4;
}

void RowQueue::add(recorder::Row row, Moment now) {
  const std::size_t bytes = recorder::queued_bytes(row);
  const bool text = recorder::may_be_dropped(row);
  const bool durable = recorder::must_be_durable(row);
  Entry entry{next_order_++, now, bytes, std::move(row)};
  if (!text && !durable && bytes_ + bytes > 2 * limit_bytes_) {
    make_room(now);
    if (bytes_ + bytes > 2 * limit_bytes_) {
      count_drop(entry, now);
      return;
    }
  }
  bytes_ += bytes;
  urgent_ = urgent_ || durable;
  (text ? text_ : kept_).push_back(std::move(entry));
}

void RowQueue::make_room(Moment now) {
  while (bytes_ > limit_bytes_ && !text_.empty()) {
    bytes_ -= text_.front().bytes;
    count_drop(text_.front(), now);
    text_.pop_front();
  }
}

void RowQueue::count_drop(const Entry& entry, Moment until) {
  const recorder::DeviceId device = device_of(entry.row);
  recorder::GapRow& gap = gaps_[device];
  if (gap.lines + gap.records == 0) {
    gap = {device, entry.arrived.utc, until.utc, "store_queue_full", 0, 0};
  }
  gap.to = until.utc;
  if (std::holds_alternative<recorder::LogRow>(entry.row)) {
    ++gap.lines;
    ++dropped_lines_;
  } else {
    ++gap.records;
    ++dropped_records_;
  }
}

std::deque<RowQueue::Entry>& RowQueue::next_source() {
  if (kept_.empty() || text_.empty()) {
    return kept_.empty() ? text_ : kept_;
  }
  return kept_.front().order < text_.front().order ? kept_ : text_;
}

void RowQueue::take_gaps(std::vector<recorder::Row>& rows) {
  for (auto& [device, gap] : gaps_) {
    const std::size_t bytes = recorder::queued_bytes(gap);
    taken_bytes_ += bytes;
    bytes_ += bytes;
    rows.emplace_back(std::move(gap));
  }
  gaps_.clear();
}

std::vector<recorder::Row> RowQueue::take(std::size_t max_rows, std::chrono::nanoseconds wait) {
  std::unique_lock lock(mutex_);
  wanted_rows_ = max_rows;
  filled_.wait_for(lock, wait, [&] { return ready(max_rows); });
  wanted_rows_ = 0;
  std::vector<recorder::Row> rows;
  rows.reserve(std::min(max_rows, kept_.size() + text_.size()) + gaps_.size());
  taken_since_.reset();
  taken_bytes_ = 0;
  for (std::size_t n = 0; n < max_rows && !(kept_.empty() && text_.empty()); ++n) {
    std::deque<Entry>& source = next_source();
    taken_since_ = std::min(taken_since_.value_or(source.front().arrived.mono), source.front().arrived.mono);
    taken_bytes_ += source.front().bytes;
    rows.push_back(std::move(source.front().row));
    source.pop_front();
  }
  urgent_ = urgent_ && !kept_.empty();
  take_gaps(rows);
  taken_rows_ = rows.size();
  return rows;
}

void RowQueue::done() {
  const std::scoped_lock lock(mutex_);
  bytes_ -= taken_bytes_;
  taken_bytes_ = 0;
  taken_rows_ = 0;
  taken_since_.reset();
}

void RowQueue::close() {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  filled_.notify_all();
}

bool RowQueue::closed() const {
  const std::scoped_lock lock(mutex_);
  return closed_;
}

QueueStats RowQueue::stats() const {
  const Moment now = clock_.now();
  const std::scoped_lock lock(mutex_);
  QueueStats stats{kept_.size() + text_.size() + taken_rows_,
                   bytes_,
                   limit_bytes_,
                   dropped_lines_,
                   dropped_records_,
                   Duration{}};
  std::optional<Mono> oldest = taken_since_;
  for (const auto* source : {&kept_, &text_}) {
    if (!source->empty()) {
      oldest = std::min(oldest.value_or(source->front().arrived.mono), source->front().arrived.mono);
    }
  }
  if (oldest) {
    stats.oldest_age = now.mono - *oldest;
  }
  return stats;
}

}  // namespace leakhunt::storage
