// Statements that somebody else wrote: they may read everything and do nothing else; and the views they read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "storage/sqlite.h"
#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>{file}, {}};
}

class Sql : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream sql(LEAKHUNT_TEST_DATA "/store/version-3.sql");
    std::ofstream{folder_.file()}.flush();  // a connection creates no file
    Connection(folder_.file(), Connection::Mode::read_write).run({std::istreambuf_iterator<char>{sql}, {}});
    const Writer writer = writer_of(folder_.file(), clock_);
  }
  // The error's line, or nothing where it was answered.
  std::string refused(const std::string& statement) {
    Reader reader = reader_of(folder_.file());
    try {
      static_cast<void>(reader.sql(statement));
      return "";
    } catch (const ReadFailed& failed) {
      EXPECT_EQ(failed.error().code, ErrorCode::usage) << statement;
      return failed.error().line();
    }
  }
  SqlResult ask(const std::string& statement, const SqlLimits& limits = {}) {
    return reader_of(folder_.file()).sql(statement, limits);
  }
  Folder folder_;
  SteppedClock clock_;
};

TEST_F(Sql, ValuesComeAsTheyAre) {
  const SqlResult result =
      ask("SELECT 1 AS one, NULL, -2.5 AS real, 'a' || char(0) || 'b' AS text, x'00ff' AS blob");
  EXPECT_THAT(result.columns, ElementsAre("one", "NULL", "real", "text", "blob"));
  ASSERT_THAT(result.rows, SizeIs(1));
  EXPECT_EQ(std::get<std::int64_t>(result.rows[0][0]), 1);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(result.rows[0][1]));
  EXPECT_EQ(std::get<double>(result.rows[0][2]), -2.5);
  EXPECT_EQ(std::get<std::string>(result.rows[0][3]), std::string("a\0b", 3));
  EXPECT_EQ(std::get<Blob>(result.rows[0][4]).bytes, std::string("\0\xff", 2));
  EXPECT_FALSE(result.cut);
}

TEST_F(Sql, WhatOnlyReadsIsAnswered) {
  for (const char* statement :
       {"SELECT count(*) FROM sample", "VALUES(1),(2)", "WITH a AS (SELECT 1) SELECT * FROM a",
        "PRAGMA user_version", "PRAGMA table_info(boot)", "EXPLAIN QUERY PLAN SELECT * FROM log",
        "SELECT * FROM pragma_table_list", "SELECT sum(pgsize) FROM dbstat", "SELECT 1;",
        "SELECT 1 -- and no more", "-- first\nSELECT 1 /* last */ ;\n"}) {
    EXPECT_EQ(refused(statement), "") << statement;
  }
}

TEST_F(Sql, WhatDoesMoreIsRefusedAndDoesNothing) {
  const std::string before = bytes_of(folder_.file());
  const std::string elsewhere = folder_.file("elsewhere.db");
  for (const std::string& statement : std::vector<std::string>{"DELETE FROM sample",
                                                               "INSERT INTO word VALUES(99, 'x')",
                                                               "UPDATE device SET name = 'x'",
                                                               "CREATE TABLE x(a)",
                                                               "CREATE TEMP TABLE x(a)",
                                                               "DROP VIEW boot_view",
                                                               "UPDATE sqlite_master SET sql = ''",
                                                               "ALTER TABLE log ADD COLUMN x",
                                                               "ATTACH '" + elsewhere + "' AS y",
                                                               "VACUUM",
                                                               "VACUUM INTO '" + elsewhere + "'",
                                                               "BEGIN",
                                                               "BEGIN IMMEDIATE",
                                                               "SAVEPOINT x",
                                                               "COMMIT",
                                                               "PRAGMA user_version = 7",
                                                               "PRAGMA journal_mode = DELETE",
                                                               "PRAGMA journal_mode",
                                                               "PRAGMA wal_checkpoint",
                                                               "PRAGMA writable_schema = ON",
                                                               "PRAGMA query_only = OFF",
                                                               "REINDEX",
                                                               "ANALYZE",
                                                               "WITH a AS (SELECT 1) DELETE FROM sample",
                                                               "SELECT load_extension('x')"}) {
    EXPECT_NE(refused(statement), "") << statement;
  }
  EXPECT_EQ(bytes_of(folder_.file()), before);
  EXPECT_FALSE(std::filesystem::exists(elsewhere));
}

TEST_F(Sql, OneStatementAtATime) {
  EXPECT_THAT(refused("SELECT 1; SELECT 2"), HasSubstr("more than one statement"));
  EXPECT_THAT(refused("SELECT 1; nonsense"), HasSubstr("more than one statement"));
  EXPECT_THAT(refused(" ;\n"), HasSubstr("no statement"));
  EXPECT_THAT(refused("-- nothing"), HasSubstr("no statement"));
}

TEST_F(Sql, AnErrorIsSqlitesLine) {
  EXPECT_THAT(refused("SELECT * FROM nowhere"), HasSubstr("no such table: nowhere"));
  EXPECT_THAT(refused("SELEC 1"), HasSubstr("syntax error"));
  EXPECT_THAT(refused("SELECT randomblob(1000000000)"), HasSubstr("too big"));
}

TEST_F(Sql, TheReaderIsAsBeforeAfterwards) {
  Reader reader = reader_of(folder_.file());
  EXPECT_THROW(static_cast<void>(reader.sql("DELETE FROM sample")), ReadFailed);
  static_cast<void>(reader.sql("SELECT 1"));
  EXPECT_THAT(reader.devices(), SizeIs(2));
  EXPECT_FALSE(reader.table_sizes().empty()) << "it may use what a stranger's statement may not";
}

TEST_F(Sql, RowsAndBytesAreLimited) {
  const std::string many =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x, 'text' FROM c";
  const SqlResult few = ask(many, {.max_rows = 7});
  EXPECT_THAT(few.rows, SizeIs(7));
  EXPECT_TRUE(few.cut);
  const SqlResult small = ask(many, {.max_bytes = 10'000});
  EXPECT_TRUE(small.cut);
  EXPECT_LT(small.rows.size(), 1000U);
  EXPECT_FALSE(ask("VALUES(1),(2)", {.max_rows = 2}).cut) << "that was all of it";
}

TEST_F(Sql, ADeadlineEndsIt) {
  Reader reader = reader_of(folder_.file());
  const std::string endless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
  reader.set_deadline(std::chrono::steady_clock::now() + 20ms);
  try {
    static_cast<void>(reader.sql(endless));
    FAIL() << "it never ends";
  } catch (const ReadFailed& failed) {
    EXPECT_THAT(failed.error().line(), HasSubstr("took too long"));
  }
}

TEST_F(Sql, EveryViewShowsItsRows) {
  const SqlResult views = ask("SELECT name FROM sqlite_schema WHERE type = 'view'");
  EXPECT_THAT(views.rows, SizeIs(19));
  for (const auto& row : views.rows) {
    const auto& view = std::get<std::string>(row[0]);
    const std::string table = view.substr(0, view.size() - 5);
    EXPECT_EQ(number_in(folder_.file(), "SELECT count(*) FROM " + view),
              number_in(folder_.file(), "SELECT count(*) FROM " + table))
        << view;
    EXPECT_GT(ask("SELECT * FROM " + view).rows.size(), 0U) << view;
  }
}

TEST_F(Sql, ViewsTellNamesAndCivilTime) {
  const auto row = [&](const std::string& sql) {
    std::string line;
    const SqlResult result = ask(sql);
    for (const SqlValue& value : result.rows.at(0)) line += std::get<std::string>(value) + " ";
    return line;
  };
  EXPECT_EQ(
      row("SELECT device, level, thread, time FROM log_view WHERE device = 'bench1'"),
      row("SELECT device.name, l.text, t.text, strftime('%Y-%m-%dT%H:%M:%fZ', (utc_zero_us + t_boot) / "
          "1000000.0, "
          "'unixepoch') FROM log JOIN boot ON boot.id = log.boot JOIN device ON device.id = boot.device JOIN "
          "word "
          "AS l ON l.id = level JOIN word AS t ON t.id = thread JOIN anchor ON anchor.boot = log.boot WHERE "
          "device.id = 1"));
  EXPECT_EQ(row("SELECT device, began FROM boot_view WHERE boot = 1"), "bench1 2025-11-24T16:00:00.000Z ");
}

}  // namespace
}  // namespace leakhunt::storage::testing
