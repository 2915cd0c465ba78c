// Windows over clocks that step, long answers in pages, filters, and limits of time.
#include <gtest/gtest.h>

#include "storage/schema.h"
#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using recorder::BootId;
using recorder::Row;
using recorder::Source;

class Reading : public ::testing::Test {
 protected:
  Reader written(const std::vector<Row>& rows) {
    Writer writer = writer_of(folder_.file(), clock_);
    EXPECT_TRUE(writer.write(beginnings()));
    EXPECT_TRUE(writer.write(rows));
    EXPECT_EQ(writer.refused_rows(), 0);
    return reader_of(folder_.file());
  }
  static std::vector<std::int64_t> values(const std::vector<Sample>& samples) {
    std::vector<std::int64_t> values;
    for (const Sample& sample : samples) {
      values.push_back(sample.value_bytes);
    }
    return values;
  }
  static std::vector<std::string> texts(Reader& reader, const LogQuery& query, std::size_t max = 1000) {
    std::vector<std::string> texts;
    reader.logs(query, [&](const LogLine& line) {
      texts.push_back(line.row.text);
      return texts.size() < max;
    });
    return texts;
  }

  Folder folder_;
  SteppedClock clock_;
  const BootId boot_{1};
};

TEST_F(Reading, AWindowHoldsItsStartAndNotItsEnd) {
  Reader reader = written({sample_row(boot_, 10s, 1), sample_row(boot_, 20s, 2), sample_row(boot_, 30s, 3)});
  const Window window{kBootUtc + 10s, kBootUtc + 30s};
  EXPECT_EQ(values(reader.samples({.device = kDevice, .window = window})), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(Reading, AClockSetBackMakesTwoStretchesOfOneWindow) {
  // At t = 100 s the host's clock went back by 50 s: utc 50..100 s after the zero happened twice.
  Reader reader =
      written({anchor_row(boot_, kBootUtc - 50s, 100s), sample_row(boot_, 40s, 1), sample_row(boot_, 60s, 2),
               sample_row(boot_, 110s, 3), sample_row(boot_, 160s, 4)});
  const Window window{kBootUtc + 50s, kBootUtc + 70s};
  const auto samples = reader.samples({.device = kDevice, .window = window});
  EXPECT_EQ(values(samples), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(samples[0].utc, kBootUtc + 60s);
  EXPECT_EQ(samples[1].utc, kBootUtc + 60s);
  EXPECT_LT(samples[0].t, samples[1].t);
}

TEST_F(Reading, RowsBeforeTheFirstAnchorUseIt) {
  Reader reader =
      written({boot_row(BootId{2}), anchor_row(BootId{2}, kBootUtc + 1h, 60s), sample_row(BootId{2}, 5s, 1)});
  EXPECT_EQ(reader.samples({.device = kDevice, .window = {kBootUtc + 1h, kBootUtc + 2h}}).size(), 1U);
}

TEST_F(Reading, ABootWithoutAnAnchorIsFoundByAllAlone) {
  Reader reader = written({boot_row(BootId{2}), sample_row(BootId{2}, 5s, 1)});
  EXPECT_EQ(reader.samples({.device = kDevice}).size(), 1U);
  EXPECT_TRUE(reader.samples({.device = kDevice, .window = {kBootUtc, kBootUtc + 24h}}).empty());
}

TEST_F(Reading, BootsOfAWindow) {
  Reader reader = written({sample_row(boot_, 10s, 1), boot_row(BootId{2}),
                           anchor_row(BootId{2}, kBootUtc + 1h), sample_row(BootId{2}, 10s, 2)});
  ASSERT_EQ(reader.boots(kDevice).size(), 2U);
  const auto late = reader.boots(kDevice, {kBootUtc + 30min, kBootUtc + 2h});
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].boot.id, BootId{2});
  EXPECT_EQ(late[0].first_t, 10s);
}

TEST_F(Reading, SamplesOfSeveralSourcesAreInTheOrderOfTime) {
  Reader reader =
      written({sample_row(boot_, 1s, 1, Source::poll), sample_row(boot_, 2s, 2, Source::debug_heap),
               sample_row(boot_, 3s, 3, Source::poll), sample_row(boot_, 4s, 4, Source::heap_line),
               boot_row(BootId{2}), sample_row(BootId{2}, 1s, 5, Source::debug_heap)});
  EXPECT_EQ(values(reader.samples({.device = kDevice})), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(values(reader.samples({.device = kDevice, .sources = {Source::poll, Source::heap_line}})),
            (std::vector<std::int64_t>{1, 3, 4}));
}

TEST_F(Reading, LongAnswersComeWhole) {
  std::vector<Row> rows;
  constexpr int many = 40'000;
  for (int i = 0; i < many; ++i) {
    rows.emplace_back(sample_row(boot_, Duration{i * 10}, i));
    rows.emplace_back(log_row(boot_, Duration{i * 10}, std::to_string(i)));
  }
  Reader reader = written(rows);
  const auto samples = reader.samples({.device = kDevice});
  ASSERT_EQ(samples.size(), std::size_t{many});
  EXPECT_EQ(samples.back().value_bytes, many - 1);
  for (const bool oldest_first : {true, false}) {
    int expected = oldest_first ? 0 : many - 1;
    bool in_order = true;
    reader.logs({.device = kDevice, .oldest_first = oldest_first}, [&](const LogLine& line) {
      in_order = in_order && line.row.text == std::to_string(expected);
      expected += oldest_first ? 1 : -1;
      return true;
    });
    EXPECT_TRUE(in_order);
    EXPECT_EQ(expected, oldest_first ? many : -1);
  }
}

TEST_F(Reading, LinesAreFilteredAndStopWhenAsked) {
  recorder::LogRow error = log_row(boot_, 2s, "error");
  error.level = "ERROR";
  recorder::LogRow heap = log_row(boot_, 3s, "heap");
  heap.tells_heap = true;
  heap.thread = "Screen";
  recorder::LogRow alarm = log_row(boot_, 4s, "alarm");
  alarm.evidence = true;
  alarm.alarm = "panic";
  recorder::LogRow reset = log_row(boot_, 5s, "reset");
  reset.evidence = true;
  reset.thread = "";
  Reader reader = written({log_row(boot_, 1s, "plain"), error, heap, alarm, reset});
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts(reader, {.device = kDevice}), (Texts{"reset", "alarm", "heap", "error", "plain"}));
  EXPECT_EQ(texts(reader, {.device = kDevice}, 2), (Texts{"reset", "alarm"}));
  EXPECT_EQ(texts(reader, {.device = kDevice, .levels = {"ERROR", "CRIT"}}), (Texts{"error"}));
  EXPECT_EQ(texts(reader, {.device = kDevice, .threads = {"Screen"}}), (Texts{"heap"}));
  EXPECT_EQ(texts(reader, {.device = kDevice, .threads = {"nobody"}}), Texts{});
  EXPECT_EQ(texts(reader, {.device = kDevice, .tells_heap = true}), (Texts{"heap"}));
  EXPECT_EQ(texts(reader, {.device = kDevice, .evidence = true}), (Texts{"reset", "alarm"}));
  EXPECT_EQ(texts(reader, {.device = kDevice, .alarm = true}), (Texts{"alarm"}));
  EXPECT_EQ(texts(reader, {.device = kDevice, .memory = true}), (Texts{"reset", "alarm", "heap"}));
}

TEST_F(Reading, AnUnknownFieldIsAUsageError) {
  Reader reader = written({});
  try {
    static_cast<void>(reader.telemetry({.device = kDevice, .field = "value; DROP TABLE log"}));
    FAIL() << "it was answered";
  } catch (const ReadFailed& failed) {
    EXPECT_EQ(failed.error().code, ErrorCode::usage);
  }
}

TEST_F(Reading, ADeadlineEndsAQuestion) {
  Reader reader = written({sample_row(boot_, 1s, 1)});
  reader.set_deadline(std::chrono::steady_clock::now() - 1s);
  EXPECT_THROW(static_cast<void>(reader.samples({.device = kDevice})), ReadFailed);
  reader.clear_deadline();
  EXPECT_EQ(reader.samples({.device = kDevice}).size(), 1U);
}

TEST_F(Reading, AnInterruptEndsTheQuestionUnderWay) {
  std::vector<Row> rows;
  for (int i = 0; i < 40'000; ++i) {
    rows.emplace_back(log_row(boot_, Duration{i}, "line"));
  }
  Reader reader = written(rows);
  std::size_t seen = 0;
  EXPECT_THROW(reader.logs({.device = kDevice},
                           [&](const LogLine&) {
                             reader.interrupt();
                             ++seen;
                             return true;
                           }),
               ReadFailed);
  EXPECT_LT(seen, rows.size());
  EXPECT_THROW(static_cast<void>(reader.devices()), ReadFailed);
}

TEST_F(Reading, InfoTellsSizes) {
  Reader reader = written({});
  const StoreInfo info = reader.info();
  EXPECT_GT(info.page_bytes, 0);
  EXPECT_GT(info.pages, 0);
  EXPECT_GT(info.wal_bytes, 0);
  EXPECT_EQ(info.schema, schema_version());
}

}  // namespace
}  // namespace leakhunt::storage::testing
