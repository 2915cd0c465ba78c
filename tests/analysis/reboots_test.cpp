// Restarts by kind, the level at death, a loss that comes again; lines of each kind.
#include "analysis/reboots.h"

#include <gtest/gtest.h>

#include "analysis/judge.h"
#include "tests/analysis/series.h"

namespace leakhunt::analysis {
namespace {

using testing::ask;
using testing::kHour_s;
using testing::kStart_s;
using testing::line;
using testing::says;
using testing::stretch;
using testing::Wave;

// Boots that leak 300 B/min for five hours each, the last for an hour; boot 2 and on began by `causes`.
Question boots_that_leak(const std::vector<std::string>& causes) {
  std::vector<Stretch> stretches;
  Question q;
  for (std::size_t i = 0; i <= causes.size(); ++i) {
    Wave w;
    w.boot = static_cast<std::int64_t>(i) + 1;
    w.uptime_s = 60;
    w.hours = i == causes.size() ? 1 : 5;
    w.start_s = kStart_s + static_cast<double>(i) * 5 * kHour_s;
    w.seed = static_cast<unsigned>(i) + 3;
    stretches.push_back(stretch(w, [](double t) { return 105000 - 300 * t / 60; }));
    stretches.back().cause = i == 0 ? "" : causes[i - 1];
    q.boots.push_back({w.boot, w.start_s, stretches.back().cause});
  }
  const std::vector<Boot> boots = q.boots;
  q = ask(std::move(stretches));
  q.boots = boots;
  return q;
}

TEST(Reboots, ALossThatRecursIsNamedWithTheLevelAtEachDeath) {
  const Verdict v = judge(boots_that_leak({"watchdog", "panic"}));
  EXPECT_EQ(v.verdict, VerdictClass::reboot_mid_window);
  EXPECT_TRUE(says(v, "the loss comes again after the reboot, in 3 stretches"));
  EXPECT_TRUE(says(v, "the device died at"));
  ASSERT_EQ(v.stretches.size(), 3U);
  ASSERT_TRUE(v.stretches[0].died_at_bytes && v.stretches[1].died_at_bytes);
  EXPECT_NEAR(*v.stretches[0].died_at_bytes, 105000 - 300 * 299, 300);
  EXPECT_EQ(v.stretches[0].ended_by, "watchdog");
  EXPECT_EQ(v.stretches[1].ended_by, "panic");
  EXPECT_FALSE(v.stretches[2].ended);
  EXPECT_FALSE(v.stretches[2].died_at_bytes);
}

TEST(Reboots, TheHorizonTellsWhenItDiesAsBefore) {
  const Verdict v = judge(boots_that_leak({"watchdog", "watchdog"}));
  EXPECT_TRUE(says(v, "left at which it died before are reached in about"));
}

TEST(Reboots, KindsAreToldApart) {
  const Verdict v = judge(boots_that_leak({"watchdog", "panic", "out_of_memory", "planned"}));
  EXPECT_TRUE(says(v, "1 by a watchdog reset"));
  EXPECT_TRUE(says(v, "1 by a panic"));
  EXPECT_TRUE(says(v, "1 by lack of memory"));
  EXPECT_TRUE(says(v, "1 by a planned reboot"));
}

TEST(Reboots, APlannedOneIsNotTheLeaksEnd) {
  for (const char* cause : {"planned", "opened_by_recorder"}) {
    const Verdict v = judge(boots_that_leak({cause}));
    ASSERT_EQ(v.stretches.size(), 2U);
    EXPECT_TRUE(v.stretches[0].ended);
    EXPECT_FALSE(v.stretches[0].died_at_bytes);
    EXPECT_TRUE(says(v, "not counted as its death"));
    EXPECT_FALSE(says(v, "the device died at"));
    EXPECT_TRUE(says(v, "comes again after the reboot"));
  }
}

TEST(Reboots, ABootWithoutReadingsEndsTheOneBefore) {
  Question q = testing::leaking(100);
  q.boots = {{1, absent, ""}, {2, kStart_s + 7 * kHour_s, "watchdog"}};
  const Verdict v = judge(q);
  ASSERT_EQ(v.stretches.size(), 1U);
  EXPECT_EQ(v.stretches[0].ended_by, "watchdog");
  EXPECT_TRUE(v.stretches[0].died_at_bytes);
}

TEST(Reboots, TheLevelAtDeathIsTheLatestReadingOfAnySource) {
  Question q = boots_that_leak({"out_of_memory", "watchdog"});
  Series coarse{"heap_line", {}};
  for (const Stretch& s : q.series[0].stretches) {
    Stretch few = s;
    few.points.clear();
    for (std::size_t i = 0; i + 5 < s.points.size(); i += 5) few.points.push_back(s.points[i]);
    coarse.stretches.push_back(few);
  }
  Series late{"stats", {q.series[0].stretches[0]}};
  late.stretches[0].points = {q.series[0].stretches[0].points.back()};
  late.stretches[0].points[0].x_s += 20;
  late.stretches[0].points[0].t_s += 20;
  late.stretches[0].points[0].value = 1448;
  q.series = {coarse, late};
  const Verdict v = judge(q);
  EXPECT_EQ(v.source, "heap_line");
  ASSERT_EQ(v.stretches.size(), 3U);
  EXPECT_DOUBLE_EQ(v.stretches[0].died_at_bytes.value_or(0), 1448);
  EXPECT_TRUE(says(v, "the device died at 1,448 B"));
  EXPECT_TRUE(says(v, "by lack of memory with 1,448 B free"));
  EXPECT_DOUBLE_EQ(v.stretches[1].died_at_bytes.value_or(0), coarse.stretches[1].points.back().value);
}

TEST(Reboots, BesideBucketsTheLastReadingIsTold) {
  Question q = boots_that_leak({"watchdog"});
  q.last_readings = {{1, 200, 1300}, {1, 100, 900}, {2, 300, 700}};
  const Verdict v = judge(q);
  EXPECT_DOUBLE_EQ(v.stretches[0].died_at_bytes.value_or(0), 1300);
}

TEST(Reboots, ABootThatOnlyAnotherSourceReadIsListed) {
  Question q = boots_that_leak({"watchdog", "watchdog"});
  Series other{"stats", {q.series[0].stretches[1]}};
  other.stretches[0].points.resize(100);
  q.series[0].stretches.erase(q.series[0].stretches.begin() + 1);
  q.series.push_back(other);
  const Verdict v = judge(q);
  EXPECT_EQ(v.source, "poll");
  ASSERT_EQ(v.stretches.size(), 3U);
  EXPECT_EQ(v.stretches[1].boot_id, 2);
  EXPECT_EQ(v.stretches[1].samples, 100U);
  EXPECT_DOUBLE_EQ(v.stretches[1].died_at_bytes.value_or(0), other.stretches[0].points.back().value);
}

TEST(Reboots, WithMostOfItsMemoryLeftItDidNotDieOfIt) {
  const auto restart = [](const char* cause, double fall_per_min) {
    Wave w;
    w.noise = 4;
    w.hours = 3;
    Question q = ask({stretch(w, [=](double t) { return 100000 - fall_per_min * t / 60; })});
    q.boots = {{1, kStart_s, ""}, {2, kStart_s + 3 * kHour_s, cause}};
    return judge(q);
  };
  for (const char* cause : {"unknown", "", "power"}) {
    const Verdict v = restart(cause, 80);
    EXPECT_TRUE(v.stretches[0].leak);
    EXPECT_FALSE(v.stretches[0].died_at_bytes) << cause;
    EXPECT_FALSE(says(v, "at which it died before"));
  }
  EXPECT_TRUE(restart("unknown", 400).stretches[0].died_at_bytes);
  EXPECT_TRUE(restart("panic", 80).stretches[0].died_at_bytes);
  EXPECT_FALSE(restart("panic", 0).stretches[0].died_at_bytes);
}

TEST(Reboots, ABootTooShortHidesNoSteadyOnes) {
  std::vector<Stretch> stretches;
  for (std::int64_t i = 0; i < 3; ++i) {
    Wave w;
    w.boot = i + 1;
    w.start_s = kStart_s + static_cast<double>(i) * 6 * kHour_s;
    stretches.push_back(stretch(w, [](double) { return 120000.0; }));
  }
  stretches.back().points.resize(1);
  const Verdict v = judge(ask(stretches));
  EXPECT_EQ(v.verdict, VerdictClass::reboot_mid_window);
  EXPECT_EQ(v.stretches.back().verdict, VerdictClass::insufficient_data);
  EXPECT_EQ(v.underlying, VerdictClass::steady);
}

TEST(Reboots, AreToldWithoutAnyReading) {
  Question q;
  q.boots = {{1, kStart_s, ""}, {2, kStart_s + 600, "watchdog"}, {3, kStart_s + 900, "planned"}};
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::reboot_mid_window);
  EXPECT_TRUE(says(v, "3 boots in the window"));
  EXPECT_TRUE(says(v, "1 by a planned reboot, 1 by a watchdog reset"));
}

TEST(Reboots, ALoopOfShortFallsIsAFindingAndNoClass) {
  std::vector<Stretch> stretches;
  for (std::int64_t i = 0; i < 5; ++i) {
    Wave w;
    w.boot = i + 1;
    w.hours = 0.09;
    w.uptime_s = 10;
    w.start_s = kStart_s + static_cast<double>(i) * 400;
    stretches.push_back(stretch(w, [](double t) { return 80000 - 9000 * t / 60; }));
  }
  const Verdict v = judge(ask(stretches));
  EXPECT_EQ(v.verdict, VerdictClass::reboot_mid_window);
  EXPECT_TRUE(says(v, "memory fell in each of") || says(v, "the loss comes again"));
}

TEST(Reboots, AHealthyLoopLosesNothing) {
  std::vector<Stretch> stretches;
  for (std::int64_t i = 0; i < 5; ++i) {
    Wave w;
    w.boot = i + 1;
    w.hours = 0.09;
    w.uptime_s = 10;
    w.start_s = kStart_s + static_cast<double>(i) * 400;
    stretches.push_back(stretch(w, [](double) { return 80000.0; }));
  }
  const Verdict v = judge(ask(stretches));
  EXPECT_FALSE(says(v, "memory fell in each of"));
  EXPECT_EQ(v.underlying, VerdictClass::insufficient_data);
}

TEST(Lines, KindsThatAreNoEvidenceChangeNoClass) {
  for (const LineKind kind :
       {LineKind::routing_nak, LineKind::other, LineKind::boot, LineKind::planned_reboot, LineKind::panic,
        LineKind::watchdog, LineKind::abort}) {
    Question q = testing::steady();
    for (int i = 0; i < 20; ++i) q.lines.push_back(line(kind, 600.0 * i, "Alloc an err=5 out of memory"));
    const Verdict v = judge(q);
    EXPECT_EQ(v.verdict, VerdictClass::steady) << static_cast<int>(kind);
    EXPECT_FALSE(v.urgent);
  }
}

TEST(Lines, AWatchdogAndAPanicAreToldApart) {
  Question q = testing::steady();
  q.lines = {line(LineKind::watchdog, 600, "Task watchdog got triggered"),
             line(LineKind::panic, 900, "Guru Meditation Error")};
  const Verdict v = judge(q);
  EXPECT_TRUE(says(v, "stopped by its watchdog: \"Task watchdog"));
  EXPECT_TRUE(says(v, "stopped by a fault: \"Guru"));
}

TEST(Lines, EachKindOfExhaustionIsImminent) {
  for (const LineKind kind : {LineKind::out_of_memory, LineKind::allocation_abort, LineKind::low_memory}) {
    Question q = testing::steady();
    q.lines = {line(kind, 600, "what the device says")};
    EXPECT_EQ(judge(q).verdict, VerdictClass::oom_imminent) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace leakhunt::analysis
