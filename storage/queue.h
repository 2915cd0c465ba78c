// Rows on their way from the thread that reads devices to the one that writes; bounded in bytes, and never a
// reason to wait for the former. Knows nothing of SQL.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "base/time.h"
#include "recorder/rows.h"

namespace leakhunt::storage {

struct QueueStats {
  std::size_t rows = 0;   // waiting, those of the batch being written included
  std::size_t bytes = 0;  // recorder::queued_bytes of them
  std::size_t limit_bytes = 0;
  std::int64_t dropped_lines = 0;    // since the start
  std::int64_t dropped_records = 0;  // since the start; only past twice the limit
  Duration oldest_age{};             // of the row that waits longest; 0 = none waits
};

// Any thread may push; one thread takes.
class RowQueue {
 public:
  // The clock stamps arrivals; it must outlive the queue.
  RowQueue(std::size_t limit_bytes, const Clock& clock);

  // Never blocks. When the rows in the queue exceed the limit, the oldest log text goes. What must not go may
  // exceed it up to twice the limit; past that new rows that need not be durable are refused. What went is
  // counted and comes out of take() as GapRows.
  void push(recorder::Row row);
  void push(std::vector<recorder::Row> rows);

  // Waits for `wait`, so that a batch gathers; less when `max_rows` are there, a row must be durable, a
  // quarter of the limit is full, or close() was called. Returns up to `max_rows` rows in the order of their
  // arrival, and what went missing. They count as queued until done().
  [[nodiscard]] std::vector<recorder::Row> take(std::size_t max_rows, std::chrono::nanoseconds wait);
  // The rows taken last are committed.
  void done();

  // take() no longer waits; what is queued still comes out.
  void close();
  [[nodiscard]] bool closed() const;
  [[nodiscard]] QueueStats stats() const;

 private:
  struct Entry {
    std::uint64_t order = 0;
    Moment arrived;
    std::size_t bytes = 0;
    recorder::Row row;
  };
  void add(recorder::Row row, Moment now);
  void make_room(Moment now);
  void count_drop(const Entry& entry, Moment until);
  [[nodiscard]] std::deque<Entry>& next_source();
  void take_gaps(std::vector<recorder::Row>& rows);
  [[nodiscard]] bool ready(std::size_t max_rows) const;

  mutable std::mutex mutex_;
  std::condition_variable filled_;
  const std::size_t limit_bytes_;
  const Clock& clock_;
  std::deque<Entry> kept_;  // never dropped
  std::deque<Entry> text_;  // dropped first, oldest first
  std::map<recorder::DeviceId, recorder::GapRow> gaps_;
  std::uint64_t next_order_ = 0;
  std::size_t bytes_ = 0;
  std::size_t taken_rows_ = 0;
  std::size_t taken_bytes_ = 0;
  std::optional<Mono> taken_since_;
  std::int64_t dropped_lines_ = 0;
  std::int64_t dropped_records_ = 0;
  std::size_t wanted_rows_ = 0;  // what take() waits for; 0 = nobody waits
  bool urgent_ = false;          // a row that must be durable waits
  bool closed_ = false;
};

}  // namespace leakhunt::storage
