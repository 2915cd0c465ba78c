// The default rules on curves of each kind.
#include "analysis/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/analysis/series.h"

namespace leakhunt::analysis {
namespace {

using testing::ask;
using ::testing::HasSubstr;
using testing::kHour_s;
using testing::kStart_s;
using testing::leaking;
using testing::line;
using testing::says;
using testing::steady;
using testing::stretch;
using testing::Wave;

TEST(Judge, ALineThatFallsIsALeakWithItsSlopeAndHorizon) {
  Question q = leaking(82);
  q.reserve_bytes = 1500;
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::slow_leak);
  ASSERT_TRUE(v.trend_per_min && v.minutes_to_oom);
  EXPECT_NEAR(v.trend_per_min->value, -82, 0.82);
  EXPECT_LT(v.trend_per_min->low, -82);
  EXPECT_GT(v.trend_per_min->high, -82);
  EXPECT_NEAR(v.minutes_to_oom->value, (120000 - 82 * 360 - 1500) / 82.0, 15);
  EXPECT_LE(v.minutes_to_oom->low, v.minutes_to_oom->value);
  EXPECT_GE(v.minutes_to_oom->high, v.minutes_to_oom->value);
}

TEST(Judge, TheReserveShortensTheHorizon) {
  Question q = leaking(82);
  q.reserve_bytes = 0;
  const double to_zero = judge(q).minutes_to_oom->value;
  q.reserve_bytes = 15360;
  EXPECT_NEAR(to_zero - judge(q).minutes_to_oom->value, 15360 / 82.0, 2);
}

TEST(Judge, AFlatLineIsSteadyAndSaysWhatItExcludes) {
  const Verdict v = judge(steady());
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_FALSE(v.leak);
  ASSERT_TRUE(v.mds_per_min);
  EXPECT_DOUBLE_EQ(*v.mds_per_min, 12) << "what the daily cycle may hide in six hours";
  EXPECT_TRUE(says(v, "cannot be excluded with these data; 30.0 h more would lower it to 1.0 B/min"));
}

TEST(Judge, AFlatDayAndAHalfExcludesSlowLeaks) {
  const Question q = ask({stretch({.hours = 37}, [](double) { return 120000.0; })});
  EXPECT_LT(judge(q).mds_per_min.value_or(99), 2);
}

// Nothing was recorded for ten days; the boot and its leak went on.
TEST(Judge, ALeakIsSeenAcrossALongPause) {
  Question q = ask({stretch({.hours = 252}, [](double t) { return 150000 - 8 * t / 60; })});
  std::erase_if(q.series[0].stretches[0].points, [](const Point& p) {
    const double h = (p.t_s - testing::kStart_s) / 3600;
    return h > 6 && h < 246;
  });
  EXPECT_EQ(judge(q).verdict, VerdictClass::slow_leak);
  EXPECT_NEAR(judge(q).trend_per_min->value, -8, 0.2);
}

TEST(Judge, AStaircaseOfLessThanTwoDaysIsNoLeak) {
  const Question q = ask({stretch({.hours = 40}, [](double t) {
    const double h = t / 3600;
    return 120000.0 - (h > 8 ? 3000 : 0) - (h > 17 ? 3000 : 0) - (h > 27 ? 3000 : 0);
  })});
  EXPECT_FALSE(judge(q).leak);
}

TEST(Judge, ADailyLogLineLeakOfFourteenThousandSamplesIsFound) {
  Wave w;
  w.cadence_s = 1.5;
  w.noise = 300;
  const Verdict v = judge(leaking(82, w));
  EXPECT_EQ(v.verdict, VerdictClass::slow_leak);
  EXPECT_NEAR(v.trend_per_min->value, -82, 0.82);
}

TEST(Judge, ShapesThatSettleAreNoLeaks) {
  const auto verdict_of = [](const std::function<double(double)>& f) { return judge(ask({stretch({}, f)})); };
  const Verdict step = verdict_of([](double t) { return t < 3 * kHour_s ? 120000.0 : 105000.0; });
  EXPECT_EQ(step.verdict, VerdictClass::steady);
  EXPECT_EQ(step.shape, "step");
  const Verdict warm = verdict_of([](double t) { return 120000 - 20000 * (1 - std::exp(-t / 3600)); });
  EXPECT_EQ(warm.verdict, VerdictClass::steady);
  const Verdict plateau = verdict_of([](double t) { return 120000 - 5 * std::min(t, 2.5 * kHour_s); });
  EXPECT_EQ(plateau.verdict, VerdictClass::steady);
  EXPECT_TRUE(says(plateau, "not as a line that goes on"));
}

TEST(Judge, ALeakThatBeginsInsideTheWindowIsFound) {
  const Verdict v =
      judge(ask({stretch({}, [](double t) { return 120000 - std::max(0.0, t - 3 * kHour_s); })}));
  EXPECT_EQ(v.verdict, VerdictClass::slow_leak);
  EXPECT_EQ(v.shape, "onset");
  EXPECT_NEAR(v.trend_per_min->value, -60, 3);
}

TEST(Judge, ASawtoothIsSteadyAndALeakUnderItIsFound) {
  const auto saw = [](double t) { return 120000 - 8000 * std::fmod(t, 1500.0) / 1500; };
  EXPECT_EQ(judge(ask({stretch({}, saw)})).verdict, VerdictClass::steady);
  const Verdict v = judge(ask({stretch({}, [&](double t) { return saw(t) - 60 * t / 60; })}));
  EXPECT_EQ(v.verdict, VerdictClass::slow_leak);
  EXPECT_TRUE(says(v, "cycles"));
}

TEST(Judge, AGrowingNodeDatabaseIsNoLeak) {
  Question q = ask({stretch({}, [](double t) { return 120000 - 240 * std::floor(t / 300); })});
  EXPECT_TRUE(judge(q).leak);
  for (Point& p : q.series[0].stretches[0].points) p.total_nodes = 10 + std::floor((p.t_s - kStart_s) / 300);
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_TRUE(says(v, "node database"));
}

TEST(Judge, MemoryThatComesBackIsARecovery) {
  const Verdict v = judge(ask({stretch({}, [](double t) { return 120000 - 20000 * std::exp(-t / 9000); })}));
  EXPECT_EQ(v.verdict, VerdictClass::recovery_curve);
}

TEST(Judge, ASlowFallInAShortWindowMayBeTheDay) {
  const Verdict v = judge(leaking(8));
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_TRUE(says(v, "36 h"));
  Wave w;
  w.hours = 48;
  EXPECT_EQ(judge(leaking(8, w)).verdict, VerdictClass::slow_leak);
}

TEST(Judge, UsedMemoryHasTheSignTurned) {
  Question q = ask({stretch({}, [](double t) { return 150e6 + 100000 * t / 60; })});
  q.sense = Sense::used_rises_is_bad;
  Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::slow_leak);
  EXPECT_NEAR(v.trend_per_min->value, 100000, 2000);
  EXPECT_FALSE(v.minutes_to_oom);
  q.total_bytes = 200e6;
  q.reserve_bytes = 0;
  v = judge(q);
  ASSERT_TRUE(v.minutes_to_oom);
  EXPECT_NEAR(v.minutes_to_oom->value, (200e6 - 150e6 - 36e6) / 100000, 20);
  q.sense = Sense::free_falls_is_bad;
  q.total_bytes.reset();
  EXPECT_EQ(judge(q).verdict, VerdictClass::recovery_curve);
}

TEST(Judge, ImpossibleAndLoneReadingsAreLeftOut) {
  Question q = steady();
  std::vector<Point>& points = q.series[0].stretches[0].points;
  points[10].value = 0;
  points[40].value = 4294967292.0;
  points[90].value = 9000;
  points[150].value = 400000;
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_EQ(v.samples, points.size() - 4);
}

TEST(Judge, ShortDataAreRefusedWithWhatIsNeeded) {
  Question q = leaking(100);
  q.series[0].stretches[0].points.resize(4);
  const Verdict few = judge(q);
  EXPECT_EQ(few.verdict, VerdictClass::insufficient_data);
  EXPECT_THAT(few.needs, HasSubstr("at least 5"));
  q = steady();
  q.series[0].stretches[0].points.resize(8);
  const Verdict brief = judge(q);
  EXPECT_EQ(brief.verdict, VerdictClass::insufficient_data);
  EXPECT_THAT(brief.needs, HasSubstr("10 min"));
}

TEST(Judge, NoReadingsAtAllAreInsufficient) {
  EXPECT_EQ(judge({}).verdict, VerdictClass::insufficient_data);
  EXPECT_EQ(judge(ask({Stretch{}})).verdict, VerdictClass::insufficient_data);
}

TEST(Judge, ALowWaterMarkAloneShowsNothing) {
  Question q = steady();
  double mark = 110000;
  for (Point& p : q.series[0].stretches[0].points) p.min_free = mark -= 100;
  EXPECT_EQ(judge(q).verdict, VerdictClass::steady);
}

TEST(Judge, AFallingLowWaterMarkAsTheOnlyFigureIsInsufficient) {
  Question q = leaking(82);
  q.measure = Measure::low_water_mark;
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::insufficient_data);
  EXPECT_FALSE(v.leak);
  EXPECT_TRUE(says(v, "low-water mark"));
}

TEST(Judge, NoUsableBlockLeftIsFragmentationHoweverFewTheReadings) {
  Wave few;
  few.hours = 0.05;
  Question q = ask({stretch(few, [](double) { return 25000.0; })});
  for (Point& p : q.series[0].stretches[0].points) p.largest_block = 2311;
  EXPECT_EQ(judge(q).verdict, VerdictClass::fragmentation_suspect);
  for (Point& p : q.series[0].stretches[0].points) p.largest_block = 16384;
  EXPECT_EQ(judge(q).verdict, VerdictClass::insufficient_data);
}

TEST(Judge, AnInstantWithoutAUsableBlockIsNone) {
  Question q = steady();
  for (Point& p : q.series[0].stretches[0].points) p.largest_block = 60000;
  q.series[0].stretches[0].points.back().largest_block = 1000;
  EXPECT_EQ(judge(q).verdict, VerdictClass::steady);
}

TEST(Judge, AFallingLargestBlockAsTheOnlyFigureIsFragmentation) {
  Question q = leaking(82);
  q.measure = Measure::largest_block;
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::fragmentation_suspect);
  EXPECT_FALSE(v.leak);
}

TEST(Judge, RoutingNaksAreNeverEvidence) {
  Question q = steady();
  for (int i = 0; i < 300; ++i)
    q.lines.push_back(line(LineKind::routing_nak, i * 60, "Alloc an err=5,to=0x1"));
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_FALSE(v.urgent);
  EXPECT_TRUE(says(v, "routing error"));
  EXPECT_EQ(v.published.verdict, VerdictClass::oom_imminent);
}

TEST(Judge, OutOfMemoryIsImminentHoweverMuchIsFree) {
  for (const LineKind kind : {LineKind::out_of_memory, LineKind::allocation_abort, LineKind::low_memory}) {
    Question q = steady();
    q.lines.push_back(line(kind, 5 * kHour_s, "std::bad_alloc"));
    const Verdict v = judge(q);
    EXPECT_EQ(v.verdict, VerdictClass::oom_imminent);
    EXPECT_TRUE(v.urgent);
  }
}

TEST(Judge, ASurvivedFailureIsWeighedAgainstWhatWasLeft) {
  Question q = steady();
  q.lines.push_back(line(LineKind::allocation_failure, 5 * kHour_s, "Failed to allocate zeroed memory"));
  Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::fragmentation_suspect);
  EXPECT_TRUE(says(v, "with 119,9") || says(v, "with 120,0"));
  for (Point& p : q.series[0].stretches[0].points) p.value = 8188;
  EXPECT_EQ(judge(q).verdict, VerdictClass::oom_imminent);
  for (Point& p : q.series[0].stretches[0].points) p.value = 8192;
  EXPECT_EQ(judge(q).verdict, VerdictClass::fragmentation_suspect);
}

TEST(Judge, AnOldReadingBesideAFailureIsSaidToBeOld) {
  Wave w;
  w.cadence_s = 900;
  Question q = ask({stretch(w, [](double) { return 120000.0; })});
  q.lines.push_back(line(LineKind::allocation_failure, 900 * 4 + 600, "Failed to allocate"));
  q.series[0].stretches[0].points.resize(5);
  EXPECT_TRUE(says(judge(q), "older"));
}

TEST(Judge, AFailureWithoutAnyReadingIsNotLost) {
  Question q;
  q.lines.push_back(line(LineKind::allocation_failure, 0, "lfs_dir not malloced"));
  EXPECT_EQ(judge(q).verdict, VerdictClass::oom_imminent);
}

TEST(Judge, APanicIsAFindingButNoClass) {
  Question q = steady();
  q.lines.push_back(line(LineKind::panic, 100, "Guru Meditation Error"));
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_TRUE(says(v, "stopped by a fault"));
}

TEST(Judge, HostileTextIsCutAndCleaned) {
  Question q = steady();
  q.lines.push_back(line(LineKind::out_of_memory, 100, "\x1b[31mout of memory\n" + std::string(5000, 'x')));
  for (const Finding& f : judge(q).findings) {
    EXPECT_LT(f.text.size(), 250U);
    EXPECT_EQ(f.text.find('\x1b'), std::string::npos);
  }
}

TEST(Judge, ALeakNearItsEndIsOomImminent) {
  Wave w;
  w.hours = 3;
  const Verdict v = judge(ask({stretch(w, [](double t) { return 60000 - 320 * t / 60; })}));
  EXPECT_EQ(v.verdict, VerdictClass::oom_imminent);
  EXPECT_TRUE(v.leak);
}

TEST(Judge, NearlyNothingLeftIsOomImminentWithoutAnyTrend) {
  const Verdict v = judge(ask({stretch({}, [](double) { return 1024.0; })}));
  EXPECT_EQ(v.verdict, VerdictClass::oom_imminent);
}

TEST(Judge, AFallingLargestBlockIsFragmentation) {
  Question q = steady();
  for (Point& p : q.series[0].stretches[0].points) p.largest_block = 90000 - 3 * (p.t_s - kStart_s);
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::fragmentation_suspect);
  EXPECT_TRUE(says(v, "largest free block fell"));
}

TEST(Judge, EachStretchBetweenRebootsIsJudged) {
  Wave second;
  second.boot = 2;
  second.uptime_s = 60;
  second.start_s = kStart_s + 6 * kHour_s;
  const auto leak = [](double t) { return 120000 - 100 * t / 60; };
  const auto flat = [](double) { return 120000.0; };
  const Verdict clean = judge(ask({stretch({}, flat), stretch(second, flat)}));
  EXPECT_EQ(clean.verdict, VerdictClass::reboot_mid_window);
  EXPECT_EQ(clean.underlying, VerdictClass::steady);
  EXPECT_FALSE(clean.leak);
  Stretch again = stretch(second, leak);
  again.cause = "watchdog";
  const Verdict recurs = judge(ask({stretch({}, leak), again}));
  EXPECT_EQ(recurs.verdict, VerdictClass::reboot_mid_window);
  EXPECT_EQ(recurs.underlying, VerdictClass::slow_leak);
  EXPECT_TRUE(recurs.leak);
  EXPECT_TRUE(says(recurs, "comes again after the reboot"));
  ASSERT_EQ(recurs.stretches.size(), 2U);
  EXPECT_EQ(recurs.stretches[1].cause, "watchdog");
}

Question dies_and_begins_again(double hours_since) {
  Wave second;
  second.boot = 2;
  second.uptime_s = 60;
  second.start_s = kStart_s + 2 * kHour_s;
  second.hours = hours_since;
  Wave first;
  first.hours = 2;
  const auto leak = [](double t) { return 120000 - 850 * t / 60; };
  Question q = ask({stretch(first, leak), stretch(second, leak)});
  q.reserve_bytes = 15000;
  return q;
}

TEST(Judge, AfterARestartTheHorizonIsOfThePresentBoot) {
  for (const double hours : {0.05, 0.5, 1.0}) {
    const Verdict v = judge(dies_and_begins_again(hours));
    const double level = 120000 - 850 * hours * 60;
    ASSERT_TRUE(v.minutes_to_oom && v.level_bytes);
    EXPECT_NEAR(*v.level_bytes, level, 2500);
    EXPECT_NEAR(v.minutes_to_oom->value, (level - 15000) / 850, 4);
  }
}

TEST(Judge, ARestartStaysARestartWhileTheLastStretchNearsItsEnd) {
  for (const double hours : {0.5, 1.0, 1.5, 1.9}) {
    const Verdict v = judge(dies_and_begins_again(hours));
    EXPECT_EQ(v.verdict, VerdictClass::reboot_mid_window) << hours;
    EXPECT_EQ(v.underlying, VerdictClass::oom_imminent) << hours;
    EXPECT_TRUE(v.urgent);
  }
  Question q = dies_and_begins_again(1.9);
  q.reserve_bytes = 30000;
  EXPECT_EQ(judge(q).verdict, VerdictClass::oom_imminent);
}

TEST(Judge, AFailedAllocationInTheLeakingLastStretchIsOomImminent) {
  Question q = dies_and_begins_again(1);
  q.lines.push_back(line(LineKind::out_of_memory, 2.9 * kHour_s, "out of memory"));
  EXPECT_EQ(judge(q).verdict, VerdictClass::oom_imminent);
}

TEST(Judge, ReadingsOfZeroThatLastAreMemoryThatRanOut) {
  Question q = ask({stretch({}, [](double t) { return std::max(0.0, 3000 - 324 * t / 60); })});
  for (Point& p : q.series[0].stretches[0].points) p.value = std::max(0.0, p.value);
  Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::oom_imminent);
  EXPECT_TRUE(v.urgent);
  EXPECT_TRUE(says(v, "0 bytes free"));
  EXPECT_EQ(v.level_bytes, 0);
  for (Point& p : q.series[0].stretches[0].points) p.value = 0;
  EXPECT_EQ(judge(q).verdict, VerdictClass::insufficient_data);  // it may not tell heap at all
  q.total_bytes = 200000;
  EXPECT_EQ(judge(q).verdict, VerdictClass::oom_imminent);
  q.series[0].stretches[0].points.resize(2);
  EXPECT_EQ(judge(q).verdict, VerdictClass::oom_imminent);
}

TEST(Judge, AZeroThatClosesAFallIsNoGlitch) {
  Question q = ask({stretch({}, [](double t) { return 120000 - 330 * t / 60; })});
  q.series[0].stretches[0].points.back().value = 0;
  EXPECT_EQ(judge(q).verdict, VerdictClass::oom_imminent);
  Question calm = steady();
  calm.series[0].stretches[0].points.back().value = 0;
  EXPECT_EQ(judge(calm).verdict, VerdictClass::steady);
}

TEST(Judge, ABootWithoutReadingsCounts) {
  Question q = steady();
  q.boots = {{1, absent, ""}, {2, kStart_s + 100, "panic"}};
  EXPECT_EQ(judge(q).verdict, VerdictClass::reboot_mid_window);
}

TEST(Judge, TheSourceThatSeesMostIsJudgedAndNamed) {
  Question q = leaking(60);
  Wave rough;
  rough.noise = 900;
  q.series.push_back({"debug_heap", {stretch(rough, [](double) { return 110000.0; })}});
  const Verdict v = judge(q);
  EXPECT_EQ(v.source, "poll");
  EXPECT_EQ(v.verdict, VerdictClass::slow_leak);
  EXPECT_TRUE(says(v, "source debug_heap tells another slope"));
}

TEST(Judge, AStepAtAReconnectIsNoPartOfTheTrend) {
  const auto curve = [](double t) { return 120000 - 60 * t / 60 - (t > 3 * kHour_s ? 21000 : 0); };
  Question q = ask({stretch({}, curve)});
  q.lines.push_back(line(LineKind::connection_lost, 3 * kHour_s, "connection_lost"));
  const Verdict v = judge(q);
  EXPECT_TRUE(says(v, "level changed at a reconnect"));
  EXPECT_EQ(v.verdict, VerdictClass::slow_leak);
  EXPECT_NEAR(v.trend_per_min->value, -60, 2);
}

TEST(Judge, ShiftingTimeChangesNothing) {
  Question q = leaking(82);
  const Verdict before = judge(q);
  for (Point& p : q.series[0].stretches[0].points) p.t_s += 86400 * 365;
  const Verdict after = judge(q);
  EXPECT_EQ(before.verdict, after.verdict);
  EXPECT_EQ(before.trend_per_min->value, after.trend_per_min->value);
}

}  // namespace
}  // namespace leakhunt::analysis
