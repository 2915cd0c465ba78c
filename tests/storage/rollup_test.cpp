// Buckets against the samples they were made of, whatever came in which order, moved, or was written twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <tuple>

#include "storage/buckets.h"
#include "storage/sqlite.h"
#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using recorder::BootId;
using recorder::Row;
using recorder::Source;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr BootId kBoot{1};

struct Reading {
  std::int64_t t = 0;
  std::int64_t value = 0;
};
using Run = std::pair<std::int64_t, std::int64_t>;                                 // series, boot
using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;  // with level and bucket

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

constexpr std::int64_t kWidths[] = {0, 60'000'000, 3'600'000'000, 86'400'000'000};

// Every bucket that should stand, from the samples alone.
std::map<Place, std::vector<Reading>> expected(const Connection& db) {
  std::map<Run, std::vector<Reading>> samples;
  std::map<Run, std::int64_t> newest;
  Statement rows = db.prepare("SELECT series, boot, t_boot, value, suspect FROM sample ORDER BY 1, 2, 3");
  while (rows.step()) {
    const Run run{rows.integer(0), rows.integer(1)};
    newest[run] = rows.integer(2);
    if (rows.integer(4) == 0) samples[run].push_back({rows.integer(2), rows.integer(3)});
  }
  std::map<Place, std::vector<Reading>> buckets;
  Statement states = db.prepare("SELECT series, boot, finest, sealed FROM rollup_state");
  while (states.step()) {
    const Run run{states.integer(0), states.integer(1)};
    for (std::int64_t level = states.integer(2); level <= 3; ++level) {
      const std::int64_t width = kWidths[level];
      for (const Reading& reading : samples[run]) {
        const std::int64_t bucket = floor_div(reading.t, width);
        if (states.integer(3) != 0 || bucket < floor_div(newest[run], width)) {
          buckets[{run.first, run.second, level, bucket}].push_back(reading);
        }
      }
    }
  }
  return buckets;
}

void expect_figures(const Statement& row, const std::vector<Reading>& readings, std::int64_t start) {
  const auto by_value = [](const Reading& a, const Reading& b) { return a.value < b.value; };
  const auto [low, high] = std::minmax_element(readings.begin(), readings.end(), by_value);
  EXPECT_EQ(row.integer(4), static_cast<std::int64_t>(readings.size()));
  EXPECT_EQ(row.integer(5), readings.front().value);
  EXPECT_EQ(row.integer(6), readings.back().value);
  EXPECT_EQ(row.integer(7), low->value);
  EXPECT_EQ(row.integer(8), high->value);
  const auto n = static_cast<long double>(readings.size());
  long double mean_t = 0;
  long double mean_v = 0;
  for (const Reading& r : readings) {
    mean_t += static_cast<long double>(r.t - start) / 1e6L / n;
    mean_v += static_cast<long double>(r.value - readings.front().value) / n;
  }
  long double m2_t = 0;
  long double m2_v = 0;
  long double c_tv = 0;
  for (const Reading& r : readings) {
    const long double t = static_cast<long double>(r.t - start) / 1e6L - mean_t;
    const long double v = static_cast<long double>(r.value - readings.front().value) - mean_v;
    m2_t += t * t;
    m2_v += v * v;
    c_tv += t * v;
  }
  const auto range = static_cast<double>(high->value - low->value) + 1;
  EXPECT_NEAR(row.real(11), static_cast<double>(mean_t), 1e-8);
  EXPECT_NEAR(row.real(12), static_cast<double>(mean_v), 1e-10 * range);
  EXPECT_NEAR(row.real(13), static_cast<double>(m2_t), 1e-10 * (static_cast<double>(m2_t) + 1));
  EXPECT_NEAR(row.real(14), static_cast<double>(m2_v), 1e-10 * (static_cast<double>(m2_v) + 1));
  EXPECT_NEAR(row.real(15), static_cast<double>(c_tv),
              1e-10 * (std::sqrt(static_cast<double>(m2_t * m2_v)) + 1));
}

void expect_right_buckets(const std::string& path) {
  const Connection db(path, Connection::Mode::read_only);
  auto wanted = expected(db);
  Statement rows = db.prepare("SELECT * FROM rollup");
  while (rows.step() && !::testing::Test::HasFailure()) {
    const Place place{rows.integer(0), rows.integer(1), rows.integer(2), rows.integer(3)};
    SCOPED_TRACE(::testing::PrintToString(place));
    const auto found = wanted.find(place);
    ASSERT_NE(found, wanted.end());
    expect_figures(rows, found->second, std::get<3>(place) * kWidths[std::get<2>(place)]);
    EXPECT_EQ(rows.is_null(16), std::get<2>(place) != 1);
    wanted.erase(found);
  }
  EXPECT_EQ(wanted.size(), 0U) << "the first one missing: "
                               << ::testing::PrintToString(wanted.begin()->first);
}

class Rollup : public ::testing::Test {
 protected:
  void write(const std::vector<Row>& rows) { ASSERT_TRUE(writer_.write(rows)); }
  void write_every(Duration cadence, Duration from, Duration to, BootId boot = kBoot,
                   Source source = Source::poll) {
    std::vector<Row> rows;
    for (Duration t = from; t < to; t += cadence) {
      rows.emplace_back(sample_row(boot, t, 100'000 - t / 1s % 977, source));
    }
    write(rows);
  }
  std::int64_t number(const std::string& sql) { return number_in(folder_.file(), sql); }
  void reopen() {
    ASSERT_TRUE(writer_.finish());
    std::optional<Writer> old{std::move(writer_)};
    old.reset();
    writer_ = writer_of(folder_.file(), clock_);
  }

  Folder folder_;
  SteppedClock clock_;
  Writer writer_ = writer_of(folder_.file(), clock_);
};

TEST_F(Rollup, LevelsAreAtLeastEightTimesCoarserThanTheCadence) {
  EXPECT_EQ(finest_level(1500ms), Level::minute);
  EXPECT_EQ(finest_level(7500ms), Level::minute);
  EXPECT_EQ(finest_level(7501ms), Level::hour);
  EXPECT_EQ(finest_level(450s), Level::hour);
  EXPECT_EQ(finest_level(15min), Level::day);
  EXPECT_EQ(finest_level(3h), Level::day);
  EXPECT_EQ(finest_level(4h), std::nullopt);
}

TEST_F(Rollup, ABucketIsWrittenWhenItClosesAndNotBefore) {
  write(beginnings());
  write_every(1500ms, 0s, 60s);
  EXPECT_EQ(number("SELECT count(*) FROM rollup"), 0);
  write({sample_row(kBoot, 60s, 90'000)});
  EXPECT_EQ(number("SELECT count(*) FROM rollup"), 1);
  EXPECT_EQ(number("SELECT n FROM rollup"), 40);
  write_every(1500ms, 61s, 25h);
  EXPECT_EQ(number("SELECT count(*) FROM rollup WHERE level = 1"), 25 * 60 - 1);
  EXPECT_EQ(number("SELECT count(*) FROM rollup WHERE level = 2"), 24);
  EXPECT_EQ(number("SELECT count(*) FROM rollup WHERE level = 3"), 1);
  expect_right_buckets(folder_.file());
}

TEST_F(Rollup, TheCadenceOfTheFirst32IntervalsHoldsForTheBootAcrossARestart) {
  write(beginnings());
  write_every(60s, 0s, 33min);
  EXPECT_EQ(number("SELECT finest FROM rollup_state"), 2);
  EXPECT_EQ(number("SELECT cadence_us FROM rollup_state"), 60'000'000);
  reopen();
  write_every(1s, 33min, 2h);
  EXPECT_EQ(number("SELECT count(*) FROM rollup WHERE level = 1"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM rollup WHERE level = 2"), 1);
  expect_right_buckets(folder_.file());
}

TEST_F(Rollup, LateSamplesChangeTheirBucketsInTheSameTransaction) {
  write(beginnings());
  write_every(2s, 0s, 26h);
  write({sample_row(kBoot, 3601s, 5'000), sample_row(kBoot, 25h + 3s, 300'000)});
  EXPECT_EQ(number("SELECT min FROM rollup WHERE level = 3 AND bucket = 0"), 5'000);
  EXPECT_EQ(number("SELECT max FROM rollup WHERE level = 1 AND bucket = 1500"), 300'000);
  expect_right_buckets(folder_.file());
  write_every(2s, 26h, 49h);
  EXPECT_EQ(number("SELECT max FROM rollup WHERE level = 3 AND bucket = 1"), 300'000);
  expect_right_buckets(folder_.file());
}

TEST_F(Rollup, SuspectReadingsAreKeptAndCountNowhere) {
  write(beginnings());
  write_every(2s, 0s, 2min);
  recorder::SampleRow bad = sample_row(kBoot, 121s, 9'999'999);
  bad.suspect = true;
  write({bad});
  write_every(2s, 122s, 5min);
  EXPECT_EQ(number("SELECT count(*) FROM sample WHERE suspect = 1"), 1);
  EXPECT_LT(number("SELECT max(max) FROM rollup"), 200'000);
  expect_right_buckets(folder_.file());
}

TEST_F(Rollup, AReadingThatStandsAloneIsNotInTheQuantiles) {
  write(beginnings());
  std::vector<Row> rows;
  for (int i = 0; i < 61; ++i) {
    const std::int64_t value = i % 20 == 11 ? 12 : 80'000 + i;
    rows.emplace_back(sample_row(kBoot, 1s * i, value));
  }
  write(rows);
  EXPECT_EQ(number("SELECT min FROM rollup"), 12);
  EXPECT_EQ(number("SELECT p05 FROM rollup"), 80'003);
  EXPECT_EQ(number("SELECT p80 FROM rollup"), 80'047);
}

TEST_F(Rollup, RowsThatMoveTakeTheirBucketsWithThem) {
  write(beginnings());
  write(beginnings(BootId{2}));
  write_every(2s, 0s, 3h);
  write({recorder::MoveRows{kBoot, 2h, BootId{2}, -2h + 10s}});
  expect_right_buckets(folder_.file());
  EXPECT_EQ(number("SELECT count(*) FROM rollup WHERE boot = 1 AND level = 2"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM rollup WHERE boot = 2 AND level = 1"), 60);
  write({recorder::MoveRows{kBoot, 0s, kBoot, 95min + 1s}});
  expect_right_buckets(folder_.file());
  EXPECT_EQ(number("SELECT min(bucket) FROM rollup WHERE boot = 1 AND level = 1"), 95);
}

TEST_F(Rollup, OfADeviceThatIsMergedOrForgottenGoWithIt) {
  constexpr recorder::DeviceId other{2};
  write(beginnings());
  write({recorder::DeviceRow{other, "other"},
         recorder::IdentityRow{recorder::IdentityId{2}, other, kNode, "", "", 0, {}}});
  recorder::BootRow boot = boot_row(BootId{2});
  boot.device = other;
  boot.identity = recorder::IdentityId{2};
  std::vector<Row> rows{boot};
  for (int i = 0; i < 500; ++i) {
    recorder::SampleRow row = sample_row(BootId{2}, 1s * i, i);
    row.device = other;
    row.identity = recorder::IdentityId{2};
    rows.emplace_back(row);
  }
  rows.emplace_back(rows[100]);
  write(rows);
  write_every(1s, 0s, 5min);
  write({recorder::MergeDevices{other, kDevice, {}, {}}});
  expect_right_buckets(folder_.file());
  EXPECT_EQ(number("SELECT count(DISTINCT series) FROM rollup_state"), 1);
  write({recorder::ForgetDevice{kDevice}});
  EXPECT_EQ(number("SELECT count(*) FROM rollup") + number("SELECT count(*) FROM rollup_state"), 0);
  EXPECT_EQ(writer_.refused_rows(), 0);
}

// A life of several boots and sources: gaps, late and out-of-order readings, bad ones, moves, restarts of the
// recorder in between.
TEST_F(Rollup, AlwaysMatchTheirSamples) {
  std::mt19937 random{20'251};
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int life = 0; life < 12; ++life) {
    SCOPED_TRACE(life);
    const BootId boot{life + 1};
    write(beginnings(boot));
    const Duration cadences[] = {700ms, 1500ms, 9s, 60s, 300s, 900s, 4h};
    const Source sources[] = {Source::poll, Source::stats, Source::debug_heap};
    Duration at[3] = {1s * pick(4000), 1s * pick(4000), 1s * pick(4000)};
    Duration cadence[3] = {cadences[pick(7)], cadences[pick(7)], cadences[pick(7)]};
    for (int batch = 0; batch < 14; ++batch) {
      std::vector<Row> rows;
      for (int i = 0; i < 300; ++i) {
        const int which = pick(3);
        at[which] += cadence[which] * (pick(100) == 0 ? 1 + pick(200) : 1) + Duration{pick(2000)};
        const bool late = pick(60) == 0;
        const Duration t =
            late ? std::max(at[which] - cadence[which] * pick(3000) / 2, Duration{}) : at[which];
        auto row = sample_row(boot, t, 100'000 - pick(3'000), sources[which]);
        row.suspect = pick(50) == 0;
        rows.emplace_back(row);
      }
      if (pick(9) == 0) rows.emplace_back(recorder::MoveRows{boot, at[0] / 2, boot, 1s * (1 + pick(5000))});
      if (life > 0 && pick(12) == 0) {
        rows.emplace_back(
            recorder::MoveRows{BootId{life}, 1h * pick(40), boot, Duration{pick(9) * 1'000'003}});
      }
      write(rows);
      if (pick(8) == 0) reopen();
    }
    expect_right_buckets(folder_.file());
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(number("SELECT count(*) FROM rollup WHERE level = 1"), 100);
  EXPECT_GT(number("SELECT count(*) FROM rollup WHERE level = 3"), 100);
  EXPECT_EQ(writer_.refused_rows(), 0);
}

recorder::TelemetryRow local(BootId boot, Duration t, double rx, std::optional<double> noise = std::nullopt) {
  recorder::TelemetryRow row{.device = kDevice,
                             .identity = kIdentity,
                             .node = kNode,
                             .variant = recorder::Variant::local,
                             .source = Source::poll,
                             .at = {boot, t},
                             .values = {{"num_packets_rx", rx}}};
  if (noise) row.values.emplace_back("noise_floor", *noise);
  return row;
}

// "field n min max last" of one hour.
std::vector<std::string> hour_of(const std::string& path, int hour) {
  const Connection db(path, Connection::Mode::read_only);
  Statement rows = db.prepare(
      "SELECT text || ' ' || n || ' ' || CAST(min AS INTEGER) || ' ' || CAST(max AS INTEGER) || ' ' || "
      "CAST(last AS "
      "INTEGER) FROM field_hour JOIN word ON word.id = field WHERE hour = ? ORDER BY text");
  rows.bind(0, std::int64_t{hour});
  std::vector<std::string> found;
  while (rows.step()) found.emplace_back(rows.text(0));
  return found;
}

TEST_F(Rollup, OtherFieldsHaveTheirLeastGreatestAndLastOfEachHour) {
  write(beginnings());
  write({local(kBoot, 10s, 5, -90), local(kBoot, 20min, 9), local(kBoot, 59min, 7, -95)});
  EXPECT_THAT(hour_of(folder_.file(), 0), IsEmpty());
  auto others = local(kBoot, 30min, 1'000);
  others.node = 0x0badcafe;
  write({local(kBoot, 61min, 11), others});
  EXPECT_THAT(hour_of(folder_.file(), 0), ElementsAre("noise_floor 2 -95 -90 -95", "num_packets_rx 3 5 9 7"));
  reopen();
  write({local(kBoot, 50min, 3), local(kBoot, 125min, 12)});
  EXPECT_THAT(hour_of(folder_.file(), 0), ElementsAre("noise_floor 2 -95 -90 -95", "num_packets_rx 4 3 9 7"));
  EXPECT_THAT(hour_of(folder_.file(), 1), ElementsAre("num_packets_rx 1 11 11 11"));
  write({recorder::MoveRows{kBoot, 0s, kBoot, 60min}});
  EXPECT_THAT(hour_of(folder_.file(), 0), IsEmpty());
  EXPECT_THAT(hour_of(folder_.file(), 1), ElementsAre("noise_floor 2 -95 -90 -95", "num_packets_rx 4 3 9 7"));
}

TEST_F(Rollup, OfAnOlderFileAreBuiltWhenItsSchemaChanges) {
  const Folder older;
  {
    std::ifstream sql(LEAKHUNT_TEST_DATA "/store/version-2.sql");
    std::ofstream{older.file()}.flush();
    Connection db(older.file(), Connection::Mode::read_write);
    db.run({std::istreambuf_iterator<char>{sql}, {}});
    db.run(
        "WITH RECURSIVE each(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM each WHERE n < 20000) INSERT INTO "
        "sample "
        "SELECT 1, 1, 5000000 + n * 1500000, 90000 + n % 77, n % 40 = 3 FROM each");
    db.run(
        "WITH RECURSIVE each(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM each WHERE n < 300) INSERT INTO "
        "telemetry_local(boot, other_node, t_boot, source, num_packets_rx) SELECT 1, 0, 5000000 + n * "
        "60000000, 1, n "
        "FROM each");
  }
  Writer writer = writer_of(older.file(), clock_);
  EXPECT_EQ(number_in(older.file(), "SELECT count(*) FROM rollup WHERE level = 1"), 500);
  EXPECT_EQ(number_in(older.file(), "SELECT count(*) FROM rollup WHERE level = 2"), 8);
  EXPECT_EQ(
      number_in(older.file(),
                "SELECT count(*) FROM field_hour JOIN word ON word.id = field WHERE text = 'num_packets_rx'"),
      5);
  expect_right_buckets(older.file());
  ASSERT_TRUE(writer.write(std::vector<Row>{sample_row(kBoot, 40'000s, 5)}));
  expect_right_buckets(older.file());
}

}  // namespace
}  // namespace leakhunt::storage::testing
