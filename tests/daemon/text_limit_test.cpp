// How much text of a device is let through, and what is said of the rest.
#include "daemon/text_limit.h"

#include <gtest/gtest.h>

namespace leakhunt::daemon {
namespace {

constexpr std::size_t kLine = 1'024;

Moment at(double s) {
  const Duration d{static_cast<std::int64_t>(s * 1e6)};
  return {Utc{1'700'000'000'000'000} + d, Mono{5'000'000} + d};
}

// How many of `lines` lines at that moment get through.
int let_through(TextLimit& limit, int lines, double s) {
  int through = 0;
  for (int i = 0; i < lines; ++i) through += limit.admits(kLine, at(s)) ? 1 : 0;
  return through;
}

TEST(TextLimit, AFullSerialLineGetsThrough) {
  TextLimit limit;
  for (int s = 0; s < 100; ++s) EXPECT_EQ(let_through(limit, 90, s), 90);
  EXPECT_FALSE(limit.over(at(1'000)));
}

TEST(TextLimit, AFloodIsHeldToTheRateAndToldOnceWhenItIsOver) {
  TextLimit limit;
  int through = 0;
  for (int s = 0; s < 100; ++s) through += let_through(limit, 5'000, s);
  EXPECT_EQ(through, 1'024 + 99 * 90);
  EXPECT_FALSE(limit.over(at(100)));
  const auto flood = limit.over(at(110));
  ASSERT_TRUE(flood);
  EXPECT_EQ(flood->lines, 500'000 - through);
  EXPECT_EQ(flood->from, at(0).utc);
  EXPECT_EQ(flood->to, at(99).utc);
  EXPECT_FALSE(limit.over(at(120)));
}

TEST(TextLimit, AnEndlessFloodIsToldNowAndThen) {
  TextLimit limit;
  int told = 0;
  for (int s = 0; s < 1'000; ++s) {
    static_cast<void>(let_through(limit, 2'000, s));
    told += limit.over(at(s)) ? 1 : 0;
  }
  EXPECT_EQ(told, 3);
}

}  // namespace
}  // namespace leakhunt::daemon
