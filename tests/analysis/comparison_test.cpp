// Two stretches side by side: every outcome, how long to run on, and what each thread does.
#include "analysis/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/analysis/series.h"

namespace leakhunt::analysis {
namespace {

using ::testing::HasSubstr;
using testing::leaking;
using testing::steady;
using testing::Wave;

const MeasuredSlope kLeak{-82, 1, 40, 5, 360, true};

TEST(Compare, PassesOnlyWhenTheSecondIsFlatAndLongEnoughToTell) {
  const Comparison c = compare(kLeak, {-0.5, 1, 40, 4, 360, false});
  EXPECT_TRUE(c.passes);
  EXPECT_EQ(c.outcome, Outcome::fixed);
  EXPECT_FALSE(c.minutes_needed);
  EXPECT_LT(c.p, 0.001);
  EXPECT_NEAR(c.difference_per_min.value, 81.5, 1e-9);
}

TEST(Compare, TooShortToTellSaysHowLongToRunOn) {
  const Comparison c = compare(kLeak, {-5, 60, 10, 160, 90, false});
  EXPECT_FALSE(c.passes);
  EXPECT_EQ(c.outcome, Outcome::undecidable);
  ASSERT_TRUE(c.minutes_needed);
  EXPECT_NEAR(*c.minutes_needed, 90 * std::pow(4 * 160 / 82.0, 2.0 / 3.0), 1e-9);
  EXPECT_THAT(c.sentence, HasSubstr("run on to"));
}

TEST(Compare, LessThatMayBeNothingIsImprovedAndRunsOn) {
  const Comparison c = compare(kLeak, {-5, 10, 30, 30, 90, false});
  EXPECT_EQ(c.outcome, Outcome::improved);
  EXPECT_FALSE(c.passes);
  EXPECT_TRUE(c.minutes_needed);
}

TEST(Compare, LessIsImprovedAndStillALoss) {
  const Comparison c = compare(kLeak, {-30, 1, 40, 4, 360, true});
  EXPECT_EQ(c.outcome, Outcome::improved);
  EXPECT_THAT(c.sentence, HasSubstr("still lost"));
  EXPECT_FALSE(c.minutes_needed);
}

TEST(Compare, TheSameIsNoChangeAndMoreIsWorse) {
  EXPECT_EQ(compare(kLeak, {-81, 1, 40, 4, 360, true}).outcome, Outcome::no_change);
  EXPECT_EQ(compare(kLeak, {-120, 1, 40, 4, 360, true}).outcome, Outcome::worse);
  const MeasuredSlope calm{0, 1, 40, 4, 360, false};
  EXPECT_EQ(compare(calm, {-50, 1, 40, 4, 360, true}).outcome, Outcome::worse);
  EXPECT_EQ(compare(calm, {0.2, 1, 40, 4, 360, false}).outcome, Outcome::no_change);
}

TEST(Compare, AVagueFirstDecidesNothing) {
  const MeasuredSlope vague{-80, 60, 5, 200, 60, true};
  EXPECT_EQ(compare(vague, {-60, 50, 5, 200, 60, true}).outcome, Outcome::undecidable);
}

TEST(CompareStretches, AFixIsSeen) {
  const Comparison c = compare_stretches(leaking(82), steady());
  EXPECT_EQ(c.outcome, Outcome::fixed);
  EXPECT_LT(c.before.low, -80);
  EXPECT_GT(c.before.high, -84);
}

TEST(CompareStretches, NothingIsPassedThatCouldNotHaveBeenSeen) {
  Wave brief;
  brief.hours = 0.3;
  brief.noise = 300;
  const Comparison c = compare_stretches(leaking(12.5, {72}), leaking(0, brief));
  EXPECT_FALSE(c.passes);
  EXPECT_NE(c.outcome, Outcome::fixed);
  ASSERT_TRUE(c.minutes_needed);
  EXPECT_GT(*c.minutes_needed, 18);
}

TEST(CompareStretches, TooFewReadingsSayWhatIsMissing) {
  Question few = steady();
  few.series[0].stretches[0].points.resize(3);
  const Comparison c = compare_stretches(leaking(82), few);
  EXPECT_EQ(c.outcome, Outcome::undecidable);
  EXPECT_THAT(c.sentence,
              HasSubstr("the second stretch cannot be judged: it needs at least 5 usable readings"));
  EXPECT_EQ(compare_stretches({}, few).outcome, Outcome::undecidable);
}

TEST(CompareStretches, ThreadsAreToldBeforeAndAfter) {
  Question before = leaking(82);
  Question after = steady();
  for (int i = 0; i < 60; ++i) {
    const double t = testing::kStart_s + i * 60.0;
    before.heap_events.push_back({t, t, "Router", 1000, 900, -100, true, 1});
    before.heap_events.push_back({t, t, "Power", 1000, 990, -10, true, 1});
    after.heap_events.push_back({t, t, "Power", 1000, 990, -10, true, 1});
  }
  const Comparison c = compare_stretches(before, after);
  ASSERT_EQ(c.threads.size(), 2U);
  EXPECT_EQ(c.threads[0].thread, "Router");
  EXPECT_NEAR(c.threads[0].net_per_min_before, -100 * 60 / 59.0, 1e-9);
  EXPECT_EQ(c.threads[0].net_per_min_after, 0);
  EXPECT_NEAR(c.threads[1].events_per_min_after, 60 / 59.0, 1e-9);
}

}  // namespace
}  // namespace leakhunt::analysis
