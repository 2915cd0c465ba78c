// Life of alerts: one per cause and device, counts, worse, acknowledged, over.
#include "daemon/alert_book.h"

#include <gtest/gtest.h>

namespace leakhunt::daemon {
namespace {

using What = AlertChange::What;
constexpr recorder::DeviceId kBench{1};
constexpr recorder::DeviceId kOther{2};
constexpr Duration kSecond{1'000'000};
constexpr Utc kStart{1'700'000'000'000'000};

Cause oom(recorder::DeviceId device = kBench) {
  return {device, "out_of_memory", Severity::critical, "ERROR | out of memory"};
}
Cause horizon(Severity severity) {
  return {kBench, "horizon", severity, "SLOW LEAK: out of memory in 20 h", true};
}

TEST(AlertBook, FirstSightOpensAndTells) {
  AlertBook book{{}, 41};
  const auto changes = book.raise(oom(), kStart);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_TRUE(changes[0].tell());
  EXPECT_EQ(changes[0].row.id, 42);
  EXPECT_EQ(changes[0].row.state, "open");
  EXPECT_EQ(changes[0].row.severity, "critical");
  EXPECT_EQ(changes[0].row.count, 1);
  EXPECT_EQ(book.open(), 1);
}

TEST(AlertBook, SameCauseOnTheSameDeviceIsOneAlertWithAGrowingCount) {
  AlertBook book{{}, 0};
  static_cast<void>(book.raise(oom(), kStart));
  const auto changes = book.raise(oom(), kStart + AlertBook::kCountInterval);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_FALSE(changes[0].tell());
  EXPECT_EQ(changes[0].row.id, 1);
  EXPECT_EQ(changes[0].row.count, 2);
  EXPECT_EQ(changes[0].row.first, kStart);
  EXPECT_EQ(changes[0].row.last, kStart + AlertBook::kCountInterval);
}

TEST(AlertBook, SameCauseOnAnotherDeviceIsAnotherAlert) {
  AlertBook book{{}, 0};
  static_cast<void>(book.raise(oom(), kStart));
  const auto changes = book.raise(oom(kOther), kStart);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].row.id, 2);
  EXPECT_EQ(book.open(kOther), 1);
}

TEST(AlertBook, AStormOfLinesIsGivenOutOnceInAWhile) {
  AlertBook book{{}, 0};
  static_cast<void>(book.raise(oom(), kStart));
  for (int i = 1; i <= 100; ++i) EXPECT_TRUE(book.raise(oom(), kStart + Duration{i * 10'000}).empty());
  EXPECT_TRUE(book.due(kStart + kSecond).empty());
  const auto changes = book.due(kStart + AlertBook::kCountInterval);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].what, What::counted);
  EXPECT_EQ(changes[0].row.count, 101);
  EXPECT_TRUE(book.due(kStart + 2 * AlertBook::kCountInterval).empty());
}

TEST(AlertBook, WorseIsToldAndOpensAnAcknowledgedOne) {
  AlertBook book{{}, 0};
  static_cast<void>(book.raise(horizon(Severity::warning), kStart));
  static_cast<void>(book.acknowledge({}, "", kStart));
  EXPECT_EQ(book.open(), 0);
  const auto changes = book.raise(horizon(Severity::critical), kStart + kSecond);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].what, What::worsened);
  EXPECT_TRUE(changes[0].tell());
  EXPECT_EQ(changes[0].row.severity, "critical");
  EXPECT_EQ(book.open(), 1);
}

TEST(AlertBook, ALastingCauseThatEasesIsLessSevereWithoutAWord) {
  AlertBook book{{}, 0};
  static_cast<void>(book.raise(horizon(Severity::critical), kStart));
  const auto changes = book.raise(horizon(Severity::warning), kStart + 300 * kSecond);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_FALSE(changes[0].tell());
  EXPECT_EQ(changes[0].row.severity, "warning");
}

TEST(AlertBook, ResolvedIsToldAndTheNextIsANewAlert) {
  AlertBook book{{}, 0};
  static_cast<void>(book.raise(horizon(Severity::warning), kStart));
  const auto over = book.resolve(kBench, "horizon", kStart + kSecond);
  ASSERT_EQ(over.size(), 1U);
  EXPECT_TRUE(over[0].tell());
  EXPECT_EQ(over[0].row.state, "resolved");
  EXPECT_TRUE(book.resolve(kBench, "horizon", kStart + kSecond).empty());
  EXPECT_EQ(book.raise(horizon(Severity::warning), kStart + 2 * kSecond)[0].row.id, 2);
}

TEST(AlertBook, AcknowledgeTakesIdsOrAllAndKeepsTheNote) {
  AlertBook book{{}, 0};
  static_cast<void>(book.raise(oom(), kStart));
  static_cast<void>(book.raise(oom(kOther), kStart));
  const auto one = book.acknowledge({2}, "known", kStart + kSecond);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].row.state, "acknowledged");
  EXPECT_EQ(one[0].row.note, "known");
  EXPECT_TRUE(book.acknowledge({99}, "", kStart).empty());
  EXPECT_EQ(book.acknowledge({}, "", kStart + kSecond).size(), 1U);
  EXPECT_EQ(book.open(), 0);
}

TEST(AlertBook, AnEventAcknowledgedLongAgoThatComesAgainIsANewAlert) {
  AlertBook book{{}, 0};
  static_cast<void>(book.raise(oom(), kStart));
  static_cast<void>(book.acknowledge({}, "", kStart));
  EXPECT_TRUE(book.raise(oom(), kStart + kSecond).empty());
  const auto changes = book.raise(oom(), kStart + kSecond + AlertBook::kSameBurst + kSecond);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].row.state, "resolved");
  EXPECT_EQ(changes[1].what, What::opened);
  EXPECT_EQ(changes[1].row.id, 2);
}

TEST(AlertBook, AnEventNotSeenForADayIsOver) {
  AlertBook book{{}, 0};
  static_cast<void>(book.raise(oom(), kStart));
  static_cast<void>(book.raise(horizon(Severity::warning), kStart));
  const auto changes = book.due(kStart + AlertBook::kEventOver + kSecond);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].row.cause, "out_of_memory");
  EXPECT_EQ(changes[0].row.state, "resolved");
}

TEST(AlertBook, GoesOnWithTheAlertsOfTheStore) {
  recorder::AlertRow row;
  row.id = 7;
  row.device = kBench;
  row.cause = "out_of_memory";
  row.severity = "critical";
  row.state = "open";
  row.first = row.last = kStart;
  row.count = 3;
  AlertBook book{{row}, 9};
  EXPECT_EQ(book.open(), 1);
  const auto changes = book.raise(oom(), kStart + 60 * kSecond);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].row.id, 7);
  EXPECT_EQ(changes[0].row.count, 4);
}

TEST(AlertBook, AClockSetBackHoldsNothingUp) {
  AlertBook book{{}, 0};
  static_cast<void>(book.raise(oom(), kStart));
  EXPECT_EQ(book.raise(oom(), kStart - 3600 * kSecond).size(), 1U);
}

}  // namespace
}  // namespace leakhunt::daemon
