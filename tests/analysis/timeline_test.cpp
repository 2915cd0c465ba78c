// Slopes and points of a timeline, rows made into stretches, other fields, experiments between marks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/excursion.h"
#include "analysis/field.h"
#include "analysis/segments.h"
#include "analysis/slope.h"
#include "tests/analysis/series.h"

namespace leakhunt::analysis {
namespace {

using testing::ask;
using testing::kHour_s;
using testing::kStart_s;
using testing::line;
using testing::stretch;
using testing::Wave;

TEST(Slope, NeverRunsAcrossAReboot) {
  Wave a;
  a.noise = 0;
  Wave b = a;
  b.boot = 2;
  b.start_s += 6 * kHour_s;
  b.uptime_s = 0;
  const auto falls = [](double t) { return 100000 - 100 * t / 60; };
  const SlopeSummary s = summarise(ask({stretch(a, falls), stretch(b, falls)}).series);
  EXPECT_NEAR(s.slope_per_min, -100, 0.1);
  EXPECT_GT(s.slope_per_min_raw, -60);
  ASSERT_TRUE(s.minutes_to_zero);
  EXPECT_NEAR(*s.minutes_to_zero, s.min / 100, 1);
  EXPECT_EQ(s.samples, 720U);
}

TEST(Slope, HasALevelForEachSource) {
  Wave w;
  w.noise = 0;
  Question q = ask({stretch(w, [](double) { return 100000.0; })});
  w.start_s += 6 * kHour_s;
  w.uptime_s += 6 * kHour_s;
  q.series.push_back({"debug_heap", {stretch(w, [](double) { return 90000.0; })}});
  EXPECT_EQ(summarise(q.series).slope_per_min, 0);
  EXPECT_LT(summarise(q.series).slope_per_min_raw, -10);
}

TEST(Slope, NoReadingsGiveNoSlope) {
  EXPECT_EQ(summarise({}).samples, 0U);
  EXPECT_EQ(summarise({}).slope_per_min, 0);
}

TEST(Thin, KeepsTheExtremesAndTheBound) {
  std::vector<TimelinePoint> points;
  for (int i = 0; i < 10000; ++i) points.push_back({static_cast<double>(i), 100.0, 0});
  points[1234].value = 1;
  points[8765].value = 999;
  for (const std::size_t most : {1U, 2U, 3U, 7U, 100U, 9999U}) {
    const auto out = thin(points, most);
    EXPECT_LE(out.size(), most);
    EXPECT_TRUE(
        std::is_sorted(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.t_s < b.t_s; }));
    if (most < 2) continue;
    EXPECT_EQ(std::count_if(out.begin(), out.end(), [](const auto& p) { return p.value != 100; }), 2);
  }
  EXPECT_EQ(thin(points, 10000).size(), 10000U);
  EXPECT_TRUE(thin(points, 0).empty());
}

Row row(double t_s, double uptime_s, double value) {
  Row r;
  r.t_s = t_s;
  r.uptime_s = uptime_s;
  r.point.value = value;
  return r;
}

TEST(Split, UptimeIsTheClockAndTellsReboots) {
  const Stretches s =
      split({row(100, 1000, 1), row(5000, 1060, 1), row(50, 1120, 1), row(60, 10, 1), row(70, 20, 1)}, {},
            Sense::free_falls_is_bad);
  EXPECT_TRUE(s.uptime_known);
  ASSERT_EQ(s.stretches.size(), 2U);
  EXPECT_EQ(s.stretches[0].points[2].x_s, 1120);
  EXPECT_EQ(s.stretches[1].points.size(), 2U);
}

TEST(Split, AnUptimeThatJittersBackOrWrapsIsNoReboot) {
  EXPECT_EQ(split({row(0, 1000, 1), row(1, 996, 1), row(2, 1002, 1)}, {}, Sense::free_falls_is_bad)
                .stretches.size(),
            1U);
  const Stretches wrapped = split({row(0, 4294909, 1), row(60, 1, 1)}, {}, Sense::free_falls_is_bad);
  ASSERT_EQ(wrapped.stretches.size(), 1U);
  EXPECT_NEAR(wrapped.stretches[0].points[1].x_s, 4294968, 1);
}

TEST(Split, WithoutUptimeABackwardStepOfTheClockBecomesOneCadence) {
  const Stretches s =
      split({row(0, absent, 1), row(60, absent, 1), row(120, absent, 1), row(-7000, absent, 1)}, {},
            Sense::free_falls_is_bad);
  ASSERT_EQ(s.stretches.size(), 1U);
  EXPECT_FALSE(s.uptime_known);
  EXPECT_EQ(s.stretches[0].points.back().x_s, 180);
}

TEST(Split, WithoutUptimeABootLineCutsAndALostLinkOnlyWhereTheLevelRises) {
  std::vector<Row> rows;
  for (int i = 0; i < 20; ++i) rows.push_back(row(kStart_s + i * 60, absent, i < 10 ? 50000 : 60000));
  const auto parts = [&](LineKind kind, double at_s) {
    return split(rows, {line(kind, at_s, "")}, Sense::free_falls_is_bad).stretches.size();
  };
  EXPECT_EQ(parts(LineKind::boot, 200), 2U);
  EXPECT_EQ(parts(LineKind::connection_lost, 200), 1U);
  EXPECT_EQ(parts(LineKind::connection_lost, 570), 2U);
}

std::vector<Series> field(const std::function<double(double)>& f) {
  Wave w;
  w.noise = 0;
  Stretch s = stretch(w, [](double) { return 0.0; });
  for (Point& p : s.points) p.value = f(p.t_s - kStart_s);
  return {{"stats", {s}}};
}

TEST(Field, WordsFollowTheCurve) {
  EXPECT_EQ(judge_field(field([](double) { return 21.5; }), false).verdict, FieldClass::steady);
  EXPECT_EQ(judge_field(field([](double t) { return 20 + t / 3600; }), false).verdict, FieldClass::slow_rise);
  const FieldVerdict v = judge_field(field([](double t) { return 100 - t / 360; }), false);
  EXPECT_EQ(v.verdict, FieldClass::slow_decline);
  ASSERT_TRUE(v.minutes_to_zero);
  EXPECT_NEAR(*v.minutes_to_zero, 40 * 6, 8);
  EXPECT_THAT(v.findings.back().text, ::testing::HasSubstr("reaches 0 in"));
  EXPECT_EQ(
      judge_field(field([](double t) { return 100 - 40 * std::exp(-std::pow((t - 9000) / 3000, 2)); }), false)
          .verdict,
      FieldClass::recovery);
  EXPECT_EQ(judge_field({}, false).verdict, FieldClass::insufficient);
}

TEST(Field, CountersAreJudgedByTheirRate) {
  const FieldVerdict even = judge_field(field([](double t) { return std::floor(t / 60) * 5; }), true);
  EXPECT_EQ(even.verdict, FieldClass::steady);
  ASSERT_TRUE(even.rate_per_min);
  EXPECT_NEAR(*even.rate_per_min, 5, 0.1);
  EXPECT_EQ(judge_field(field([](double t) { return t * t / 3600; }), true).verdict, FieldClass::slow_rise);
}

TEST(Field, ARebootIsSaidAndTheLastStretchJudged) {
  std::vector<Series> s = field([](double t) { return 100 - t / 360; });
  s[0].stretches.push_back(s[0].stretches[0]);
  s[0].stretches[1].boot_id = 2;
  const FieldVerdict v = judge_field(s, false);
  EXPECT_EQ(v.verdict, FieldClass::reboot);
  EXPECT_EQ(v.underlying, FieldClass::slow_decline);
}

std::vector<Point> burst(double back_after_s, double level_after) {
  std::vector<Point> out;
  for (double t = 0; t < 7200; t += 60) {
    Point p;
    p.t_s = t;
    p.value = t < 1800 ? 120000 : (t < 2400 + back_after_s ? 111808 : level_after);
    out.push_back(p);
  }
  return out;
}

TEST(Excursion, ADipThatComesBackIsNoLeak) {
  const auto e = excursion(burst(1000, 120000), 1800, 2400, 900, Sense::free_falls_is_bad, "free_heap");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->level_before, 120000);
  EXPECT_EQ(e->depth, 8192);
  EXPECT_TRUE(e->recovered);
  EXPECT_EQ(e->cycles_to_baseline, 2);
  EXPECT_EQ(e->sentence,
            "free_heap dipped 8.0 KB during the burst window, recovered to baseline within 2 LocalStats "
            "cycles: not a leak");
}

TEST(Excursion, ALevelThatNeverMovedDidNotRecover) {
  std::vector<Point> still = burst(0, 120000);
  for (Point& p : still) p.value = 120000;
  const auto e = excursion(still, 1800, 2400, 900, Sense::free_falls_is_bad, "free_heap");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->sentence,
            "free_heap did not move beyond its noise (256 B) during the burst window: not a leak");
}

TEST(Excursion, ADipThatStaysIsToldWithoutAccusing) {
  const auto e = excursion(burst(1000, 116000), 1800, 2400, 900, Sense::free_falls_is_bad, "free_heap");
  ASSERT_TRUE(e);
  EXPECT_FALSE(e->recovered);
  EXPECT_EQ(e->left_over, 4000);
  EXPECT_THAT(e->sentence, ::testing::HasSubstr("so far -4,000 B: repeat or wait, this alone is no leak"));
}

TEST(Excursion, NeedsReadingsOnBothSides) {
  EXPECT_FALSE(excursion(burst(0, 120000), 60, 2400, 900, Sense::free_falls_is_bad, "free_heap"));
  EXPECT_FALSE(excursion(burst(0, 120000), 1800, 9000, 900, Sense::free_falls_is_bad, "free_heap"));
}

}  // namespace
}  // namespace leakhunt::analysis
