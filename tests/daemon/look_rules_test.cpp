// Which alerts verdicts call for: horizon, steep slope, the user's own floor.
#include "daemon/look_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace leakhunt::daemon {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr recorder::DeviceId kBench{1};
constexpr Duration kHour{3'600'000'000LL};
constexpr Utc kNow{1'700'000'000'000'000};

Look look(Duration window, v1::VerdictClass verdict_class, v1::VerdictState state) {
  Look out;
  out.window = window;
  out.verdict.set_class_(verdict_class);
  out.verdict.set_state(state);
  out.verdict.add_boots()->set_start(seconds(kNow) - 3'600);
  return out;
}
Look leak(Duration window, double minutes_low) {
  Look out = look(window, v1::VERDICT_CLASS_SLOW_LEAK, v1::VERDICT_STATE_CONFIRMED);
  out.verdict.mutable_minutes_to_oom()->set_low(minutes_low);
  return out;
}
Look steep(double slope_per_min, double range_bytes,
           v1::VerdictClass verdict_class = v1::VERDICT_CLASS_SLOW_LEAK) {
  Look out = look(kHour, verdict_class, v1::VERDICT_STATE_PROVISIONAL);
  out.verdict.set_slope_per_min(slope_per_min);
  out.range_bytes = range_bytes;
  return out;
}

std::vector<Cause> horizon_of(double minutes_low) {
  return LookRules{{}}.judge(kBench, std::nullopt, {leak(6 * kHour, minutes_low)}, kNow);
}

TEST(LookRules, HorizonWarnsBelowADayIsCriticalBelowAnHourAndImminentBelow40Minutes) {
  EXPECT_THAT(horizon_of(24 * 60), IsEmpty());
  ASSERT_EQ(horizon_of(24 * 60 - 1).size(), 1U);
  EXPECT_EQ(horizon_of(24 * 60 - 1)[0].severity, Severity::warning);
  EXPECT_EQ(horizon_of(60)[0].severity, Severity::warning);
  EXPECT_EQ(horizon_of(59)[0].severity, Severity::critical);
  EXPECT_THAT(horizon_of(59)[0].text, HasSubstr("SLOW LEAK"));
  EXPECT_THAT(horizon_of(39)[0].text, HasSubstr("OOM-IMMINENT"));
  EXPECT_TRUE(horizon_of(59)[0].lasting);
}

TEST(LookRules, HorizonIsTheNearestOfAllWindows) {
  const auto causes = LookRules{{}}.judge(
      kBench, std::nullopt, {leak(kHour, 600), leak(6 * kHour, 50), leak(168 * kHour, 700)}, kNow);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].severity, Severity::critical);
  EXPECT_THAT(causes[0].text, HasSubstr("6h"));
}

TEST(LookRules, AProvisionalTrendTellsNoHorizon) {
  Look provisional = leak(kHour, 50);
  provisional.verdict.set_state(v1::VERDICT_STATE_PROVISIONAL);
  EXPECT_THAT(LookRules{{}}.judge(kBench, std::nullopt, {provisional}, kNow), IsEmpty());
}

TEST(LookRules, ProvisionalOomImminentDoes) {
  Look provisional = leak(kHour, 20);
  provisional.verdict.set_state(v1::VERDICT_STATE_PROVISIONAL);
  provisional.verdict.set_class_(v1::VERDICT_CLASS_OOM_IMMINENT);
  EXPECT_EQ(LookRules{{}}.judge(kBench, std::nullopt, {provisional}, kNow).size(), 1U);
}

TEST(LookRules, AnUnboundedHorizonIsNone) {
  EXPECT_THAT(horizon_of(std::numeric_limits<double>::infinity()), IsEmpty());
  EXPECT_THAT(horizon_of(std::numeric_limits<double>::quiet_NaN()), IsEmpty());
}

TEST(LookRules, SteepSlopeNeedsTwoLooksInARow) {
  LookRules rules{{}};
  const auto judge = [&](const Look& each) { return rules.judge(kBench, std::nullopt, {each}, kNow); };
  EXPECT_THAT(judge(steep(-51, 1'001)), IsEmpty());
  EXPECT_THAT(judge(steep(-49, 1'001)), IsEmpty());
  EXPECT_THAT(judge(steep(-51, 1'001)), IsEmpty());
  EXPECT_THAT(judge(steep(-51, 1'001)), ElementsAre(Field(&Cause::name, "steep_slope")));
  EXPECT_THAT(judge(steep(-51, 1'000)), IsEmpty());
}

TEST(LookRules, TheFirstLookAfterAStartDecidesNothingAboutASteepSlope) {
  LookRules rules{{}};
  static_cast<void>(rules.judge(kBench, std::nullopt, {steep(-51, 1'001)}, kNow));
  EXPECT_THAT(rules.decided(kBench), testing::UnorderedElementsAre("horizon", "low_memory"));
  static_cast<void>(rules.judge(kBench, std::nullopt, {steep(-51, 1'001)}, kNow));
  EXPECT_THAT(rules.decided(kBench), testing::Contains("steep_slope"));
}

TEST(LookRules, SteepSlopeIsAWarningOnlyWhereTheClassIsSlowLeak) {
  LookRules rules{{}};
  const auto judge = [&](const Look& each) { return rules.judge(kBench, std::nullopt, {each}, kNow); };
  static_cast<void>(judge(steep(-60, 5'000)));
  EXPECT_EQ(judge(steep(-60, 5'000))[0].severity, Severity::warning);
  EXPECT_EQ(judge(steep(-60, 5'000, v1::VERDICT_CLASS_STEADY))[0].severity, Severity::notice);
}

TEST(LookRules, SteepSlopeDoesNotCountInTheFirstQuarterOfAnHourOfABoot) {
  LookRules rules{{}};
  Look young = steep(-60, 5'000);
  young.verdict.mutable_boots(0)->set_start(seconds(kNow) - 899);
  for (int i = 0; i < 3; ++i) EXPECT_THAT(rules.judge(kBench, std::nullopt, {young}, kNow), IsEmpty());
}

TEST(LookRules, DevicesDoNotCountForEachOther) {
  LookRules rules{{}};
  EXPECT_THAT(rules.judge(kBench, std::nullopt, {steep(-60, 5'000)}, kNow), IsEmpty());
  EXPECT_THAT(rules.judge(recorder::DeviceId{2}, std::nullopt, {steep(-60, 5'000)}, kNow), IsEmpty());
}

TEST(LookRules, LimitsAreConfigurable) {
  AlertLimits limits;
  limits.warn_horizon = 2 * kHour;
  limits.steep_slope_bytes_per_min = 100;
  LookRules rules{limits};
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(rules.judge(kBench, std::nullopt, {steep(-99, 5'000), leak(6 * kHour, 121)}, kNow),
                IsEmpty());
  }
}

TEST(LookRules, AFewReadingsTellNoLevelAtRest) {
  Look young = look(kHour, v1::VERDICT_CLASS_INSUFFICIENT_DATA, v1::VERDICT_STATE_PROVISIONAL);
  young.verdict.set_level_bytes(10'000);
  EXPECT_THAT(LookRules{{}}.judge(kBench, 20'000, {young}, kNow), IsEmpty());
}

TEST(LookRules, ALevelBelowTheUsersFloorIsAnAlert) {
  Look low = look(kHour, v1::VERDICT_CLASS_STEADY, v1::VERDICT_STATE_CONFIRMED);
  low.verdict.set_level_bytes(19'999);
  EXPECT_THAT(LookRules{{}}.judge(kBench, 20'000, {low}, kNow),
              ElementsAre(Field(&Cause::name, "low_memory")));
  EXPECT_THAT(LookRules{{}}.judge(kBench, 19'999, {low}, kNow), IsEmpty());
  EXPECT_THAT(LookRules{{}}.judge(kBench, std::nullopt, {low}, kNow), IsEmpty());
}

}  // namespace
}  // namespace leakhunt::daemon
