// Batches, moves, places in time, and when a commit is synced.
#include <gtest/gtest.h>

#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using recorder::BootId;
using recorder::Row;
using recorder::Source;

class Writing : public ::testing::Test {
 protected:
  Writing() { EXPECT_TRUE(writer_.write(beginnings())); }

  void write(const std::vector<Row>& rows) { ASSERT_TRUE(writer_.write(rows)); }
  [[nodiscard]] std::vector<Sample> samples() {
    return reader_of(folder_.file()).samples({.device = kDevice});
  }
  [[nodiscard]] std::vector<std::string> lines() {
    std::vector<std::string> texts;
    reader_of(folder_.file()).logs({.device = kDevice, .oldest_first = true}, [&](const LogLine& line) {
      texts.push_back(line.row.text);
      return true;
    });
    return texts;
  }

  Folder folder_;
  SteppedClock clock_;
  Writer writer_ = writer_of(folder_.file(), clock_, {.durable_interval = 60s});
  const BootId boot_{1};
};

TEST_F(Writing, RowsOfOneMomentKeepTheirOrder) {
  std::vector<Row> rows;
  for (int i = 0; i < 100; ++i) {
    rows.emplace_back(sample_row(boot_, 5s, i));
    rows.emplace_back(log_row(boot_, 5s, std::to_string(i)));
  }
  write(rows);
  const std::vector<Sample> found = samples();
  ASSERT_EQ(found.size(), 100U);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(found[static_cast<std::size_t>(i)].value_bytes, i);
    EXPECT_EQ(found[static_cast<std::size_t>(i)].t, 5s + Duration{i});
    EXPECT_EQ(lines().at(static_cast<std::size_t>(i)), std::to_string(i));
  }
}

TEST_F(Writing, ATakenTimeMovesOnAlsoInALaterBatch) {
  write({sample_row(boot_, 5s, 1)});
  write({sample_row(boot_, 6s, 3)});
  write({sample_row(boot_, 5s, 2)});
  const std::vector<Sample> found = samples();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1].value_bytes, 2);
  EXPECT_EQ(found[1].t, 5s + 1us);
}

TEST_F(Writing, SeriesOfDifferentSourcesShareAMoment) {
  write({sample_row(boot_, 5s, 1, Source::poll), sample_row(boot_, 5s, 2, Source::debug_heap)});
  const std::vector<Sample> found = samples();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].t, found[1].t);
}

TEST_F(Writing, ARowOfAnUnknownBootIsRefusedAlone) {
  write({sample_row(boot_, 1s, 1), sample_row(BootId{99}, 1s, 2), sample_row(boot_, 2s, 3)});
  EXPECT_EQ(samples().size(), 2U);
  EXPECT_EQ(writer_.refused_rows(), 1);
}

TEST_F(Writing, MoveTakesTheRowsSinceAMomentToTheNewBoot) {
  write({sample_row(boot_, 10s, 1), sample_row(boot_, 20s, 2), log_row(boot_, 19s, "old"),
         log_row(boot_, 20s, "new"), recorder::HeapEventRow{kDevice, {boot_, 21s}, "Router", 2, 1},
         recorder::TelemetryRow{kDevice,
                                kIdentity,
                                kNode,
                                recorder::Variant::local,
                                Source::stats,
                                {boot_, 22s},
                                {{"num_packets_tx", 5}}},
         recorder::EventRow{kDevice, kBootUtc, recorder::BootTime{boot_, 23s}, "mark", "x", "", ""}});
  write({boot_row(BootId{2}), anchor_row(BootId{2}, kBootUtc + 18s),
         recorder::MoveRows{boot_, 20s, BootId{2}, -18s}});
  Reader reader = reader_of(folder_.file());
  const std::vector<Sample> found = samples();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].boot, boot_);
  EXPECT_EQ(found[1].boot, BootId{2});
  EXPECT_EQ(found[1].t, 2s);
  EXPECT_EQ(found[1].utc, kBootUtc + 20s);
  EXPECT_EQ(lines(), (std::vector<std::string>{"old", "new"}));
  EXPECT_EQ(reader.heap_events(kDevice, kAllTime).at(0).row.at, (recorder::BootTime{BootId{2}, 3s}));
  EXPECT_EQ(reader.telemetry({.device = kDevice, .field = "num_packets_tx"}).at(0).boot, BootId{2});
  EXPECT_EQ(reader.events(kDevice, kAllTime).at(0).at, (recorder::BootTime{BootId{2}, 5s}));
}

TEST_F(Writing, AMoveOntoTakenPlacesLosesNothing) {
  write({boot_row(BootId{2}), anchor_row(BootId{2}, kBootUtc), sample_row(BootId{2}, 1s, 7),
         sample_row(boot_, 11s, 8), sample_row(boot_, 11s, 9),
         recorder::MoveRows{boot_, 11s, BootId{2}, -10s}});
  const std::vector<Sample> found = samples();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].value_bytes, 7);
  for (const Sample& sample : found) {
    EXPECT_EQ(sample.boot, BootId{2});
  }
}

TEST_F(Writing, AMoveWithinABootShiftsItsRowsPastEachOther) {
  std::vector<recorder::Row> rows;
  for (int i = 0; i < 100; ++i) {
    rows.emplace_back(sample_row(boot_, std::chrono::seconds{i}, i));
    rows.emplace_back(log_row(boot_, std::chrono::seconds{i}, "line " + std::to_string(i)));
  }
  write(rows);
  write({recorder::MoveRows{boot_, 10s, boot_, 7s}, sample_row(boot_, 107s, 100)});
  const std::vector<Sample> found = samples();
  ASSERT_EQ(found.size(), 101U);
  for (const Sample& sample : found) {
    EXPECT_EQ(sample.t, std::chrono::seconds{sample.value_bytes + (sample.value_bytes < 10 ? 0 : 7)});
  }
  EXPECT_EQ(lines().size(), 100U);
}

TEST_F(Writing, AMoveBackOntoEarlierRowsLosesNothing) {
  write({sample_row(boot_, 10s, 1), log_row(boot_, 10s, "stays"), sample_row(boot_, 20s, 2),
         log_row(boot_, 20s, "moves"), recorder::MoveRows{boot_, 20s, boot_, -10s}});
  const std::vector<Sample> found = samples();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].value_bytes, 1);
  EXPECT_EQ(found[1].t, 10s + 1us);
  EXPECT_EQ(lines(), (std::vector<std::string>{"stays", "moves"}));
  EXPECT_EQ(writer_.refused_rows(), 0);
}

TEST_F(Writing, OrdinaryRowsWaitForTheHeartbeatToBeSynced) {
  EXPECT_FALSE(writer_.durable_due()) << "the beginnings are durable at once";
  write({sample_row(boot_, 1s, 1)});
  ASSERT_TRUE(writer_.durable_due());
  EXPECT_EQ(*writer_.durable_due(), clock_.now().mono + 60s);
  const Utc before = *reader_of(folder_.file()).info().heartbeat;
  clock_.advance(59s);
  ASSERT_TRUE(writer_.write({}));
  EXPECT_EQ(reader_of(folder_.file()).info().heartbeat, before);
  clock_.advance(1s);
  ASSERT_TRUE(writer_.write({}));
  EXPECT_EQ(reader_of(folder_.file()).info().heartbeat, clock_.now().utc);
  EXPECT_FALSE(writer_.durable_due());
}

TEST_F(Writing, DurableRowsSyncWhatCameBefore) {
  write({sample_row(boot_, 1s, 1)});
  write({recorder::VerdictRow{kDevice, {1}, 1h, "steady", "confirmed", "leakhunt", "{}"}});
  EXPECT_FALSE(writer_.durable_due());
}

TEST_F(Writing, TotalsCountWithoutCounting) {
  recorder::TelemetryRow bare{kDevice,
                              kIdentity,
                              kNode,
                              recorder::Variant::local,
                              Source::stats,
                              {boot_, 2s},
                              {{"num_packets_tx", 5}}};
  recorder::TelemetryRow heap = bare;
  heap.at.t = 3s;
  heap.values.emplace_back("heap_total_bytes", 200000);
  write({bare, heap, sample_row(boot_, 3s, 1), sample_row(boot_, 4s, 1, Source::debug_heap),
         log_row(boot_, 4s, "a"), log_row(boot_, 5s, "b")});
  write({log_row(boot_, 6s, "c")});
  Reader reader = reader_of(folder_.file());
  const Totals totals = reader.totals(kDevice);
  EXPECT_EQ(totals.logs.rows, 3);
  EXPECT_EQ(totals.logs.newest, kBootUtc + 6s);
  EXPECT_EQ(totals.telemetry.rows, 3) << "two records and one sample out of a line";
  EXPECT_EQ(totals.telemetry.newest, kBootUtc + 4s);
  EXPECT_EQ(totals.local_without_heap, 1);
  EXPECT_EQ(totals.samples_reported, 1);
  EXPECT_EQ(totals.samples_from_lines, 1);
  ASSERT_EQ(totals.variants.size(), 1U);
  EXPECT_EQ(totals.variants[0], std::make_pair(recorder::Variant::local, std::int64_t{2}));
  EXPECT_EQ(reader.newest(kDevice), kBootUtc + 6s);
}

TEST_F(Writing, SamplesOfAnUnknownIdentityAreASeriesOfTheirOwn) {
  recorder::SampleRow unknown = sample_row(boot_, 1s, 1);
  unknown.identity = recorder::kUnknownIdentity;
  write({unknown, sample_row(boot_, 1s, 2), unknown});
  Reader reader = reader_of(folder_.file());
  EXPECT_EQ(reader.samples({.device = kDevice}).size(), 3U);
  EXPECT_EQ(reader.samples({.device = kDevice, .identity = recorder::kUnknownIdentity}).size(), 2U);
  EXPECT_EQ(reader.samples({.device = kDevice, .identity = kIdentity}).size(), 1U);
}

}  // namespace
}  // namespace leakhunt::storage::testing
