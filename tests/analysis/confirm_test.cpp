// The life of an alarm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/judge.h"
#include "tests/analysis/series.h"

namespace leakhunt::analysis {
namespace {

using testing::kHour_s;
using testing::leaking;
using testing::Wave;

constexpr double kWindow_s = 3600;
constexpr double kUp_s = 4 * kHour_s;

std::vector<Look> looks(std::vector<VerdictClass> classes, double apart_s, double uptime_s = kUp_s) {
  std::vector<Look> out;
  for (const VerdictClass c : classes)
    out.push_back({c, apart_s * static_cast<double>(out.size()), uptime_s});
  return out;
}

constexpr auto leak = VerdictClass::slow_leak;
constexpr auto calm = VerdictClass::steady;

TEST(Confirm, ThreeLooksInARowConfirm) {
  EXPECT_EQ(confirm(looks({leak, leak, leak}, 600), kWindow_s, true).state, State::confirmed);
  EXPECT_EQ(confirm(looks({leak, leak}, 600), kWindow_s, true).state, State::provisional);
  EXPECT_EQ(confirm(looks({leak, calm, leak}, 600), kWindow_s, true).state, State::provisional);
  EXPECT_EQ(confirm({}, kWindow_s, true).state, State::provisional);
}

TEST(Confirm, InAFreshBootOnlyTheEndOfMemoryAlsoOfABootBefore) {
  const auto dies = [](VerdictClass underlying) {
    std::vector<Look> out = looks(std::vector(3, VerdictClass::reboot_mid_window), 600, 0.5 * kHour_s);
    for (Look& look : out) look.underlying = underlying;
    return confirm(out, kWindow_s, false).state;
  };
  EXPECT_EQ(dies(VerdictClass::oom_imminent), State::confirmed);
  EXPECT_EQ(dies(leak), State::provisional);
}

TEST(Confirm, LooksCloserThanASixthOfTheWindowDoNotCount) {
  EXPECT_EQ(confirm(looks({leak, leak, leak}, 300), kWindow_s, true).state, State::provisional);
  EXPECT_EQ(confirm(looks({leak, leak, leak, leak, leak}, 300), kWindow_s, true).state, State::confirmed);
}

TEST(Confirm, ALookBetweenThatSawNothingEndsTheRow) {
  // Each 300 s: leak, steady, leak, leak, leak, leak; those that count are the last, 600 and 1 200 s before
  // it.
  EXPECT_EQ(confirm(looks({leak, calm, leak, leak, leak, leak}, 300), kWindow_s, true).state,
            State::provisional);
  EXPECT_EQ(confirm(looks({calm, leak, leak, leak, leak, leak}, 300), kWindow_s, true).state,
            State::confirmed);
  EXPECT_EQ(confirm(looks({calm, leak}, 300, 7 * kHour_s), 6 * kHour_s, true).state, State::provisional);
}

// Looks 600 s apart at these levels; an alarm where the level falls by more than 500.
std::vector<Look> cycle(const std::vector<double>& levels, std::int64_t boot = 1) {
  std::vector<Look> out;
  for (const double level : levels) {
    const bool falls = !out.empty() && level < out.back().level - 500;
    Look look{falls ? leak : calm, 600.0 * static_cast<double>(out.size()), kUp_s};
    look.level = level;
    look.boot_id = boot;
    out.push_back(look);
  }
  return out;
}

TEST(Confirm, AFallThatCameBackBeforeIsNotConfirmedAgain) {
  const std::vector<double> first{100000, 98000, 96000, 94000};
  EXPECT_EQ(confirm(cycle(first), kWindow_s, true).state, State::confirmed);
  const std::vector<double> again{100000, 98000, 96000, 94000, 100000, 98000, 96000, 94000};
  const Life life = confirm(cycle(again), kWindow_s, true);
  EXPECT_EQ(life.state, State::provisional);
  EXPECT_THAT(life.reason, ::testing::HasSubstr("came back by itself"));
  const std::vector<double> beyond{100000, 98000, 96000, 94000, 100000, 97000, 94000, 91000};
  EXPECT_EQ(confirm(cycle(beyond), kWindow_s, true).state, State::confirmed);
}

TEST(Confirm, WhatARebootGaveBackDidNotComeBackByItself) {
  std::vector<Look> all = cycle({100000, 98000, 96000, 94000, 100000, 98000, 96000, 94000});
  for (std::size_t i = 4; i < all.size(); ++i) all[i].boot_id = 2;
  EXPECT_EQ(confirm(all, kWindow_s, true).state, State::confirmed);
}

TEST(Confirm, OomIsConfirmedWhateverCameBackBefore) {
  std::vector<Look> all = cycle({100000, 98000, 96000, 94000, 100000, 98000, 96000, 94000});
  for (std::size_t i = 5; i < all.size(); ++i)
    all[i].verdict = all[i].underlying = VerdictClass::oom_imminent;
  EXPECT_EQ(confirm(all, kWindow_s, true).state, State::confirmed);
}

TEST(Remember, KeepsTheWindowWholeAndThinsWhatIsOlder) {
  std::vector<Look> looks;
  for (int i = 0; i < 12 * 24 * 9; ++i) remember(looks, {leak, 300.0 * i, kUp_s}, kWindow_s);
  const double now_s = looks.back().at_s;
  EXPECT_GE(looks.front().at_s, now_s - 7 * 86400);
  EXPECT_LE(looks.front().at_s, now_s - 6.9 * 86400);
  EXPECT_LE(looks.size(), 7 * 144 + 20U);
  const auto recent = std::count_if(looks.begin(), looks.end(),
                                    [now_s](const Look& l) { return l.at_s > now_s - kWindow_s; });
  EXPECT_EQ(recent, 12);
}

TEST(Confirm, ALongWindowWithinALongBootIsEnough) {
  EXPECT_EQ(confirm(looks({leak}, 0, 7 * kHour_s), 6 * kHour_s, true).state, State::confirmed);
  EXPECT_EQ(confirm(looks({leak}, 0, 7 * kHour_s), 6 * kHour_s, false).state, State::provisional);
  EXPECT_EQ(confirm(looks({leak}, 0, 6 * kHour_s), 6 * kHour_s, true).state, State::provisional);
}

TEST(Confirm, NothingIsConfirmedInTheFirstTwoHoursButOom) {
  EXPECT_EQ(confirm(looks({leak, leak, leak}, 600, 1.9 * kHour_s), kWindow_s, true).state,
            State::provisional);
  const auto oom = VerdictClass::oom_imminent;
  EXPECT_EQ(confirm(looks({oom, oom, oom}, 600, 600), kWindow_s, true).state, State::confirmed);
}

TEST(Confirm, ALeakThatComesNearItsEndStaysConfirmed) {
  const auto oom = VerdictClass::oom_imminent;
  EXPECT_EQ(confirm(looks({leak, leak, oom}, 600), kWindow_s, true).state, State::confirmed);
  EXPECT_EQ(confirm(looks({oom, oom, leak}, 600), kWindow_s, true).state, State::provisional);
}

TEST(Confirm, AnAlarmThatGoesIsWithdrawn) {
  EXPECT_EQ(confirm(looks({leak, leak, calm}, 600), kWindow_s, true).state, State::withdrawn);
  EXPECT_EQ(confirm(looks({leak, calm, calm}, 600), kWindow_s, true).state, State::provisional);
  EXPECT_EQ(confirm(looks({leak, leak, VerdictClass::insufficient_data}, 600), kWindow_s, true).state,
            State::provisional);
}

TEST(Confirm, AnAlarmIsWithdrawnAtTheNextLookWhetherThatOneCountsOrNot) {
  const Life life = confirm(looks({calm, calm, leak, calm}, 300), kWindow_s, true);
  EXPECT_EQ(life.state, State::withdrawn);
  EXPECT_EQ(life.reason, "withdrawn: 5 min ago it was SLOW LEAK; with what has come since it is STEADY");
  EXPECT_EQ(confirm(looks({leak, calm, calm, calm}, 300), kWindow_s, true).state, State::provisional);
}

TEST(Confirm, SaysWhy) {
  EXPECT_THAT(confirm(looks({leak, leak, leak}, 600), kWindow_s, true).reason,
              ::testing::StartsWith("confirmed: SLOW LEAK at 3 looks in a row that count (10 min apart)"));
  EXPECT_THAT(confirm(looks({leak}, 0), kWindow_s, true).reason,
              ::testing::StartsWith("provisional: SLOW LEAK at 1 look in a row"));
  EXPECT_THAT(confirm(looks({leak, leak, leak}, 600, 600), kWindow_s, true).reason,
              ::testing::HasSubstr("in the first 2 h of a boot"));
  EXPECT_EQ(confirm(looks({calm}, 0), kWindow_s, true).reason, "");
}

TEST(Confirm, ARebootCountsByWhatItsStretchesDid) {
  auto rebooted = looks(std::vector(3, VerdictClass::reboot_mid_window), 600);
  for (Look& look : rebooted) look.underlying = leak;
  EXPECT_EQ(confirm(rebooted, kWindow_s, false).state, State::confirmed);
  rebooted.front().underlying = calm;
  EXPECT_EQ(confirm(rebooted, kWindow_s, false).state, State::provisional);
}

TEST(Replay, ALongLeakIsConfirmedAndAYoungOneIsNot) {
  EXPECT_EQ(judge_with_replay(leaking(82)).state, State::confirmed);
  Wave young;
  young.hours = 1;
  young.uptime_s = 60;
  const Verdict v = judge_with_replay(leaking(324, young));
  EXPECT_EQ(v.verdict, leak);
  EXPECT_EQ(v.state, State::provisional);
}

TEST(Replay, AMomentConfirmsNothing) {
  Question q = leaking(82);
  q.series[0].stretches[0].points.resize(1);
  q.lines.push_back(testing::line(LineKind::out_of_memory, 0, "out of memory"));
  const Verdict v = judge_with_replay(q);
  EXPECT_EQ(v.verdict, VerdictClass::oom_imminent);
  EXPECT_EQ(v.state, State::provisional);
}

TEST(Replay, CuttingLeavesOnlyWhatWasKnownThen) {
  Question q = leaking(82);
  q.lines.push_back(testing::line(LineKind::panic, 5 * kHour_s, "panic"));
  q.boots = {{1, absent, ""}, {2, testing::kStart_s + 5 * kHour_s, ""}};
  const Question cut = cut_at(q, testing::kStart_s + 4 * kHour_s);
  EXPECT_EQ(cut.series[0].stretches[0].points.size(), 240U);
  EXPECT_TRUE(cut.lines.empty());
  EXPECT_EQ(cut.boots.size(), 1U);
}

TEST(Replay, AWithdrawnAlarmTellsWhatWasSeenInstead) {
  Look first{leak, 0, kUp_s};
  Look second{leak, 600, kUp_s};
  Look now{calm, 1200, kUp_s};
  now.why = "the change fades (300 B/min, then 2.0 B/min): settling";
  const Life life = confirm({first, second, now}, kWindow_s, true);
  EXPECT_EQ(life.state, State::withdrawn);
  EXPECT_THAT(life.reason, ::testing::HasSubstr("SLOW LEAK"));
  EXPECT_THAT(life.reason, ::testing::HasSubstr("(the change fades"));
}

TEST(Replay, ALookKnowsWhyItIsCalm) {
  const Question q =
      testing::ask({testing::stretch({}, [](double t) { return 120000 - std::min(t, 7200.0); })});
  const Look look = look_of(q, judge(q));
  EXPECT_EQ(look.verdict, calm);
  EXPECT_THAT(look.why, ::testing::HasSubstr("plateau"));
}

// Too slow for its window to tell from the daily cycle: calm, and not certain of it.
TEST(Replay, ALossThatOnlyALongerWindowDecidesIsNotConfirmedSteady) {
  const Wave wave{.hours = 10, .noise = 6};
  const Verdict v = judge_with_replay(leaking(6, wave));
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_EQ(v.state, State::provisional);
  EXPECT_NE(v.findings.back().text.find("a longer window decides"), std::string::npos);
  EXPECT_EQ(judge_with_replay(leaking(0, wave)).state, State::confirmed);
}

}  // namespace
}  // namespace leakhunt::analysis
