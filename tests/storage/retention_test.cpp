// Weeks pass in seconds: what is too old goes, what the store has no room for goes from the one that holds
// most, and what is kept for ever stays.
#include "storage/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using recorder::BootId;
using recorder::DeviceId;
using recorder::IdentityId;
using recorder::Row;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr Duration kDay = 24h;
constexpr DeviceId kOther{2};

// A device that sends a sample and a packet each `cadence`, and a line and a telemetry packet each tenth
// time.
struct Sender {
  DeviceId device = kDevice;
  BootId boot{1};
  Duration cadence = 60s;
  int lines_each_time = 0;
};

std::vector<Row> beginnings_of(const Sender& sender, Utc zero) {
  const IdentityId identity{static_cast<std::int64_t>(sender.device)};
  recorder::BootRow boot;
  boot.id = sender.boot;
  boot.device = sender.device;
  boot.identity = identity;
  return {recorder::DeviceRow{sender.device, "bench" + std::to_string(static_cast<int>(sender.device))},
          recorder::IdentityRow{identity, sender.device, 7, "", "", 0, zero}, boot,
          anchor_row(sender.boot, zero)};
}

class RetentionTest : public ::testing::Test {
 protected:
  void begin(const Retention& retention) {
    writer_.emplace(writer_of(folder_.file(), clock_, {.retention = retention}));
    origin_ = clock_.now().utc;
  }
  void write(const std::vector<Row>& rows) {
    ASSERT_TRUE(writer_->write(rows)) << writer_->trouble()->error.line();
    ASSERT_EQ(writer_->refused_rows(), 0);
  }
  void start(const Sender& sender) { write(beginnings_of(sender, clock_.now().utc)); }

  static void add(std::vector<Row>& rows, const Sender& sender, Duration t, std::int64_t n) {
    const IdentityId identity{static_cast<std::int64_t>(sender.device)};
    rows.emplace_back(recorder::SampleRow{sender.device,
                                          identity,
                                          recorder::HeapField::heap_free_bytes,
                                          recorder::Source::poll,
                                          {sender.boot, t},
                                          90'000 - n % 500,
                                          false});
    for (int i = 0; i < sender.lines_each_time + (n % 10 == 0 ? 1 : 0); ++i) {
      recorder::LogRow line = log_row(sender.boot, t + Duration{i}, "line " + std::to_string(n));
      line.device = sender.device;
      line.evidence = n % 1000 == 0 && i == 0;
      rows.emplace_back(line);
    }
    if (n % 10 != 0) return;
    rows.emplace_back(recorder::TelemetryRow{sender.device,
                                             identity,
                                             7,
                                             recorder::Variant::device,
                                             recorder::Source::stats,
                                             {sender.boot, t},
                                             {{"battery_level", 50.0}}});
    recorder::PacketRow packet;
    packet.device = sender.device;
    packet.at = {sender.boot, t};
    rows.emplace_back(packet);
  }
  // Time goes on, the devices send, and the store is looked after.
  void live(const std::vector<Sender>& senders, Duration long_time) {
    const Utc until = clock_.now().utc + long_time;
    while (clock_.now().utc < until) {
      const Duration part = std::min<Duration>(6h, until - clock_.now().utc);
      for (const Sender& sender : senders) {
        const Duration from = clock_.now().utc - zero_of(sender);
        std::vector<Row> rows;
        for (Duration t = from; t < from + part; t += sender.cadence)
          add(rows, sender, t, t / sender.cadence);
        write(rows);
      }
      clock_.advance(part);
      tend();
    }
  }
  Utc zero_of(const Sender& sender) {
    return Utc{number_in(folder_.file(), "SELECT utc_zero_us FROM anchor WHERE boot = " +
                                             std::to_string(static_cast<int>(sender.boot)))};
  }
  void tend() {
    int steps = 0;
    while (writer_->tend()) ASSERT_LT(++steps, 100'000);
    ASSERT_FALSE(writer_->trouble());
  }
  std::int64_t number(const std::string& sql) { return number_in(folder_.file(), sql); }
  std::int64_t file_bytes() {
    EXPECT_TRUE(writer_->finish());
    return static_cast<std::int64_t>(std::filesystem::file_size(folder_.file()));
  }
  // Age of the oldest row of a query that gives its t in the boot of `sender`.
  Duration age(const std::string& oldest_t, const Sender& sender = {}) {
    return clock_.now().utc - (zero_of(sender) + Duration{number(oldest_t)});
  }

  Folder folder_;
  SteppedClock clock_;
  Utc origin_;
  std::optional<Writer> writer_;
};

TEST_F(RetentionTest, EachKindGoesAtItsAgeAndTheRestStays) {
  begin({.text = 3 * kDay,
         .packets = 5 * kDay,
         .telemetry_raw = 7 * kDay,
         .heap_raw = 10 * kDay,
         .minute_buckets = 20 * kDay,
         .max_bytes = 0});
  const Sender sender{.cadence = 5s};
  start(sender);
  write({recorder::EventRow{kDevice, clock_.now().utc, {}, "mark", "begin", "", ""}});
  live({sender}, 3 * kDay);
  const auto all =
      reader_of(folder_.file()).figures({.device = kDevice, .window = {origin_, origin_ + 2 * kDay}});
  live({sender}, 22 * kDay);
  // Whole blocks of lines, whole days of samples.
  EXPECT_LT(age("SELECT min(t_boot) FROM log WHERE flags & 2 = 0"), 3 * kDay + 7h);
  EXPECT_LT(age("SELECT ifnull(min(t_last), 1 << 60) FROM log_block"), 3 * kDay + 7h);
  EXPECT_NEAR(static_cast<double>(age("SELECT min(t_boot) FROM packet") / 1h), 5 * 24, 7);
  EXPECT_NEAR(static_cast<double>(age("SELECT min(t_boot) FROM telemetry_device") / 1h), 7 * 24, 8);
  EXPECT_NEAR(static_cast<double>(age("SELECT min(t_boot) FROM sample") / 1h), 10.5 * 24, 19);
  EXPECT_NEAR(static_cast<double>(age("SELECT min(bucket) * 60000000 FROM rollup WHERE level = 1") / 1h),
              20.5 * 24, 19);
  EXPECT_EQ(number("SELECT min(bucket) FROM rollup WHERE level = 2"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM log WHERE flags & 2"), 25 * 86'400 / 5 / 1000);
  EXPECT_EQ(number("SELECT count(*) FROM event WHERE kind = 'mark'"), 1);
  EXPECT_EQ(number("SELECT sum(n) FROM field_hour WHERE hour < 24"), 24 * 72);
  EXPECT_EQ(
      number("SELECT rows FROM dropped WHERE kind = 'heap_raw'") + number("SELECT count(*) FROM sample"),
      25 * 86'400 / 5);
  EXPECT_EQ(number("SELECT count(*) FROM dropped WHERE cause <> 'age'"), 0);
  // What is asked of a time whose samples are gone is answered as before.
  const auto now =
      reader_of(folder_.file()).figures({.device = kDevice, .window = {origin_, origin_ + 2 * kDay}});
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(now.size(), 1U);
  EXPECT_EQ(now[0].bucket.n, all[0].bucket.n);
  EXPECT_EQ(now[0].bucket.min, all[0].bucket.min);
  EXPECT_EQ(now[0].bucket.max, all[0].bucket.max);
  EXPECT_EQ(integrity(folder_.file()), "ok");
}

TEST_F(RetentionTest, BootsThatAreOverGoWholeAndTheirBucketsStay) {
  begin({.text = kDay,
         .packets = kDay,
         .telemetry_raw = kDay,
         .heap_raw = 2 * kDay,
         .minute_buckets = 8 * kDay,
         .max_bytes = 0});
  for (int boot = 1; boot <= 20; ++boot) {
    const Sender sender{.boot = BootId{boot}, .cadence = 60s};
    start(sender);
    live({sender}, 6h);
  }
  const Sender last{.boot = BootId{21}, .cadence = 60s};
  start(last);
  live({last}, 10 * kDay);
  EXPECT_EQ(number("SELECT count(*) FROM sample WHERE boot < 21"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM telemetry_device WHERE boot < 21"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM packet WHERE boot < 21"), 0);
  EXPECT_EQ(number("SELECT sum(n) FROM rollup WHERE level = 2 AND boot < 21"), 20 * 360);
  EXPECT_EQ(number("SELECT sum(n) FROM field_hour WHERE boot < 21"), 20 * 36);
  EXPECT_EQ(reader_of(folder_.file()).boots(kDevice).size(), 21U);
}

TEST_F(RetentionTest, AChattyDeviceGivesAndTheOtherKeepsAll) {
  begin({.max_bytes = 3'600'000});
  const Sender chatty{.cadence = 10s, .lines_each_time = 2};
  const Sender quiet{.device = kOther, .boot = BootId{2}, .cadence = 10min};
  start(chatty);
  start(quiet);
  live({chatty, quiet}, 12 * kDay);
  EXPECT_LT(file_bytes(), 3'600'000 * 11 / 10);
  EXPECT_GT(number("SELECT rows FROM dropped WHERE device = 1 AND kind = 'text' AND cause = 'size'"), 10'000);
  EXPECT_EQ(number("SELECT count(*) FROM dropped WHERE device = 2"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM sample JOIN boot ON boot.id = boot WHERE device = 2"), 12 * 144);
  EXPECT_EQ(number("SELECT count(*) FROM sample JOIN boot ON boot.id = boot WHERE device = 1"), 12 * 8640);
}

TEST_F(RetentionTest, WithoutRoomKindsGoInTheirOrderAndHeapSamplesLast) {
  Retention tight{.max_bytes = 0};
  begin(tight);
  const Sender sender{.cadence = 7s, .lines_each_time = 1};
  start(sender);
  live({sender}, 40 * kDay);
  const std::int64_t in_hours = number("SELECT sum(n) FROM rollup WHERE level = 2");
  const auto limited = [&](std::int64_t bytes) {
    writer_.reset();
    tight.max_bytes = bytes;
    writer_.emplace(writer_of(folder_.file(), clock_, {.retention = tight}));
    clock_.advance(11min);
    tend();
  };
  const auto gone = [&] {
    std::string kinds;
    for (const Kind kind : kKinds) {
      if (number("SELECT count(*) FROM dropped WHERE cause = 'size' AND kind = '" + std::string{word(kind)} +
                 "'") > 0)
        kinds += std::string{word(kind)} + " ";
    }
    return kinds;
  };
  std::vector<std::string> order;
  const std::int64_t whole = file_bytes();
  for (std::int64_t bytes = whole; bytes > whole / 8; bytes -= whole / 100) {
    limited(bytes);
    if (const std::string kinds = gone(); !kinds.empty() && (order.empty() || order.back() != kinds)) {
      order.push_back(kinds);
    }
    if (writer_->heap_below_floor()) break;
    if (number("SELECT count(*) FROM dropped WHERE kind = 'heap_raw'") > 0) {
      EXPECT_GE(age("SELECT min(t_boot) FROM sample"), kHeapFloor);
    }
  }
  EXPECT_THAT(order, ::testing::ElementsAre("text ", "text packets ", "text packets telemetry_raw ",
                                            "text packets telemetry_raw heap_raw ",
                                            "text packets telemetry_raw heap_raw minute_buckets "));
  EXPECT_TRUE(writer_->heap_below_floor());
  EXPECT_LT(age("SELECT min(t_boot) FROM sample"), kHeapFloor);
  EXPECT_EQ(number("SELECT sum(n) FROM rollup WHERE level = 2"), in_hours);
}

TEST_F(RetentionTest, AClockThatJumpsThrowsNothingAway) {
  begin({});
  const Sender sender{.cadence = 10min};
  start(sender);
  live({sender}, 5 * kDay);
  clock_.jump(400 * kDay);
  for (int i = 0; i < 5; ++i) {
    clock_.advance(11min);
    tend();
  }
  EXPECT_EQ(number("SELECT count(*) FROM dropped"), 0);
  clock_.jump(-400 * kDay);
  for (int i = 0; i < 20; ++i) {
    clock_.advance(11min);
    tend();
  }
  EXPECT_EQ(number("SELECT count(*) FROM dropped"), 0);
}

// A host without a battery begins at 1970 until it is told the time.
TEST_F(RetentionTest, ABootOfAClockThatWasNeverSetIsNoOlderThanTheOneBefore) {
  begin({});
  const Sender before{.cadence = 10min};
  start(before);
  live({before}, kDay);
  const Sender lost{.boot = BootId{2}};
  write(beginnings_of(lost, Utc{5'000'000}));
  std::vector<Row> rows;
  for (int n = 1; n < 100; ++n) add(rows, lost, n * 1min, n);
  write(rows);
  const Sender after{.boot = BootId{3}, .cadence = 10min};
  start(after);
  live({after}, 2 * kDay);
  EXPECT_EQ(number("SELECT count(*) FROM dropped"), 0);
  live({after}, 95 * kDay);
  EXPECT_EQ(number("SELECT count(*) FROM sample WHERE boot = 2"), 0);
}

TEST_F(RetentionTest, TheFileShrinks) {
  begin({.text = kDay, .max_bytes = 0});
  const Sender sender{.cadence = 10s, .lines_each_time = 30};
  start(sender);
  live({sender}, kDay);
  const std::int64_t large = file_bytes();
  live({Sender{.cadence = 10min}}, 3 * kDay);
  EXPECT_LT(file_bytes(), large / 3);
}

TEST_F(RetentionTest, AStepTakesNoMoreThanAFewThousandRows) {
  begin({.text = kDay, .packets = kDay, .telemetry_raw = kDay, .heap_raw = kDay, .max_bytes = 0});
  const Sender sender{.cadence = 10s};
  start(sender);
  std::vector<Row> rows;
  for (int n = 0; n < 40'000; ++n) add(rows, sender, n * 10s, n);
  write(rows);
  clock_.advance(7 * kDay);
  std::int64_t before = 0;
  for (int looks = 0; looks < 4; ++looks) {
    clock_.advance(2h);
    while (writer_->tend()) {
      const std::int64_t now = number("SELECT ifnull(sum(rows), 0) FROM dropped");
      EXPECT_LE(now - before, 8 * 2048);
      before = now;
    }
  }
  EXPECT_GT(before, 30'000);
}

TEST_F(RetentionTest, TheReaderTellsWhatIsKeptAndWhatWent) {
  begin({.text = 2 * kDay, .max_bytes = 0});
  const Sender sender{.cadence = 60s};
  start(sender);
  live({sender}, 6 * kDay);
  Reader reader = reader_of(folder_.file());
  const auto kept = reader.kept(kDevice);
  ASSERT_EQ(kept.size(), kKinds.size());
  for (const Kept& kind : kept) {
    if (kind.kind == Kind::text) {
      EXPECT_GT(kind.dropped_rows, 500);
      EXPECT_EQ(kind.dropped_by, "age");
      EXPECT_GT(*kind.oldest, *kind.dropped_until);
      EXPECT_NEAR(static_cast<double>((clock_.now().utc - *kind.oldest) / 1h), 48, 7);
    } else if (kind.kind == Kind::heap_raw) {
      EXPECT_EQ(kind.oldest, origin_);
      EXPECT_EQ(kind.dropped_rows, 0);
      EXPECT_FALSE(kind.dropped_until);
    }
  }
  // 1 440 samples and 144 lines, packets and telemetry packets a day.
  const auto pace = reader.bytes_per_day(clock_.now().utc);
  ASSERT_TRUE(pace);
  EXPECT_NEAR(*pace, 1440 * 27 + 144 * (20 + 45 + 85), 3000);
}

}  // namespace
}  // namespace leakhunt::storage::testing
