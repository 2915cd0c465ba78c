// What a full queue lets go, and that the rest keeps its order.
#include "storage/queue.h"

#include <gtest/gtest.h>

#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using recorder::BootId;
using recorder::Row;

class Queue : public ::testing::Test {
 protected:
  static Row text(int n) { return log_row(BootId{1}, Duration{n}, std::to_string(n)); }
  static Row sample(int n) { return sample_row(BootId{1}, Duration{n}, n); }
  [[nodiscard]] static std::size_t bytes_of(std::size_t rows) {
    return rows * recorder::queued_bytes(sample(1));
  }

  // The t of each row, -1 for a gap.
  static std::vector<std::int64_t> order(const std::vector<Row>& rows) {
    std::vector<std::int64_t> times;
    for (const Row& row : rows) {
      if (const auto* line = std::get_if<recorder::LogRow>(&row)) {
        times.push_back(line->at.t.count());
      } else if (const auto* reading = std::get_if<recorder::SampleRow>(&row)) {
        times.push_back(reading->at.t.count());
      } else {
        times.push_back(-1);
      }
    }
    return times;
  }

  SteppedClock clock_;
};

TEST_F(Queue, KeepsTheOrderOfArrival) {
  RowQueue queue(bytes_of(100), clock_);
  for (int n = 0; n < 10; ++n) {
    queue.push(n % 3 == 0 ? sample(n) : text(n));
  }
  queue.close();
  EXPECT_EQ(order(queue.take(4, 0s)), (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(order(queue.take(100, 0s)), (std::vector<std::int64_t>{4, 5, 6, 7, 8, 9}));
}

TEST_F(Queue, TheOldestTextGoesFirstAndIsReported) {
  RowQueue queue(bytes_of(6), clock_);
  const Utc began = clock_.now().utc;
  for (int n = 0; n < 5; ++n) {
    queue.push(text(n));
  }
  clock_.advance(2s);
  for (int n = 5; n < 9; ++n) {
    queue.push(sample(n));
  }
  const std::vector<Row> rows = queue.take(100, 0s);
  const QueueStats stats = queue.stats();
  EXPECT_GT(stats.dropped_lines, 0);
  EXPECT_EQ(stats.dropped_records, 0);
  ASSERT_TRUE(std::holds_alternative<recorder::GapRow>(rows.back()));
  const auto& gap = std::get<recorder::GapRow>(rows.back());
  EXPECT_EQ(gap.device, kDevice);
  EXPECT_EQ(gap.lines, stats.dropped_lines);
  EXPECT_EQ(gap.from, began);
  EXPECT_EQ(gap.to, clock_.now().utc);
  const std::vector<std::int64_t> times = order(rows);
  EXPECT_EQ(times.front(), stats.dropped_lines) << "the oldest are those that went";
  EXPECT_EQ(std::vector<std::int64_t>(times.end() - 5, times.end() - 1),
            (std::vector<std::int64_t>{5, 6, 7, 8}));
}

TEST_F(Queue, EvidenceAndMarksStay) {
  recorder::LogRow evidence = log_row(BootId{1}, 1us, "Guru Meditation");
  evidence.evidence = true;
  recorder::LogRow mark = log_row(BootId{1}, 2us, "[mark] here");
  mark.level = "MARK";
  RowQueue queue(bytes_of(3), clock_);
  queue.push(evidence);
  queue.push(mark);
  for (int n = 3; n < 20; ++n) {
    queue.push(text(n));
  }
  const std::vector<std::int64_t> times = order(queue.take(100, 0s));
  EXPECT_EQ(times[0], 1);
  EXPECT_EQ(times[1], 2);
}

TEST_F(Queue, SamplesMayExceedTheLimitButNotForEver) {
  RowQueue queue(bytes_of(10), clock_);
  for (int n = 0; n < 15; ++n) {
    queue.push(sample(n));
  }
  EXPECT_EQ(queue.stats().dropped_records, 0);
  for (int n = 15; n < 30; ++n) {
    queue.push(sample(n));
  }
  EXPECT_EQ(queue.stats().dropped_records, 10);
  EXPECT_LE(queue.stats().bytes, bytes_of(20));
  queue.push(boot_row(BootId{2}));
  const std::vector<Row> rows = queue.take(100, 0s);
  EXPECT_TRUE(std::holds_alternative<recorder::BootRow>(rows[rows.size() - 2])) << "a boot always finds room";
  EXPECT_EQ(std::get<recorder::GapRow>(rows.back()).records, 10);
}

TEST_F(Queue, TakenRowsCountUntilTheyAreCommitted) {
  RowQueue queue(bytes_of(100), clock_);
  queue.push(sample(1));
  queue.push(sample(2));
  clock_.advance(3s);
  static_cast<void>(queue.take(100, 0s));
  EXPECT_EQ(queue.stats().rows, 2U);
  EXPECT_EQ(queue.stats().bytes, bytes_of(2));
  EXPECT_EQ(queue.stats().oldest_age, 3s);
  queue.done();
  EXPECT_EQ(queue.stats().rows, 0U);
  EXPECT_EQ(queue.stats().bytes, 0U);
  EXPECT_EQ(queue.stats().oldest_age, 0s);
}

TEST_F(Queue, ADurableRowDoesNotWaitForABatch) {
  RowQueue queue(bytes_of(100), clock_);
  queue.push(boot_row(BootId{1}));
  EXPECT_EQ(queue.take(100, 1h).size(), 1U);
}

TEST_F(Queue, AFullBatchDoesNotWait) {
  RowQueue queue(bytes_of(100), clock_);
  queue.push(std::vector<Row>{sample(1), sample(2)});
  EXPECT_EQ(queue.take(2, 1h).size(), 2U);
}

}  // namespace
}  // namespace leakhunt::storage::testing
