// What opening a store makes, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "storage/schema.h"
#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using recorder::BootId;
using ::testing::HasSubstr;

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A store with one sample in it, closed cleanly.
void make_store(const std::string& path) {
  const SteppedClock clock;
  Writer writer = writer_of(path, clock);
  std::vector<recorder::Row> rows = beginnings();
  rows.emplace_back(sample_row(BootId{1}, 7s, 1000));
  ASSERT_TRUE(writer.write(rows));
  ASSERT_TRUE(writer.finish());
}

// An SQLite file that others made.
void make_foreign(const std::string& path) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "CREATE TABLE bookmark(url)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
}

TEST(Opening, MakesAFileAsDesigned) {
  const Folder folder;
  make_store(folder.file());
  struct stat status {};
  ASSERT_EQ(stat(folder.file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U & ~0640U, 0U) << "nobody else may read it";
  EXPECT_EQ(number_in(folder.file(), "PRAGMA application_id"), kApplicationId);
  EXPECT_EQ(number_in(folder.file(), "PRAGMA user_version"), schema_version());
  EXPECT_EQ(number_in(folder.file(), "PRAGMA auto_vacuum"), 2) << "incremental";
  EXPECT_EQ(number_in(folder.file(),
                      "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
                      "AND name NOT LIKE 'sqlite_%' AND strict = 0"),
            0);
}

TEST(Opening, ACleanStopLeavesOneWholeFile) {
  const Folder folder;
  make_store(folder.file());
  EXPECT_FALSE(fs::exists(folder.file() + "-wal"));
  fs::copy_file(folder.file(), folder.file("copy.db"));
  EXPECT_EQ(reader_of(folder.file("copy.db")).samples({.device = kDevice}).size(), 1U);
}

TEST(Opening, ASecondWriterIsRefusedWithTheHoldersName) {
  const Folder folder;
  const Result<Store> first = open_for_writing(folder.file(), {.holder = "leakhuntd-bench"});
  ASSERT_TRUE(first);
  const Result<Store> second = open_for_writing(folder.file());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::unreachable);
  EXPECT_THAT(second.error().line(), HasSubstr("pid " + std::to_string(getpid()) + " (leakhuntd-bench)"));
  EXPECT_THAT(second.error().line(), HasSubstr(folder.file()));
}

TEST(Opening, TheLockEndsWithItsHolder) {
  const Folder folder;
  { ASSERT_TRUE(open_for_writing(folder.file())); }
  EXPECT_TRUE(open_for_writing(folder.file()));
}

TEST(Opening, AFolderThatIsNotThereIsNamed) {
  const Folder folder;
  const Result<Store> store = open_for_writing(folder.file("no/such.db"));
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().line(), HasSubstr("no/such.db"));
}

TEST(Opening, ANewerSchemaIsRefusedAndLeftAlone) {
  const Folder folder;
  make_store(folder.file());
  static_cast<void>(number_in(folder.file(), "PRAGMA user_version = 4711"));
  const Result<Store> store = open_for_writing(folder.file());
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().line(), HasSubstr("schema 4711"));
  EXPECT_EQ(number_in(folder.file(), "PRAGMA user_version"), 4711);
  const Result<Reader> reader = open_for_reading(folder.file());
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().line(), HasSubstr("schema 4711"));
}

TEST(Opening, AForeignDatabaseIsRefusedAndLeftAlone) {
  const Folder folder;
  make_foreign(folder.file());
  const std::string before = text_of(folder.file());
  const Result<Store> store = open_for_writing(folder.file());
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().line(), HasSubstr("not a store of leakhunt"));
  const Result<Reader> reader = open_for_reading(folder.file());
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().line(), HasSubstr("not a store of leakhunt"));
  EXPECT_EQ(text_of(folder.file()), before);
}

TEST(Opening, AFileThatIsNoDatabaseIsRefusedAndLeftAlone) {
  const Folder folder;
  const std::string text(5000, 'x');
  write_text(folder.file(), text);
  const Result<Store> store = open_for_writing(folder.file());
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().line(), HasSubstr("not a database"));
  const Result<Reader> reader = open_for_reading(folder.file());
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::unreachable);
  EXPECT_THAT(reader.error().line(), HasSubstr("not a database"));
  EXPECT_EQ(text_of(folder.file()), text);
}

TEST(Opening, ADamagedStoreIsPutAsideAndANewOneBegun) {
  const Folder folder;
  make_store(folder.file());
  std::string bytes = text_of(folder.file());
  bytes.replace(100, 3996, 3996, '\xFF');  // the root of the schema, behind the header
  write_text(folder.file(), bytes);
  Result<Store> store = open_for_writing(folder.file());
  ASSERT_TRUE(store) << store.error().line();
  EXPECT_THAT(store->set_aside(), HasSubstr(".corrupt-"));
  EXPECT_EQ(text_of(store->set_aside()), bytes);
  EXPECT_TRUE(store->load_state()->devices.empty());
}

TEST(Opening, StateTellsWhereTheRecordStands) {
  const Folder folder;
  const SteppedClock clock;
  {
    Writer writer = writer_of(folder.file(), clock);
    std::vector<recorder::Row> rows = beginnings(BootId{8});
    rows.emplace_back(boot_row(BootId{9}));
    rows.emplace_back(anchor_row(BootId{9}, kBootUtc + 1h));
    rows.emplace_back(anchor_row(BootId{9}, kBootUtc + 2h, 30s));
    rows.emplace_back(sample_row(BootId{9}, 50s, 1));
    rows.emplace_back(log_row(BootId{9}, 51s, "last"));
    rows.emplace_back(recorder::AlertRow{5, kDevice, "panic", "critical", "open", {1}, {1}, 1, "", ""});
    rows.emplace_back(recorder::CounterRow{kDevice, "frames", 40});
    rows.emplace_back(recorder::CounterRow{kDevice, "frames", 42});
    ASSERT_TRUE(writer.write(rows));
  }
  const Result<Store> store = open_for_writing(folder.file());
  ASSERT_TRUE(store);
  const auto state = store->load_state();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->max_device, 1);
  EXPECT_EQ(state->max_identity, 1);
  EXPECT_EQ(state->max_boot, 9);
  EXPECT_EQ(state->max_alert, 5);
  ASSERT_EQ(state->devices.size(), 1U);
  EXPECT_EQ(state->devices[0].name, "bench1");
  ASSERT_EQ(state->devices[0].identities.size(), 1U);
  EXPECT_EQ(state->devices[0].last_boot->id, BootId{9});
  ASSERT_EQ(state->devices[0].last_boot_anchors.size(), 2U);
  EXPECT_EQ(state->devices[0].last_boot_anchors[1].since, 30s);
  EXPECT_EQ(state->devices[0].last_boot_end, 51s);
  ASSERT_EQ(state->devices[0].counters.size(), 1U);
  EXPECT_EQ(state->devices[0].counters[0].first, "frames");
  EXPECT_EQ(state->devices[0].counters[0].second, 42);
}

TEST(OpeningToRead, AMissingFileAndAFolderAreNamed) {
  const Folder folder;
  const Result<Reader> missing = open_for_reading(folder.file());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::unreachable);
  EXPECT_THAT(missing.error().line(), HasSubstr(folder.file()));
  EXPECT_FALSE(fs::exists(folder.file()));
  EXPECT_FALSE(open_for_reading(folder.path().string()));
}

TEST(OpeningToRead, AnEmptyFileIsNoStore) {
  const Folder folder;
  write_text(folder.file(), "");
  EXPECT_FALSE(open_for_reading(folder.file()));
}

TEST(OpeningToRead, WhileAWriterHasItOpen) {
  const Folder folder;
  const SteppedClock clock;
  Writer writer = writer_of(folder.file(), clock);
  ASSERT_TRUE(writer.write(beginnings()));
  Reader reader = reader_of(folder.file());
  EXPECT_TRUE(reader.samples({.device = kDevice}).empty());
  const std::vector<recorder::Row> rows{sample_row(BootId{1}, 1s, 5)};
  ASSERT_TRUE(writer.write(rows));
  EXPECT_EQ(reader.samples({.device = kDevice}).size(), 1U);
}

TEST(OpeningToRead, ACopyWithItsWalButWithoutItsShm) {
  const Folder folder;
  const SteppedClock clock;
  Writer writer = writer_of(folder.file(), clock);
  ASSERT_TRUE(writer.write(beginnings()));
  const std::vector<recorder::Row> rows{sample_row(BootId{1}, 1s, 5)};
  ASSERT_TRUE(writer.write(rows));
  fs::copy_file(folder.file(), folder.file("copy.db"));
  fs::copy_file(folder.file() + "-wal", folder.file("copy.db") + "-wal");
  const std::string before = text_of(folder.file("copy.db"));
  {
    Reader reader = reader_of(folder.file("copy.db"));
    EXPECT_EQ(reader.samples({.device = kDevice}).size(), 1U);
  }
  EXPECT_EQ(text_of(folder.file("copy.db")), before);
  EXPECT_FALSE(fs::exists(folder.file("copy.db") + "-shm"));
}

TEST(OpeningToRead, ACleanFileIsLeftAsItIs) {
  const Folder folder;
  make_store(folder.file());
  fs::create_directory(folder.path() / "copy");
  const std::string copy = (folder.path() / "copy" / "a.db").string();
  fs::copy_file(folder.file(), copy);
  fs::permissions(copy, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  Result<Reader> reader = open_for_reading(copy, Reading::once);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->samples({.device = kDevice}).size(), 1U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() / "copy"), {}), 1) << "nothing beside it";
}

TEST(OpeningToRead, AFileInAFolderThatCannotBeWritten) {
  const Folder folder;
  make_store(folder.file());
  fs::permissions(folder.file(), fs::perms{0444});
  fs::permissions(folder.path(), fs::perms{0555});
  const pid_t child = fork();
  if (child == 0) {
    // The superuser may write everywhere: ask as somebody who may not.
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && setuid(nobody) != 0) {
      _exit(2);
    }
    Result<Reader> reader = open_for_reading(folder.file());
    _exit(reader && reader->samples({.device = kDevice}).size() == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  fs::permissions(folder.path(), fs::perms{0755});
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace leakhunt::storage::testing
