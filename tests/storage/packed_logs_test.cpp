// Old lines go into blocks, and nobody who asks for lines can tell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "storage/sqlite.h"
#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using recorder::BootId;
using recorder::LogRow;
using recorder::Row;
using ::testing::SizeIs;

constexpr BootId kFirst{1};
constexpr BootId kSecond{2};

std::string told(const LogLine& line) {
  const LogRow& row = line.row;
  return std::to_string(static_cast<std::int64_t>(row.at.boot)) + "@" + std::to_string(row.at.t.count()) +
         " " + std::to_string(line.utc.us) + " " + std::to_string(row.link) + row.level + "/" + row.thread +
         "/" + row.alarm + (row.tells_heap ? "h" : "") + (row.evidence ? "e" : "") +
         std::to_string(row.body_offset) + "u" + std::to_string(row.uptime_us.value_or(-1)) + " " + row.text;
}

std::vector<std::string> all(Reader& reader, const LogQuery& query) {
  std::vector<std::string> lines;
  reader.logs(query, [&](const LogLine& line) {
    lines.push_back(told(line));
    return true;
  });
  return lines;
}

std::string shown(const SqlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr ? std::to_string(*number) : "none";
}

std::vector<std::string> answers(Reader& reader, const std::string& statement) {
  std::vector<std::string> rows;
  for (const auto& row : reader.sql(statement, {}).rows) {
    std::string& line = rows.emplace_back();
    for (const SqlValue& value : row) line += shown(value) + "|";
  }
  return rows;
}

class Contains final : public LineSearch {
 public:
  explicit Contains(std::string what) : what_(std::move(what)) {}
  [[nodiscard]] bool matches(std::string_view line) const override {
    return line.find(what_) != std::string_view::npos;
  }
  [[nodiscard]] std::size_t find(std::string_view lines, std::size_t from) const override {
    return lines.find(what_, from);
  }

 private:
  std::string what_;
};

LogRow random_line(std::mt19937& random, BootId boot, Duration t) {
  const std::vector<std::string> levels{"DEBUG", "INFO", "ERROR", "HEAP", ""};
  const std::vector<std::string> threads{"Router", "MeshPacket", "Screen", ""};
  LogRow row = log_row(boot, t, "");
  row.level = levels[random() % levels.size()];
  row.thread = threads[random() % threads.size()];
  row.uptime_us = random() % 4 == 0 ? std::nullopt : std::optional{t.count() / 1'000'000 * 1'000'000};
  row.text = row.level + " | 12:00:00 " + std::to_string(t.count() / 1'000'000) + " [" + row.thread +
             "] id=0x" + (random() % 2 == 0 ? "0000beef" : "12345678") +
             " n=" + std::to_string(random() % 1000) + (random() % 200 == 0 ? "\nneedle" : "") +
             (random() % 50 == 0 ? " needle" : "");
  row.link = static_cast<std::uint8_t>(random() % 3);
  row.body_offset = static_cast<std::uint16_t>(random() % 30);
  row.tells_heap = random() % 3 == 0;
  row.evidence = random() % 100 == 0;
  row.alarm = random() % 60 == 0 ? "panic" : "";
  return row;
}

// Two boots; the clock steps in the second. Some rows come late.
std::vector<Row> random_rows(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Row> rows = beginnings(kFirst);
  std::vector<Row> late;
  const auto add_boot = [&](BootId boot, int lines) {
    Duration t{1'000'000};
    for (int i = 0; i < lines; ++i) {
      t += Duration{static_cast<std::int64_t>(random() % 8'000'000)};
      (random() % 300 == 0 ? late : rows).emplace_back(random_line(random, boot, t));
    }
  };
  add_boot(kFirst, 9000);
  rows.emplace_back(boot_row(kSecond));
  rows.emplace_back(anchor_row(kSecond, kBootUtc + 12h));
  rows.emplace_back(anchor_row(kSecond, kBootUtc + 13h, 2h));
  add_boot(kSecond, 7000);
  rows.insert(rows.end(), late.begin(), late.end());
  return rows;
}

// The same rows twice: in one store nothing is ever packed.
class PackedLogs : public ::testing::Test {
 protected:
  void write(const std::vector<Row>& rows) {
    for (Writer* writer : {&plain_, &packed_}) {
      ASSERT_TRUE(writer->write(rows));
      ASSERT_EQ(writer->refused_rows(), 0);
    }
  }
  void pack() {
    clock_.advance(11min);
    while (packed_.tend()) {
    }
    ASSERT_FALSE(packed_.trouble());
  }
  std::int64_t in_packed(const std::string& sql) { return number_in(packed_folder_.file(), sql); }
  void expect_same(const LogQuery& query) {
    EXPECT_EQ(all(packed_reader_, query), all(plain_reader_, query));
  }

  Folder plain_folder_, packed_folder_;
  SteppedClock clock_;  // stands days after the rows
  Writer plain_ = writer_of(plain_folder_.file(), clock_);
  Writer packed_ = writer_of(packed_folder_.file(), clock_);
  Reader plain_reader_ = reader_of(plain_folder_.file());
  Reader packed_reader_ = reader_of(packed_folder_.file());
};

TEST_F(PackedLogs, NobodyNoticesWhateverIsAsked) {
  write(random_rows(1));
  pack();
  EXPECT_GT(in_packed("SELECT count(*) FROM log_block"), 7);
  EXPECT_LT(in_packed("SELECT count(*) FROM log WHERE flags & 2 = 0"), 2048);  // of the boot that goes on
  EXPECT_EQ(in_packed("SELECT count(*) FROM log WHERE flags & 2"),
            number_in(plain_folder_.file(), "SELECT count(*) FROM log WHERE flags & 2"));
  EXPECT_EQ(in_packed("SELECT count(*) + (SELECT sum(lines) FROM log_block) FROM log"), 16'000);
  std::mt19937 random(2);
  const Contains needle("needle");
  const Contains number("n=77");
  for (int i = 0; i < 150; ++i) {
    LogQuery query{.device = kDevice};
    if (random() % 3 != 0) {
      query.window.start = kBootUtc + Duration{static_cast<std::int64_t>(random() % 90'000) * 1'000'000};
      query.window.end =
          query.window.start + Duration{static_cast<std::int64_t>(random() % 40'000) * 1'000'000};
    }
    if (random() % 3 == 0) query.levels = {"INFO", "ERROR", "no such level"};
    if (random() % 3 == 0) query.threads = {"Router"};
    if (random() % 20 == 0) query.threads = {"no such thread"};
    query.tells_heap = random() % 4 == 0;
    query.evidence = random() % 6 == 0;
    query.alarm = random() % 6 == 0;
    query.memory = random() % 4 == 0;
    query.oldest_first = random() % 2 == 0;
    if (random() % 2 == 0) query.search = random() % 2 == 0 ? &needle : &number;
    expect_same(query);
  }
}

TEST_F(PackedLogs, BootsBeginAndEndWhereTheyDid) {
  write(random_rows(3));
  pack();
  const auto plain = plain_reader_.boots(kDevice);
  const auto packed = reader_of(packed_folder_.file()).boots(kDevice);
  ASSERT_THAT(packed, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(packed[i].first_t, plain[i].first_t);
    EXPECT_EQ(packed[i].last_t, plain[i].last_t);
  }
  EXPECT_EQ(packed_.store().load_state()->devices[0].last_boot_end,
            plain_.store().load_state()->devices[0].last_boot_end);
}

TEST_F(PackedLogs, LinesStandOnceWhileTheyArePackedUnderAReader) {
  write(random_rows(4));
  for (const bool oldest_first : {true, false}) {
    const LogQuery query{.device = kDevice, .oldest_first = oldest_first};
    const auto expected = all(plain_reader_, query);
    clock_.advance(11min);
    std::vector<std::string> seen;
    packed_reader_.logs(query, [&](const LogLine& line) {
      seen.push_back(told(line));
      if (seen.size() % 1500 == 0) packed_.tend();
      return true;
    });
    EXPECT_EQ(seen, expected);
  }
  EXPECT_GT(in_packed("SELECT count(*) FROM log_block"), 3);
}

TEST_F(PackedLogs, ALineOfTodayStaysARow) {
  std::vector<Row> rows = beginnings();
  const Duration now = clock_.now().utc - kBootUtc;
  for (int i = 0; i < 5000; ++i) rows.emplace_back(log_row(kFirst, now - 48h + i * 40s, "line"));
  write(rows);
  pack();
  const auto cut = std::to_string((now - 24h + 11min).count());
  EXPECT_EQ(in_packed("SELECT count(*) FROM log_block"), 1);
  EXPECT_LT(in_packed("SELECT max(t_last) FROM log_block"), (now - 24h + 11min).count());
  EXPECT_EQ(in_packed("SELECT count(*) FROM log WHERE t_boot < " + cut), 2160 + 17 - 2048);
}

TEST_F(PackedLogs, LinesAreFoundAgainInTheBootTheyMoveTo) {
  write(random_rows(5));
  pack();
  const std::int64_t blocks = in_packed("SELECT count(*) FROM log_block");
  write({boot_row(BootId{3}), anchor_row(BootId{3}, kBootUtc + 20h),
         recorder::MoveRows{kSecond, 3h, BootId{3}, -1h},
         recorder::MoveRows{kFirst, Duration{}, kFirst, 100s}});
  EXPECT_LT(in_packed("SELECT count(*) FROM log_block"), blocks - 4);
  expect_same({.device = kDevice});
  pack();
  EXPECT_GT(in_packed("SELECT count(*) FROM log_block"), blocks - 2);
  expect_same({.device = kDevice, .oldest_first = true});
  EXPECT_EQ(integrity(packed_folder_.file()), "ok");
}

TEST_F(PackedLogs, ALateLineWithinABlockIsShownWhereItBelongs) {
  write(random_rows(6));
  pack();
  // At the very time of a packed line, and between two.
  const std::int64_t t =
      in_packed("SELECT t_first FROM log_block WHERE boot = 1 ORDER BY t_first LIMIT 1 OFFSET 1");
  ASSERT_TRUE(packed_.write(
      std::vector<Row>{log_row(kFirst, Duration{t}, "late"), log_row(kFirst, Duration{t + 1}, "later")}));
  std::vector<std::int64_t> times;
  std::size_t late = 0;
  packed_reader_.logs({.device = kDevice, .oldest_first = true}, [&](const LogLine& line) {
    if (line.row.at.boot == kFirst) times.push_back(line.row.at.t.count());
    late += line.row.text == "late" || line.row.text == "later" ? 1U : 0U;
    return true;
  });
  EXPECT_EQ(late, 2U);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_EQ(times.size(), 9002U);
}

TEST_F(PackedLogs, StatementsSeePackedLinesAsRows) {
  write(random_rows(10));
  pack();
  const std::vector<std::string> statements{
      "SELECT * FROM log_view ORDER BY boot, t_boot",
      "SELECT * FROM log_view WHERE boot = 2 ORDER BY t_boot DESC LIMIT 100",
      "SELECT t_boot, text FROM log_view WHERE boot = 1 AND t_boot >= 3000000000 AND t_boot < 9000000000 "
      "ORDER BY "
      "t_boot",
      "SELECT boot, level, count(*), min(t_boot), max(t_boot) FROM log_view GROUP BY boot, level ORDER BY 1, "
      "2",
      "SELECT text FROM log_view WHERE text LIKE '%needle%' AND boot IN (1, 2) AND t_boot > 5e9 ORDER BY "
      "boot DESC, "
      "t_boot DESC",
      "SELECT count(*) FROM log_view WHERE t_boot = (SELECT max(t_boot) FROM log_view WHERE boot = 1)",
      "SELECT link, flags, body_offset, uptime_us FROM log_line WHERE t_boot BETWEEN 2000000000 AND "
      "2500000000 ORDER "
      "BY boot DESC, t_boot DESC",
      "SELECT count(*) FROM log_line WHERE boot = 1 AND t_boot <= 10000000.5 AND boot = 2"};
  for (const std::string& statement : statements) {
    const auto packed = answers(packed_reader_, statement);
    EXPECT_FALSE(packed.empty()) << statement;
    EXPECT_EQ(packed, answers(plain_reader_, statement)) << statement;
  }
}

TEST_F(PackedLogs, AForgottenDeviceTakesItsBlocksAlong) {
  write(random_rows(7));
  pack();
  ASSERT_TRUE(packed_.write(std::vector<Row>{recorder::ForgetDevice{kDevice}}));
  EXPECT_EQ(in_packed("SELECT count(*) FROM log_block"), 0);
}

TEST_F(PackedLogs, ADeadlineEndsTheReadingOfBlocks) {
  write(random_rows(8));
  pack();
  packed_reader_.set_deadline(std::chrono::steady_clock::now() + 1h);
  int lines = 0;
  EXPECT_THROW(packed_reader_.logs({.device = kDevice},
                                   [&](const LogLine&) {
                                     if (++lines == 100) packed_reader_.interrupt();
                                     return true;
                                   }),
               ReadFailed);
  EXPECT_LT(lines, 9000);
}

TEST_F(PackedLogs, AWriterThatCannotWritePacksNothingAndGoesOn) {
  write(random_rows(9));
  Connection holder(packed_folder_.file(), Connection::Mode::read_write);
  holder.run("BEGIN IMMEDIATE");
  clock_.advance(11min);
  EXPECT_FALSE(packed_.tend());
  EXPECT_FALSE(packed_.trouble());
  holder.run("ROLLBACK");
  pack();
  expect_same({.device = kDevice});
}

}  // namespace
}  // namespace leakhunt::storage::testing
