// What the level at rest does inside a window: begins late, has ended, slows down, dips, swings; and what a
// step of the method is there for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "analysis/clean.h"
#include "analysis/covariates.h"
#include "analysis/envelope.h"
#include "analysis/judge.h"
#include "analysis/steps.h"
#include "tests/analysis/series.h"

namespace leakhunt::analysis {
namespace {

using testing::ask;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kHour_s;
using testing::stretch;
using testing::Wave;

constexpr double kTop = 120000;

Wave of(double hours, double noise = 40) {
  Wave w;
  w.hours = hours;
  w.noise = noise;
  w.uptime_s = 50 * kHour_s;
  return w;
}

Verdict on(const Wave& w, const std::function<double(double)>& level) {
  return judge(ask({stretch(w, level)}));
}

TEST(Ends, ALossThatBeginsInTheLastSixthIsFound) {
  const Verdict v = on(of(12), [](double t) { return kTop - 200 * std::max(0.0, t / 60 - 612); });
  EXPECT_TRUE(v.leak) << v.shape;
  EXPECT_NEAR(v.trend_per_min->value, -200, 20);
}

TEST(Ends, ALateFallThatTheLevelHadMadeBeforeIsNone) {
  const auto level = [](double t) {
    const double hour = t / kHour_s;
    const bool away = hour > 10.4 || (hour > 3 && hour < 5) || (hour > 6 && hour < 8);
    return kTop - (away ? std::min(9000.0, 9000 * (hour > 10.4 ? (hour - 10.4) / 1.6 : 1.0)) : 0.0);
  };
  EXPECT_FALSE(on(of(12), level).leak);
}

TEST(Ends, ALossThatHasStoppedIsNone) {
  const auto level = [](double t) { return kTop - 100 * std::min(t / 60, 0.75 * 6 * 60); };
  const Verdict v = on(of(6, 200), level);
  EXPECT_FALSE(v.leak);
  EXPECT_EQ(v.verdict, VerdictClass::steady);
}

// A warm-up that is not over for all that one can see, but not in a device that has run for days.
TEST(Ends, WhatSlowsDownInAnOldDeviceStillLoses) {
  const auto level = [](double t) { return kTop - 20000 * (1 - std::exp(-t / (6 * kHour_s))); };
  Wave young = of(6, 60);
  young.uptime_s = 20;
  EXPECT_TRUE(on(of(6, 60), level).leak);
  EXPECT_FALSE(on(young, level).leak);
}

TEST(Ends, AWarmUpOfAServiceInAnOldDeviceIsNone) {
  const auto level = [](double t) { return kTop - 15000 * (1 - std::exp(-t / (1.2 * kHour_s))); };
  EXPECT_FALSE(on(of(6, 60), level).leak);
}

TEST(Dips, OfMinutesDoNotHideALoss) {
  const auto level = [](double t) {
    return kTop - 60 * t / 60 - (std::fmod(t, kHour_s) > 50 * 60 ? 18000 : 0);
  };
  Steps without;
  without.dips = false;
  without.cycles = false;
  const Question q = ask({stretch(of(3), level)});
  const Verdict v = judge(q);
  EXPECT_TRUE(v.leak) << v.shape;
  EXPECT_NEAR(v.trend_per_min->value, -60, 6);
  EXPECT_GT(v.trend_per_min->low, judge(q, without).trend_per_min->low) << "the dips widen the interval";
}

TEST(Dips, AreKnownByTheLevelComingBack) {
  Values y(24, 1000.0);
  y[5] = y[6] = 400;  // comes back
  y[23] = 400;        // has not come back yet
  std::vector<std::size_t> all_but;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i != 5 && i != 6) all_but.push_back(i);
  }
  EXPECT_EQ(at_rest(y, 100), all_but);
  EXPECT_EQ(at_rest(y, 700).size(), y.size()) << "not deep enough to count";
}

TEST(Dips, AStepDownIsNone) {
  Values y(24, 1000.0);
  for (std::size_t i = 12; i < y.size(); ++i) y[i] = 400;
  EXPECT_EQ(at_rest(y, 100).size(), y.size());
}

TEST(Cycle, OfAnyPeriodIsTakenOut) {
  const auto level = [](double t) {
    return kTop - 20 * t / 60 - 2500 * (1 + std::sin(2 * std::numbers::pi * t / (4.3 * kHour_s)));
  };
  const Question q = ask({stretch(of(12), level)});
  const Verdict v = judge(q);
  EXPECT_TRUE(v.leak) << v.shape;
  EXPECT_NEAR(v.trend_per_min->value, -20, 2);
  Steps without;
  without.day = false;
  EXPECT_FALSE(judge(q, without).leak);
}

TEST(Cycle, OneChangeIsNotTakenForOne) {
  Values x;
  Values y;
  for (int i = 0; i < 48; ++i) {
    x.push_back(i * 600.0);
    y.push_back(i < 24 ? 1000.0 : 600.0);
  }
  EXPECT_FALSE(without_cycle(x, y));
}

TEST(Track, CountsFromTheFirstReadingToTheMicrosecond) {
  Stretch s;
  const double start = 1790000000.123456;
  for (int i = 0; i < 6; ++i) {
    Point p;
    p.x_s = start + i * 60.1;
    p.value = 1000 + i;
    s.points.push_back(p);
  }
  Question q;
  q.uptime_known = true;
  const Track t = prepare(s, q);
  EXPECT_THAT(t.x, ElementsAre(0, 60.1, 120.2, 180.3, 240.4, 300.5));
  EXPECT_EQ(t.first_x_s, start);
  EXPECT_EQ(t.uptime_s, start);
}

TEST(Steps, HaveNamesOfTheirOwnAndAreAllOn) {
  std::set<std::string_view> names;
  Steps all;
  for (const StepName& step : kStepNames) {
    names.insert(step.name);
    EXPECT_TRUE(all.*(step.on)) << step.name;
    all.*(step.on) = false;
  }
  EXPECT_EQ(names.size(), kStepNames.size());
  for (const StepName& step : kStepNames) EXPECT_FALSE(all.*(step.on)) << step.name;
}

TEST(Steps, WithoutShapesAStepIsALeak) {
  const auto level = [](double t) { return t < 3 * kHour_s ? kTop : kTop - 9000; };
  const Question q = ask({stretch(of(6), level)});
  Steps without;
  without.shapes = false;
  without.ends = false;
  without.autocorrelation = false;
  EXPECT_FALSE(judge(q).leak);
  EXPECT_TRUE(judge(q, without).leak);
}

TEST(Steps, WithoutTheUpperEnvelopeTheLoadIsJudged) {
  const auto level = [](double t) {
    const bool packet = static_cast<int>(t / 60) % 5 == 0;
    return kTop - (packet ? 60 * t / 60 : 0.0);
  };
  const Question q = ask({stretch(of(6), level)});
  Steps without;
  without.upper_envelope = false;
  EXPECT_FALSE(judge(q).leak);
  EXPECT_TRUE(judge(q, without).leak);
}

}  // namespace
}  // namespace leakhunt::analysis
