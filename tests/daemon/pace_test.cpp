// Waiting and asking: backoff and the polling policy.
#include <gtest/gtest.h>

#include "daemon/backoff.h"
#include "daemon/poll_policy.h"

namespace leakhunt::daemon {
namespace {

constexpr Duration kSecond{1'000'000};
constexpr Duration kMinute{60'000'000};
constexpr Mono kStart{1'000'000'000};

TEST(Backoff, DoublesFromHalfASecondToHalfAMinute) {
  Backoff backoff;
  const double most = 1.0 - 1e-12;
  EXPECT_NEAR(seconds(backoff.next(most)), 0.5, 1e-3);
  EXPECT_NEAR(seconds(backoff.next(most)), 1.0, 1e-3);
  EXPECT_NEAR(seconds(backoff.next(most)), 2.0, 1e-3);
  for (int i = 0; i < 20; ++i) static_cast<void>(backoff.next(most));
  EXPECT_NEAR(seconds(backoff.next(most)), 30.0, 1e-3);
}

TEST(Backoff, IsJitteredButNeverBelowHalfASecond) {
  Backoff backoff;
  EXPECT_EQ(backoff.next(0), Backoff::kFirst);
  for (int i = 0; i < 20; ++i) static_cast<void>(backoff.next(0));
  EXPECT_EQ(backoff.next(0), Backoff::kLongest / 2);
}

TEST(Backoff, BeginsAnewAfterSuccess) {
  Backoff backoff;
  for (int i = 0; i < 9; ++i) static_cast<void>(backoff.next(0.5));
  backoff.reset();
  EXPECT_EQ(backoff.next(0), Backoff::kFirst);
}

TEST(PollPolicy, OffNeverAsks) {
  PollPolicy policy{std::nullopt};
  policy.begin(kStart);
  EXPECT_EQ(policy.next(), std::nullopt);
  EXPECT_EQ(policy.words(), "off");
}

TEST(PollPolicy, AsksAtOnceAndThenEachInterval) {
  PollPolicy policy{kMinute};
  EXPECT_EQ(policy.next(), std::nullopt);
  policy.begin(kStart);
  EXPECT_EQ(policy.next(), kStart);
  policy.asked(7, kStart);
  EXPECT_TRUE(policy.answered(7, kStart + kSecond));
  EXPECT_EQ(policy.next(), kStart + kMinute);
  EXPECT_EQ(policy.words(), "every 60 s");
}

TEST(PollPolicy, ASlowAnswerIsTold) {
  PollPolicy policy{kMinute};
  policy.begin(kStart);
  policy.asked(7, kStart);
  EXPECT_TRUE(policy.answered(7, kStart + 30 * kSecond));
  EXPECT_EQ(policy.words(), "every 60 s, answered after 30 s");
  policy.asked(8, kStart + kMinute);
  EXPECT_TRUE(policy.answered(8, kStart + kMinute));
  EXPECT_EQ(policy.words(), "every 60 s");
}

TEST(PollPolicy, TwoUnansweredDoubleUpToAQuarterOfAnHour) {
  PollPolicy policy{kMinute};
  Mono now = kStart;
  policy.begin(now);
  std::uint32_t id = 1;
  policy.asked(id++, now);
  policy.asked(id++, now);
  EXPECT_EQ(policy.next(), now + kMinute);
  policy.asked(id++, now);
  EXPECT_EQ(policy.next(), now + 2 * kMinute);
  policy.asked(id++, now);
  EXPECT_EQ(policy.next(), now + 4 * kMinute);
  for (int i = 0; i < 5; ++i) policy.asked(id++, now);
  EXPECT_EQ(policy.next(), now + 15 * kMinute);
  EXPECT_EQ(policy.words(), "unanswered, every 15 min");
}

TEST(PollPolicy, EverySecondAnsweredIsNeverSlowedDown) {
  PollPolicy policy{kMinute};
  Mono now = kStart;
  policy.begin(now);
  for (std::uint32_t id = 1; id <= 40; ++id) {
    policy.asked(id, now);
    if (id % 2 == 0) policy.answered(id, now + kSecond);
    now = now + kMinute;
  }
  EXPECT_EQ(policy.words(), "every 60 s");
}

TEST(PollPolicy, AnAnswerHoweverLateBringsTheFirstPaceBack) {
  PollPolicy policy{10 * kSecond};
  policy.begin(kStart);
  policy.asked(1, kStart);
  policy.asked(2, kStart + 10 * kSecond);
  policy.asked(3, kStart + 20 * kSecond);
  policy.asked(4, kStart + 40 * kSecond);
  EXPECT_EQ(policy.next(), kStart + 80 * kSecond);
  EXPECT_TRUE(policy.answered(1, kStart + 45 * kSecond));
  EXPECT_EQ(policy.next(), kStart + 50 * kSecond);
  EXPECT_FALSE(policy.answered(1, kStart + 46 * kSecond));
}

TEST(PollPolicy, AnAnswerToAnotherClientIsNotOurs) {
  PollPolicy policy{kMinute};
  policy.begin(kStart);
  policy.asked(1, kStart);
  EXPECT_FALSE(policy.answered(99, kStart));
}

TEST(PollPolicy, ABootIsANewChance) {
  PollPolicy policy{kMinute};
  policy.begin(kStart);
  for (std::uint32_t id = 1; id < 9; ++id) policy.asked(id, kStart);
  policy.booted();
  EXPECT_EQ(policy.words(), "every 60 s");
}

TEST(PollPolicy, WhatALostLinkLeftUnansweredDoesNotCount) {
  PollPolicy policy{kMinute};
  Mono now = kStart;
  for (std::uint32_t id = 1; id < 9; ++id) {
    policy.begin(now);
    policy.asked(id, now);
    policy.end();
    now = now + kMinute;
  }
  EXPECT_EQ(policy.words(), "every 60 s");
}

TEST(PollPolicy, AReconnectDoesNotAskFasterThanThePace) {
  PollPolicy policy{kMinute};
  policy.begin(kStart);
  policy.asked(1, kStart);
  policy.end();
  policy.begin(kStart + kSecond);
  EXPECT_EQ(policy.next(), kStart + kMinute);
}

}  // namespace
}  // namespace leakhunt::daemon
