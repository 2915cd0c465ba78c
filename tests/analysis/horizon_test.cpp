// When memory ends and what could not be seen: intervals, reserves, limits, coarse counters, six hours more.
#include "analysis/horizon.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/detectability.h"
#include "analysis/judge.h"
#include "tests/analysis/series.h"

namespace leakhunt::analysis {
namespace {

using testing::ask;
using testing::leaking;
using testing::place;
using testing::says;
using testing::steady;
using testing::stretch;
using testing::Wave;

TEST(Horizon, BoundsComeFromBothIntervals) {
  const Interval m = minutes_until(100000, 2000, 20000, {-100, -110, -80});
  EXPECT_DOUBLE_EQ(m.value, 800);
  EXPECT_DOUBLE_EQ(m.low, 78000 / 110.0);
  EXPECT_DOUBLE_EQ(m.high, 82000 / 80.0);
}

TEST(Horizon, ASlopeThatMayBeNoneLeavesTheEndOpen) {
  const Interval m = minutes_until(100000, 0, 0, {-10, -25, 5});
  EXPECT_TRUE(std::isinf(m.high));
  EXPECT_DOUBLE_EQ(m.low, 4000);
  EXPECT_NE(horizon_sentence({}, m).find("or later"), std::string::npos);
}

TEST(Horizon, BelowTheReserveNothingIsLeft) {
  EXPECT_EQ(minutes_until(1000, 0, 1500, {-10, -11, -9}).value, 0);
}

TEST(Horizon, TheReserveIsNamedWithItsReason) {
  Question q = leaking(82);
  q.reserve_bytes = 15000;
  q.reserve_reason = "chip esp32s3";
  const Verdict v = judge(q);
  EXPECT_EQ(v.reserve_bytes, 15000);
  EXPECT_EQ(v.reserve_reason, "chip esp32s3");
  EXPECT_TRUE(says(v, "the reserve (15,000 B: chip esp32s3) is reached in about"));
  EXPECT_TRUE(says(v, "(95 %: "));
}

TEST(Horizon, AContainersLimitIsTheHorizonOfUsedMemory) {
  Wave w;
  w.noise = 4000;
  Question q = ask({stretch(w, [](double t) { return 200e6 + 50000 * t / 60; })}, "rss");
  q.sense = Sense::used_rises_is_bad;
  q.reserve_bytes = 0;
  const Verdict open = judge(q);
  EXPECT_TRUE(open.leak);
  EXPECT_GT(open.trend_per_min->value, 0);
  EXPECT_FALSE(open.minutes_to_oom);
  EXPECT_TRUE(says(open, "no limit of the used memory is known"));
  q.total_bytes = 512.0 * 1048576;
  const Verdict v = judge(q);
  ASSERT_TRUE(v.minutes_to_oom);
  const double now = 200e6 + 50000 * 359;
  EXPECT_NEAR(v.minutes_to_oom->value, (512.0 * 1048576 - now) / 50000, 20);
  EXPECT_TRUE(says(v, "the limit of 536,870,912 B"));
}

TEST(Horizon, ACoarseCounterWidensTheInterval) {
  const auto curve = [](double t) { return 100000 - 200 * t / 60; };
  Wave w;
  w.noise = 0;
  Question fine = ask({stretch(w, curve)});
  Question coarse = fine;
  for (Point& p : coarse.series[0].stretches[0].points) p.value = std::floor(p.value / 4096) * 4096;
  const Verdict a = judge(fine);
  const Verdict b = judge(coarse);
  ASSERT_TRUE(a.minutes_to_oom && b.minutes_to_oom);
  EXPECT_NEAR(b.trend_per_min->value, -200, 10);
  EXPECT_GT(b.minutes_to_oom->high - b.minutes_to_oom->low, 2048 / 200.0);
  EXPECT_LT(b.minutes_to_oom->low, a.minutes_to_oom->value);
  EXPECT_GT(b.minutes_to_oom->high, a.minutes_to_oom->value);
}

TEST(Floor, ASteadyLevelBelowItIsAFindingThoughNothingLeaks) {
  Question q = steady();
  q.floor_bytes = 130000;
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_TRUE(v.below_floor);
  EXPECT_TRUE(says(v, "below the least that was asked for, 130,000 B, though nothing leaks"));
  q.floor_bytes = 110000;
  EXPECT_FALSE(judge(q).below_floor);
}

TEST(Floor, ItHoldsWhateverTheClass) {
  Question leak = leaking(82);
  leak.floor_bytes = 100000;  // ends at 90 480
  EXPECT_TRUE(judge(leak).below_floor);
  Question few = steady();
  few.series[0].stretches[0].points.resize(3);
  few.floor_bytes = 130000;
  const Verdict v = judge(few);
  EXPECT_EQ(v.verdict, VerdictClass::insufficient_data);
  EXPECT_TRUE(v.below_floor);
}

TEST(Floor, ADipIsNoLevel) {
  Question q = steady();
  auto& points = q.series[0].stretches[0].points;
  for (std::size_t i = points.size() - 4; i < points.size(); ++i) points[i].value -= 20000;
  q.floor_bytes = 110000;
  EXPECT_FALSE(judge(q).below_floor);
}

TEST(Detectability, SixHoursMoreAreByTheFormula) {
  Detectability d;
  d.standard_error = 2;
  d.df = 10;
  d.tested_min = d.span_min = 360;
  const double now = minimum_detectable_slope(d);
  EXPECT_DOUBLE_EQ(now, by_noise(d));
  const Detectability later = continued(d, 360);
  EXPECT_NEAR(later.standard_error, 2 / std::pow(2.0, 1.5), 1e-12);
  EXPECT_DOUBLE_EQ(later.df, 22);
  EXPECT_LT(minimum_detectable_slope(later), now / std::pow(2.0, 1.5));
}

TEST(Detectability, WhatMustBeLostFallsWithTheLengthAlone) {
  Detectability d;
  d.standard_error = 1e-6;
  d.tested_min = d.span_min = 60;
  EXPECT_DOUBLE_EQ(minimum_detectable_slope(d), 10);
  EXPECT_DOUBLE_EQ(minimum_detectable_slope(continued(d, 360)), 600.0 / 420);
  d.daily_slope = 12;
  d.daily_window_min = 36 * 60;
  EXPECT_DOUBLE_EQ(minimum_detectable_slope(continued(d, 360)), 12);
  EXPECT_LT(minimum_detectable_slope(continued(d, 36 * 60)), 1.001);
}

// What is promised for six hours more is what a series six hours longer shows.
TEST(Detectability, ThePromiseIsKept) {
  Wave shorter;
  shorter.hours = 6;
  shorter.noise = 1500;
  Wave longer = shorter;
  longer.hours = 12;
  const auto flat = [](double) { return 120000.0; };
  double promised = 0;
  double found = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    shorter.seed = longer.seed = seed;
    const Verdict v = judge(ask({stretch(shorter, flat)}));
    const Verdict w = judge(ask({stretch(longer, flat)}));
    ASSERT_TRUE(v.mds_later_per_min && w.mds_per_min);
    EXPECT_LT(*v.mds_later_per_min, *v.mds_per_min);
    promised += *v.mds_later_per_min;
    found += *w.mds_per_min;
  }
  EXPECT_NEAR(promised / found, 1, 0.3);
}

TEST(Findings, StandInTheOrderOfTheReasoning) {
  Question q = leaking(82);
  const double t = q.series[0].stretches[0].points[100].t_s;
  q.heap_events = {{t, t, "Router", 120000, 119000, -1000, true, 1}};
  const Verdict v = judge(q);
  const std::size_t slope = place(v, "falls by");
  const std::size_t level = place(v, "the level at rest is now");
  const std::size_t end = place(v, "is reached in about");
  const std::size_t who = place(v, "thread Router lost");
  const std::size_t unseen = place(v, "cannot be excluded with these data; 30.0 h more would");
  EXPECT_LT(slope, level);
  EXPECT_LT(level, end);
  EXPECT_LT(end, who);
  EXPECT_LT(who, unseen);
  EXPECT_LT(unseen, v.findings.size());
}

}  // namespace
}  // namespace leakhunt::analysis
