// A store that cannot take rows for a while: they wait, it is told, and nothing is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>

#include "storage/writer_thread.h"
#include "tests/storage/fault_vfs.h"
#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using recorder::BootId;
using recorder::Row;
using ::testing::HasSubstr;

// Lets a test wait for what the writer thread says.
class HealthBoard {
 public:
  void post(const StoreHealth& health) {
    {
      const std::scoped_lock lock(mutex_);
      health_.push_back(health);
    }
    posted_.notify_all();
  }
  StoreHealth wait_for(bool ok) {
    std::unique_lock lock(mutex_);
    posted_.wait(lock, [&] { return !health_.empty() && health_.back().ok == ok; });
    return health_.back();
  }

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::vector<StoreHealth> health_;
};

class Trouble : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<Row> some_samples(int count) const {
    std::vector<Row> rows;
    for (int i = 0; i < count; ++i) {
      rows.emplace_back(sample_row(BootId{1}, Duration{i}, i));
      rows.emplace_back(log_row(BootId{1}, Duration{i}, std::string(200, 'x')));
    }
    return rows;
  }
  [[nodiscard]] std::size_t samples() {
    return reader_of(folder_.file()).samples({.device = kDevice}).size();
  }
  [[nodiscard]] WriterThreadOptions quick() const {
    return {.commit_interval = 1ms, .max_batch_rows = 64, .first_retry = 1ms, .last_retry = 5ms};
  }

  Folder folder_;
  SteppedClock clock_;
  RowQueue queue_{std::size_t{64} << 20U, clock_};
  HealthBoard board_;
};

TEST_F(Trouble, AForeignWriterDelaysButLosesNothing) {
  Writer writer = writer_of(folder_.file(), clock_);
  ASSERT_TRUE(writer.write(beginnings()));
  Connection foreign(folder_.file(), Connection::Mode::read_write);
  foreign.run("BEGIN IMMEDIATE");
  WriterThread thread(
      std::move(writer), queue_, clock_, [&](const StoreHealth& h) { board_.post(h); }, quick());
  queue_.push(some_samples(500));
  const StoreHealth trouble = board_.wait_for(false);
  EXPECT_EQ(trouble.kind, WriteTrouble::Kind::busy);
  EXPECT_THAT(trouble.what, HasSubstr(folder_.file()));
  EXPECT_EQ(trouble.since, clock_.now().utc);
  EXPECT_EQ(samples(), 0U);
  foreign.run("ROLLBACK");
  board_.wait_for(true);
  ASSERT_TRUE(thread.stop());
  EXPECT_EQ(samples(), 500U);
  EXPECT_GT(thread.health().retries, 0);
}

TEST_F(Trouble, AFullDiskIsToldAndABatchIsWrittenWholeOrNotAtAll) {
  Writer writer = writer_of(folder_.file(), clock_);
  ASSERT_TRUE(writer.write(beginnings()));
  Connection& db = writer.store().connection();
  const std::int64_t pages = db.integer("PRAGMA page_count");
  db.run("PRAGMA max_page_count = " + std::to_string(pages + 2));
  const std::vector<Row> rows = some_samples(500);
  EXPECT_FALSE(writer.write(rows));
  ASSERT_TRUE(writer.trouble());
  EXPECT_EQ(writer.trouble()->kind, WriteTrouble::Kind::full);
  EXPECT_EQ(samples(), 0U);
  db.run("PRAGMA max_page_count = 1000000");
  ASSERT_TRUE(writer.write(rows));
  EXPECT_FALSE(writer.trouble());
  EXPECT_EQ(samples(), 500U);
  EXPECT_EQ(reader_of(folder_.file()).totals(kDevice).logs.rows, 500);
  EXPECT_EQ(integrity(folder_.file()), "ok");
}

TEST_F(Trouble, StopGivesUpAndSaysWhatIsLost) {
  Writer writer = writer_of(folder_.file(), clock_);
  ASSERT_TRUE(writer.write(beginnings()));
  Connection foreign(folder_.file(), Connection::Mode::read_write);
  foreign.run("BEGIN IMMEDIATE");
  WriterThread thread(
      std::move(writer), queue_, clock_, [&](const StoreHealth& h) { board_.post(h); }, quick());
  queue_.push(some_samples(100));
  board_.wait_for(false);
  const Outcome stopped = thread.stop(20ms);
  ASSERT_FALSE(stopped);
  EXPECT_THAT(stopped.error().what, HasSubstr("200 rows"));
}

TEST_F(Trouble, StopCommitsWhatIsQueued) {
  Writer writer = writer_of(folder_.file(), clock_);
  ASSERT_TRUE(writer.write(beginnings()));
  WriterThread thread(std::move(writer), queue_, clock_, {}, {.commit_interval = 1h, .max_batch_rows = 100});
  queue_.push(some_samples(1234));
  ASSERT_TRUE(thread.stop());
  EXPECT_EQ(samples(), 1234U);
  EXPECT_EQ(queue_.stats().rows, 0U);
  EXPECT_EQ(std::filesystem::file_size(folder_.file() + "-wal"), 0U) << "the file alone is whole";
  EXPECT_EQ(thread.health().rows, 2468);
}

TEST_F(Trouble, ACorruptFileIsPutAsideAndRecordingGoesOn) {
  Writer writer = writer_of(folder_.file(), clock_);
  ASSERT_TRUE(writer.write(beginnings()));
  ASSERT_TRUE(writer.write(some_samples(200)));
  ASSERT_TRUE(writer.finish());
  {
    // Behind SQLite's back: every page but the first is overwritten.
    std::fstream file(folder_.file(), std::ios::in | std::ios::out | std::ios::binary);
    const auto size = std::filesystem::file_size(folder_.file());
    file.seekp(4096);
    file << std::string(size - 4096, '\xA5');
  }
  writer.store().connection().run("PRAGMA shrink_memory");
  WriterThread thread(
      std::move(writer), queue_, clock_, [&](const StoreHealth& h) { board_.post(h); }, quick());
  queue_.push(some_samples(300));
  EXPECT_EQ(board_.wait_for(false).kind, WriteTrouble::Kind::corrupt);
  board_.wait_for(true);
  ASSERT_TRUE(thread.stop());
  EXPECT_THAT(thread.health().set_aside, HasSubstr(".corrupt-"));
  EXPECT_TRUE(std::filesystem::exists(thread.health().set_aside));
  EXPECT_EQ(samples(), 300U);
  EXPECT_EQ(reader_of(folder_.file()).devices().at(0).name, "bench1");
  EXPECT_EQ(integrity(folder_.file()), "ok");
}

// The thread that reads devices pushes rows and never waits; what the queue cannot hold is text, and is told.
TEST_F(Trouble, ADiskThatHangsHoldsUpNobodyButTheWriter) {
  FaultVfs disk;
  RowQueue queue{std::size_t{256} << 10U, clock_};
  Writer writer = writer_of(folder_.file(), clock_);
  ASSERT_TRUE(writer.write(beginnings()));
  disk.hold_syncs();
  WriterThread thread(std::move(writer), queue, clock_, {}, quick());
  recorder::EventRow mark;
  mark.device = kDevice;
  mark.kind = "mark";
  queue.push(mark);  // must be durable
  disk.wait_for_held_sync();
  clock_.advance(7s);
  EXPECT_EQ(queue.stats().oldest_age, 7s) << "by this the alert is raised";
  for (int i = 0; i < 20; ++i) {
    std::vector<Row> rows;
    for (int k = 0; k < 100; ++k) {
      const Duration t{1000 * i + k};
      rows.emplace_back(sample_row(BootId{1}, t, i));
      rows.emplace_back(log_row(BootId{1}, t, std::string(200, 'x')));
    }
    queue.push(std::move(rows));
  }
  const QueueStats stats = queue.stats();
  EXPECT_GT(stats.dropped_lines, 0);
  EXPECT_EQ(stats.dropped_records, 0);
  EXPECT_LE(stats.bytes, 2 * stats.limit_bytes);
  disk.let_syncs_go();
  ASSERT_TRUE(thread.stop(1h));
  Reader reader = reader_of(folder_.file());
  EXPECT_EQ(reader.samples({.device = kDevice}).size(), 2000U);
  const auto gaps = reader.gaps(kDevice, kAllTime);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].lines, stats.dropped_lines);
}

TEST_F(Trouble, NobodyWaitsAtTheEndForAStoreThatCannotShrink) {
  Writer writer = writer_of(folder_.file(), clock_);
  ASSERT_TRUE(writer.write(beginnings()));
  Connection foreign(folder_.file(), Connection::Mode::read_write);
  foreign.run("BEGIN IMMEDIATE");
  WriterThread thread(
      std::move(writer), queue_, clock_, [&](const StoreHealth& h) { board_.post(h); }, quick());
  queue_.push(some_samples(10));
  board_.wait_for(false);
  auto shrunk = std::async(std::launch::async, [&] { return thread.shrink(1h); });
  thread.refuse_shrinking();
  EXPECT_FALSE(shrunk.get());
  EXPECT_FALSE(thread.shrink(1h));
  foreign.run("ROLLBACK");
}

class Vanishing : public Trouble {
 protected:
  // Commits some rows, does `mischief` to the file, commits more and ends.
  template <class Mischief>
  void run(Mischief mischief) {
    Writer writer = writer_of(folder_.file(), clock_);
    ASSERT_TRUE(writer.write(beginnings()));
    ASSERT_TRUE(writer.write(some_samples(200)));
    mischief();
    WriterThread thread(
        std::move(writer), queue_, clock_, [&](const StoreHealth& h) { board_.post(h); }, quick());
    queue_.push(some_samples(300));
    board_.wait_for(true);
    ASSERT_TRUE(thread.stop());
    EXPECT_EQ(thread.health().vanished_files, 1);
    EXPECT_EQ(samples(), 300U);
    EXPECT_EQ(reader_of(folder_.file()).devices().at(0).name, "bench1");
    EXPECT_EQ(integrity(folder_.file()), "ok");
    set_aside_ = thread.health().set_aside;
  }
  std::string set_aside_;
};

TEST_F(Vanishing, ARemovedFileIsBegunAnewAndNothingAfterIsLost) {
  run([&] { std::filesystem::remove(folder_.file()); });
  EXPECT_EQ(set_aside_, "");
}

TEST_F(Vanishing, AMovedFileKeepsAllThatWasCommittedToIt) {
  run([&] { std::filesystem::rename(folder_.file(), folder_.file("moved.db")); });
  EXPECT_EQ(reader_of(folder_.file("moved.db")).samples({.device = kDevice}).size(), 200U);
}

TEST_F(Vanishing, AFilePutInItsPlaceIsPutAsideUntouched) {
  run([&] {
    std::ofstream(folder_.file("other")) << "precious";
    std::filesystem::rename(folder_.file("other"), folder_.file());
  });
  EXPECT_THAT(set_aside_, HasSubstr(".replaced-"));
  std::string text;
  std::getline(std::ifstream(set_aside_), text);
  EXPECT_EQ(text, "precious");
}

TEST_F(Vanishing, AFolderThatComesBackIsWrittenAgain) {
  run([&] {
    std::filesystem::rename(folder_.path(), folder_.path().string() + ".away");
    std::filesystem::create_directory(folder_.path());
  });
  std::filesystem::remove_all(folder_.path().string() + ".away");
}

}  // namespace
}  // namespace leakhunt::storage::testing
