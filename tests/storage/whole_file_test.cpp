// What is done with a store's file as a whole: a copy, a check, sizes, making it smaller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "storage/copy.h"
#include "storage/vacuum.h"
#include "storage/writer_thread.h"
#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using recorder::BootId;
using recorder::Row;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Row> batch_of(int first, int count) {
  std::vector<Row> rows;
  for (int i = first; i < first + count; ++i) {
    rows.emplace_back(sample_row(BootId{1}, Duration{i}, i));
    rows.emplace_back(log_row(BootId{1}, Duration{i}, "line " + std::to_string(i) + std::string(60, 'x')));
  }
  return rows;
}

class WholeFile : public ::testing::Test {
 protected:
  WholeFile() : writer_(writer_of(folder_.file(), clock_)) {
    EXPECT_TRUE(writer_.write(beginnings()));
    EXPECT_TRUE(writer_.write(batch_of(0, 5000)));
  }
  void damage(const std::string& path, std::streamoff at) const {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << std::string(4096, '\xA5');
  }
  Folder folder_;
  SteppedClock clock_;
  Writer writer_;
};

TEST_F(WholeFile, ACopyIsWholeAndPrivate) {
  const std::string copy = folder_.file("copy.db");
  Reader reader = reader_of(folder_.file());
  const auto bytes = reader.copy_to(copy);
  ASSERT_TRUE(bytes) << bytes.error().line();
  EXPECT_EQ(*bytes, static_cast<std::int64_t>(fs::file_size(copy)));
  struct stat status {};
  ASSERT_EQ(stat(copy.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U & ~0640U, 0U);
  EXPECT_EQ(contents(copy), contents(folder_.file()));
  EXPECT_THAT(reader_of(copy).check(), IsEmpty());
  EXPECT_FALSE(fs::exists(copy + ".part"));
}

TEST_F(WholeFile, NothingIsWrittenOver) {
  std::ofstream(folder_.file("there")) << "precious";
  const auto copied = reader_of(folder_.file()).copy_to(folder_.file("there"));
  ASSERT_FALSE(copied);
  EXPECT_THAT(copied.error().line(), HasSubstr("nothing is written over"));
  EXPECT_EQ(fs::file_size(folder_.file("there")), 8U);
}

TEST_F(WholeFile, ACopyToNowhereSaysWhere) {
  const auto copied = reader_of(folder_.file()).copy_to(folder_.file("no/such/folder.db"));
  ASSERT_FALSE(copied);
  EXPECT_THAT(copied.error().line(), HasSubstr("no/such"));
}

TEST_F(WholeFile, AnInterruptedCopyLeavesNothing) {
  Connection db(folder_.file(), Connection::Mode::read_only);
  int calls = 0;
  const auto copied = copy_store(db, folder_.file("copy.db"), [&](std::int64_t done, std::int64_t total) {
    EXPECT_LT(done, total);
    return ++calls < 2;
  });
  ASSERT_FALSE(copied);
  EXPECT_THAT(copied.error().line(), HasSubstr("interrupted"));
  EXPECT_FALSE(fs::exists(folder_.file("copy.db")));
  EXPECT_FALSE(fs::exists(folder_.file("copy.db.part")));
}

TEST_F(WholeFile, NoRoomIsSaidBeforeItIsTried) {
  const Outcome room = check_room(folder_.path().string(), std::int64_t{1} << 60U);
  ASSERT_FALSE(room);
  EXPECT_THAT(room.error().line(), HasSubstr("not enough room"));
}

// Each committed batch of 50 is in the copy whole or not at all, and none without those before it.
TEST_F(WholeFile, ACopyMadeWhileOthersWriteIsOfOneMoment) {
  Connection db(folder_.file(), Connection::Mode::read_only);
  int next = 5000;
  const auto copied = copy_store(db, folder_.file("copy.db"), [&](std::int64_t, std::int64_t) {
    EXPECT_TRUE(writer_.write(batch_of(next, 50)));
    next += 50;
    return true;
  });
  ASSERT_TRUE(copied) << copied.error().line();
  ASSERT_GT(next, 5000);
  Reader copy = reader_of(folder_.file("copy.db"));
  EXPECT_THAT(copy.check(), IsEmpty());
  EXPECT_EQ(copy.samples({.device = kDevice}).size(), 5000U) << "as it stood when the copying began";
  EXPECT_EQ(reader_of(folder_.file()).samples({.device = kDevice}).size(), static_cast<std::size_t>(next));
}

TEST_F(WholeFile, ASoundFileHasNoProblems) {
  EXPECT_THAT(reader_of(folder_.file()).check(), IsEmpty());
}

TEST_F(WholeFile, ACheckFindsWhatRefersToNothing) {
  static_cast<void>(number_in(folder_.file(), "DELETE FROM identity"));
  static_cast<void>(number_in(folder_.file(), "DELETE FROM word WHERE text = 'Router'"));
  const auto problems = reader_of(folder_.file()).check();
  EXPECT_THAT(problems, Contains(HasSubstr("a row of boot refers to nothing in identity")));
  EXPECT_THAT(problems, Contains(HasSubstr("5000 log lines whose level, thread or alarm is no word")));
}

TEST_F(WholeFile, ACheckFindsADamagedPage) {
  ASSERT_TRUE(writer_.finish());
  fs::copy_file(folder_.file(), folder_.file("copy.db"));
  damage(folder_.file("copy.db"),
         static_cast<std::streamoff>(fs::file_size(folder_.file()) / 2 / 4096 * 4096));
  auto reader = open_for_reading(folder_.file("copy.db"), Reading::as_it_is);
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->check().empty());
}

TEST_F(WholeFile, SizesAddUpToTheFile) {
  ASSERT_TRUE(writer_.finish());
  Reader reader = reader_of(folder_.file());
  std::int64_t bytes = 0;
  for (const TableSize& size : reader.table_sizes()) {
    bytes += size.bytes;
    if (size.table == "sample" || size.table == "log") {
      EXPECT_EQ(size.rows, 5000);
    }
  }
  const auto file = static_cast<std::int64_t>(fs::file_size(folder_.file()));
  EXPECT_LE(bytes, file);
  EXPECT_GT(bytes, file - 3 * 4096);  // the pages that tell where others are
}

TEST_F(WholeFile, WhatIsFreeIsGivenBackWhileRowsComeIn) {
  ASSERT_TRUE(writer_.finish());
  const auto before = fs::file_size(folder_.file());
  static_cast<void>(number_in(folder_.file(), "DELETE FROM log"));
  RowQueue queue(std::size_t{64} << 20U, clock_);
  WriterThread thread(std::move(writer_), queue, clock_, {}, {.commit_interval = 1ms, .max_batch_rows = 64});
  queue.push(batch_of(6000, 100));
  const auto shrunk = thread.shrink(60s);
  ASSERT_TRUE(shrunk) << shrunk.error().line();
  EXPECT_LT(shrunk->bytes_after, shrunk->bytes_before / 2);
  EXPECT_LT(fs::file_size(folder_.file()), before / 2);
  ASSERT_TRUE(thread.stop());
  EXPECT_EQ(reader_of(folder_.file()).samples({.device = kDevice}).size(), 5100U);
  EXPECT_EQ(number_in(folder_.file(), "PRAGMA freelist_count"), 0);
  EXPECT_FALSE(thread.shrink(1ms)) << "it has ended";
}

TEST_F(WholeFile, VacuumNeedsTheLock) {
  const auto refused = vacuum(folder_.file());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unreachable);
  EXPECT_THAT(refused.error().line(), HasSubstr("in use by pid"));
}

TEST_F(WholeFile, VacuumMakesAFileAtRestSmaller) {
  ASSERT_TRUE(writer_.finish());
  fs::copy_file(folder_.file(), folder_.file("copy.db"));
  static_cast<void>(number_in(folder_.file("copy.db"), "DELETE FROM log"));
  const auto rows = contents(folder_.file("copy.db"));
  const auto done = vacuum(folder_.file("copy.db"));
  ASSERT_TRUE(done) << done.error().line();
  EXPECT_LT(done->bytes_after, done->bytes_before / 2);
  EXPECT_EQ(done->bytes_after, static_cast<std::int64_t>(fs::file_size(folder_.file("copy.db"))));
  EXPECT_EQ(contents(folder_.file("copy.db")), rows);
  EXPECT_FALSE(fs::exists(folder_.file("copy.db") + "-wal"));
}

}  // namespace
}  // namespace leakhunt::storage::testing
