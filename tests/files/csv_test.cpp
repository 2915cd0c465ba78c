// Tables of readings: names, units, times, and what people's monitors make of them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "recorder/csv_columns.h"
#include "recorder/recording.h"

namespace leakhunt::recorder {
namespace {

Recording read(std::string_view bytes) {
  auto recording = read_recording(bytes);
  EXPECT_TRUE(recording);
  return *recording;
}

bool has_note(const Recording& recording, std::string_view part) {
  for (const auto& note : recording.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(CsvColumns, NamesTellRoleAndUnit) {
  EXPECT_EQ(column_of("heap_free_bytes").role, ColumnRole::free_level);
  EXPECT_EQ(column_of("freeHeap").role, ColumnRole::free_level);
  EXPECT_EQ(column_of("heap_largest_block_bytes").role, ColumnRole::largest_block);
  EXPECT_EQ(column_of("heap_min_ever_bytes").role, ColumnRole::low_water);
  EXPECT_EQ(column_of("heap_total_bytes").role, ColumnRole::total);
  EXPECT_EQ(column_of("rss_kb").role, ColumnRole::used_level);
  EXPECT_EQ(column_of("rss_kb").scale, 1024);
  EXPECT_EQ(column_of("RSS(MB)").scale, 1024 * 1024);
  EXPECT_EQ(column_of("container_used_bytes").role, ColumnRole::used_level);
  EXPECT_EQ(column_of("uptime_s").role, ColumnRole::uptime);
  EXPECT_EQ(column_of("num_packets_rx").role, ColumnRole::packets_rx);
  EXPECT_EQ(column_of("channel_utilization").role, ColumnRole::covariate);
  EXPECT_EQ(column_of("timestamp_ms").scale, 1e-3);
  EXPECT_EQ(column_of("wal_bytes").role, ColumnRole::unknown);
  EXPECT_EQ(column_of("free_psram").role, ColumnRole::unknown);
}

TEST(Csv, LevelCarriesItsCompanions) {
  const auto recording = read(
      "timestamp,heap_free_bytes,heap_largest_block_bytes,num_packets_rx,uptime_s\n0,1000,800,5,60\n60,900,,"
      "9,120\n");
  ASSERT_EQ(recording.metrics.size(), 1U);
  const auto& readings = recording.metrics[0].readings;
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_EQ(readings[0].largest_block, 800);
  EXPECT_TRUE(std::isnan(readings[1].largest_block));
  EXPECT_EQ(readings[1].packets_rx, 9);
  EXPECT_EQ(readings[1].uptime_s, 120);
}

TEST(Csv, TimesOfEveryKind) {
  EXPECT_DOUBLE_EQ(read("time,rss\n1790000000123,5\n1790000060123,6\n").metrics[0].readings[1].t_s,
                   1790000060.123);
  EXPECT_EQ(
      read("timestamp,rss\n2026-07-14T08:55:00Z,5\n2026-07-14T10:55:00+02:00,6\n").metrics[0].readings[1].t_s,
      read("timestamp,rss\n2026-07-14T08:55:00Z,5\n").metrics[0].readings[0].t_s);
  const auto clock = read("Time,RSS(MB)\n23:59:30,15.0\n00:00:30,15.5\n");
  EXPECT_EQ(clock.time, TimeBase::clock);
  EXPECT_EQ(clock.metrics[0].readings[1].t_s - clock.metrics[0].readings[0].t_s, 60);
}

TEST(Csv, WithoutATimeColumnEvenSpacingIsAssumedAndSaid) {
  const auto recording = read("rss\n23470080\n22827008\n22388736\n");
  EXPECT_EQ(recording.time, TimeBase::none);
  EXPECT_EQ(recording.metrics[0].readings[2].value, 22388736);
  EXPECT_TRUE(has_note(recording, "no time column"));
}

TEST(Csv, RowsWrittenNewestFirstAreTurnedRound) {
  const auto recording = read("time,free_heap\n1700000180,300\n1700000120,200\n1700000060,100\n");
  EXPECT_EQ(recording.metrics[0].readings.front().value, 100);
  EXPECT_EQ(recording.metrics[0].readings.back().t_s, 1700000180);
  EXPECT_TRUE(has_note(recording, "newest first"));
  const auto clock = read("Time,RSS(MB)\n00:00:30,4\n23:59:30,3\n23:58:30,2\n23:57:30,1\n");
  EXPECT_EQ(clock.metrics[0].readings.front().value, 1048576);
  EXPECT_EQ(clock.metrics[0].readings.back().t_s - clock.metrics[0].readings.front().t_s, 180);
}

TEST(Csv, TimesThatStandStillAreNone) {
  const auto recording = read("time,free_heap\n5,300\n5,200\n5,100\n");
  EXPECT_EQ(recording.time, TimeBase::none);
  EXPECT_TRUE(has_note(recording, "no rate"));
}

TEST(Csv, TimesThatGoBackAgainAndAgain) {
  std::string wrapping = "time,free_heap\n";
  std::string mixed = wrapping;
  for (int i = 0; i < 240; ++i) {
    const int minute = i % 60;
    wrapping += (minute < 10 ? "00:0" : "00:") + std::to_string(minute) + ":00,50000\n";
    mixed += std::to_string(1700000000 + 60 * i - (i % 2) * 1000) + ",50000\n";
  }
  const auto anew = read(wrapping);
  EXPECT_EQ(anew.time, TimeBase::clock);
  EXPECT_TRUE(has_note(anew, "times go back 3 times: a clock that begins anew"));
  const auto none = read(mixed);
  EXPECT_EQ(none.time, TimeBase::none);
  EXPECT_TRUE(has_note(none, "so no rate can be told"));
}

TEST(Csv, NumbersNoMemoryHasAreSkippedAndSaid) {
  const auto recording = read("time,free_heap\n0,1000\n60,1e308\n120,inf\n180,nan\n240,900\n");
  EXPECT_EQ(recording.metrics[0].readings.size(), 2U);
  EXPECT_TRUE(has_note(recording, "1 cells skipped that are above 2^53"));
  EXPECT_TRUE(has_note(recording, "2 cells skipped that are no number"));
}

TEST(Csv, LinesThatEndInCrAlone) {
  EXPECT_EQ(read("time,free_heap\r0,1000\r60,900\r").metrics.at(0).readings.size(), 2U);
}

TEST(Csv, BannerBeforeTheHeaderAndFooterBehindTheRows) {
  const auto recording =
      read("Monitoring htmz (PID: 1)\n\nTime,RSS(MB)\n14:11:27,15.0\n14:11:32,35.8\nstopped by the user\n");
  ASSERT_EQ(recording.metrics.size(), 1U);
  EXPECT_EQ(recording.metrics[0].readings.size(), 2U);
  EXPECT_TRUE(has_note(recording, "before the header"));
  EXPECT_TRUE(has_note(recording, "1 rows skipped"));
}

TEST(Csv, HeaderWithoutRowsIsAnEmptyRecording) {
  const auto recording =
      read("\xF0\x9F\x93\x8A Monitoring memory usage for 300s...\nTime,Memory(MB),RSS(MB)\n");
  EXPECT_EQ(recording.kind, RecordingKind::csv);
  EXPECT_TRUE(has_note(recording, "without rows"));
}

TEST(Csv, RowsWithoutHeader) {
  const auto recording = read("0,50000\n60,49900\n120,49800\n180,49700\n");
  ASSERT_EQ(recording.metrics.size(), 1U);
  EXPECT_FALSE(recording.metrics[0].sense_told);
  EXPECT_EQ(recording.metrics[0].readings[3].t_s, 180);
  EXPECT_EQ(recording.metrics[0].readings[3].value, 49700);
}

TEST(Csv, RowsWithoutHeaderWhoseFirstColumnIsNoTime) {
  const auto recording = read("50000,1\n49900,1\n50100,1\n49700,1\n");
  EXPECT_EQ(recording.time, TimeBase::none);
  EXPECT_EQ(recording.metrics.at(0).readings[1].value, 49900);
}

TEST(Csv, DeadCounterIsNotJudged) {
  const auto recording =
      read("timestamp,memory_bytes,wal_bytes\n40,0,13692711\n70,0,12377683\n100,0,10972047\n");
  EXPECT_TRUE(recording.metrics.empty());
  EXPECT_TRUE(has_note(recording, "dead counter"));
}

TEST(Csv, NegativeNumberInA32BitCounterIsNoReading) {
  const auto recording = read("timestamp,heap_free_bytes\n0,4294937228\n60,90000\n");
  ASSERT_EQ(recording.metrics[0].readings.size(), 1U);
  EXPECT_EQ(recording.metrics[0].readings[0].value, 90000);
}

TEST(Csv, UsedMemoryAbove4GBIsAReading) {
  const auto recording = read("timestamp,rss_bytes\n0,4294937228\n60,4394352640\n");
  EXPECT_EQ(recording.metrics[0].readings.size(), 2U);
}

TEST(Csv, UnitsInCellsAndAUnitThatChangesMidway) {
  const auto cells = read("timestamp,mem\n0,983MiB\n60,1.002GiB\n");
  EXPECT_NEAR(cells.metrics[0].readings[1].value / 1048576, 1026.05, 0.01);
  const auto bare = read("timestamp,mem_mib\n0,1010.5\n60,1023\n120,1.002\n180,1.004\n");
  EXPECT_NEAR(bare.metrics[0].readings[3].value / 1048576, 1028.1, 0.01);
  EXPECT_TRUE(has_note(bare, "unit"));
}

TEST(Csv, JsonLinesAreNoTable) {
  EXPECT_EQ(read("{\"uptime\": 1, \"freeheap\": 50000}\n{\"uptime\": 2, \"freeheap\": 50000}\n").kind,
            RecordingKind::foreign_log);
}

TEST(Csv, AColumnOfPsCountsInKib) {
  EXPECT_EQ(read("timestamp,rss\n0,45678\n60,45700\n").metrics[0].readings[0].value, 45678.0 * 1024);
}

TEST(Csv, OtherDelimitersQuotesAndDecimalCommas) {
  EXPECT_EQ(read("timestamp;rss_kb\n0;12,5\n60;13,5\n").metrics[0].readings[1].value, 13.5 * 1024);
  EXPECT_EQ(read("\"timestamp\",\"rss_bytes\"\r\n\"0\",\"1,234\"\r\n").metrics[0].readings[0].value, 1234);
  const auto spaces =
      read(">> min  ok  mem  rows\n>>   1.0   3001  977.2MiB    101551\n>> 113.0   3000   1023MiB  437553\n");
  ASSERT_EQ(spaces.metrics.size(), 1U);
  EXPECT_EQ(spaces.metrics[0].readings[1].t_s, 113 * 60);
  EXPECT_EQ(spaces.metrics[0].readings[1].value, 1023.0 * 1048576);
}

TEST(Csv, LowWaterMarkAloneIsMarkedAsSuch) {
  EXPECT_EQ(read("timestamp,heap_min_ever_bytes\n20,62376\n216,11684\n").metrics[0].role,
            MetricRole::low_water);
}

}  // namespace
}  // namespace leakhunt::recorder
