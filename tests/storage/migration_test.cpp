// Files of every older schema are brought up to date with all that is in them, or left as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "storage/schema.h"
#include "storage/sqlite.h"
#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>{file}, {}};
}

// What stood in the tables that are not filled by the program itself, in whatever schema.
void expect_kept(const std::map<std::string, std::vector<std::string>>& before, const std::string& path) {
  auto after = contents(path);
  for (const auto& [table, rows] : before) EXPECT_EQ(after[table], rows) << table;
}

class Migration : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { make_old(folder_.file(), GetParam()); }
  static void make_old(const std::string& path, std::int64_t version) {
    const std::string data = LEAKHUNT_TEST_DATA "/store/version-" + std::to_string(version) + ".sql";
    std::ifstream sql(data);
    ASSERT_TRUE(sql) << data << " must be kept: a store of each schema there was";
    std::ofstream{path}.flush();  // a connection creates no file
    Connection db(path, Connection::Mode::read_write);
    db.run({std::istreambuf_iterator<char>{sql}, {}});
    ASSERT_EQ(db.integer("PRAGMA user_version"), version);
  }
  [[nodiscard]] std::string backup(const std::string& n = "") const {
    return folder_.file() + ".schema-" + std::to_string(GetParam()) + n + ".bak";
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
  }
  Folder folder_;
  SteppedClock clock_;
};

TEST_P(Migration, KeepsEverythingAndACopyOfWhatWas) {
  const auto before = contents(folder_.file());
  ASSERT_THAT(before.at("sample"), SizeIs(4));
  std::vector<std::string> told;
  {
    const auto store = open_for_writing(
        folder_.file(), {.on_progress = [&](const std::string& line) { told.push_back(line); }});
    ASSERT_TRUE(store) << store.error().line();
  }
  EXPECT_EQ(number_in(folder_.file(), "PRAGMA user_version"), schema_version());
  expect_kept(before, folder_.file());
  EXPECT_EQ(integrity(folder_.file()), "ok");
  EXPECT_EQ(number_in(folder_.file(), "SELECT count(*) FROM pragma_foreign_key_check"), 0);
  EXPECT_EQ(fs::status(backup()).permissions() & fs::perms::others_all, fs::perms::none);
  EXPECT_EQ(number_in(backup(), "PRAGMA user_version"), GetParam());
  EXPECT_EQ(contents(backup()), before);
  EXPECT_THAT(told, Contains(HasSubstr(backup())));
  EXPECT_THAT(told, Contains(HasSubstr("from schema " + std::to_string(schema_version() - 1))));
}

TEST_P(Migration, AnotherCopyOfTheSameNameIsNotWrittenOver) {
  std::ofstream(backup()) << "precious";
  { const Writer writer = writer_of(folder_.file(), clock_); }
  EXPECT_EQ(bytes_of(backup()), "precious");
  EXPECT_EQ(number_in(backup(".2"), "PRAGMA user_version"), GetParam());
}

TEST_P(Migration, AStartThatEndedInItLeavesOneCopyAlone) {
  const std::string saved = bytes_of(folder_.file());
  { const Writer writer = writer_of(folder_.file(), clock_); }
  std::ofstream(folder_.file(), std::ios::binary) << saved;  // as if it had never been committed
  { const Writer writer = writer_of(folder_.file(), clock_); }
  EXPECT_FALSE(fs::exists(backup(".2")));
  EXPECT_EQ(number_in(folder_.file(), "PRAGMA user_version"), schema_version());
}

TEST_P(Migration, WithoutACopyNothingChanges) {
  const std::string before = bytes_of(folder_.file());
  fs::create_directory(backup() + ".part");  // stands where the copy would be written
  fs::create_directory(fs::path(backup() + ".part") / "in the way");
  const auto store = open_for_writing(folder_.file());
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::unreachable);
  EXPECT_THAT(store.error().line(), HasSubstr("must be copied before it changes"));
  EXPECT_EQ(bytes_of(folder_.file()), before);
}

TEST_P(Migration, AStepThatFailsUndoesAllOfThem) {
  const auto before = contents(folder_.file());
  Connection db(folder_.file(), Connection::Mode::read_write);
  const std::int64_t pages = db.integer("PRAGMA page_count");
  int failures = 0;
  for (std::int64_t more = 0; db.integer("PRAGMA user_version") == GetParam(); ++more) {
    db.run("PRAGMA max_page_count = " + std::to_string(pages + more));
    try {
      migrate(db);
    } catch (const SqliteError& error) {
      ++failures;
      EXPECT_EQ(error.primary(), SQLITE_FULL);
      EXPECT_EQ(db.integer("PRAGMA user_version"), GetParam());
      EXPECT_EQ(contents(folder_.file()), before);
    }
  }
  EXPECT_GT(failures, 0);
  EXPECT_EQ(db.integer("PRAGMA user_version"), schema_version());
}

TEST_P(Migration, WhatWasThereIsReadAndGoesOn) {
  Writer writer = writer_of(folder_.file(), clock_);
  const auto state = writer.store().load_state();
  ASSERT_TRUE(state);
  ASSERT_THAT(state->devices, SizeIs(2));
  ASSERT_TRUE(writer.write(std::vector<recorder::Row>{
      sample_row(recorder::BootId{1}, 2s, 99), recorder::PortRow{kDevice, "/dev/ttyACM7", "", 0, 0, "", {5}},
      recorder::MergeDevices{recorder::DeviceId{2}, kDevice, {}, {}}}));
  EXPECT_EQ(writer.refused_rows(), 0);
  Reader reader = reader_of(folder_.file());
  EXPECT_THAT(reader.samples({.device = kDevice}), SizeIs(3));
  EXPECT_THAT(reader.identities(kDevice), SizeIs(2));
}

TEST_P(Migration, AReaderSeesWhatIsInItAndLeavesItAsItIs) {
  const std::string before = bytes_of(folder_.file());
  {
    auto reader = open_for_reading(folder_.file(), Reading::once);
    ASSERT_TRUE(reader) << reader.error().line();
    EXPECT_THAT(reader->devices(), SizeIs(2));
    EXPECT_THAT(reader->samples({.device = kDevice}), SizeIs(1));
    EXPECT_EQ(reader->info().schema, GetParam());
  }
  EXPECT_EQ(bytes_of(folder_.file()), before);
  EXPECT_EQ(files(), 1U) << "nothing beside it";
}

INSTANTIATE_TEST_SUITE_P(OfEachSchema, Migration, ::testing::Range<std::int64_t>(1, schema_version()),
                         [](const auto& each) { return "schema" + std::to_string(each.param); });

}  // namespace
}  // namespace leakhunt::storage::testing
