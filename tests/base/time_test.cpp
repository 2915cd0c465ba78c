// Clocks: a scaled clock runs evenly and two of the same origin agree.
#include "base/time.h"

#include <gtest/gtest.h>

namespace leakhunt {
namespace {

TEST(ScaledClock, RunsAtItsScaleFromItsOrigin) {
  const Mono origin = SystemClock{}.now().mono - Duration{2'000'000};
  const ScaledClock clock{60, origin};
  const Moment before_host = SystemClock{}.now();
  const Moment virtual_now = clock.now();
  const Moment after_host = SystemClock{}.now();
  EXPECT_GE((virtual_now.mono - origin).count(), (before_host.mono - origin).count() * 60);
  EXPECT_LE((virtual_now.mono - origin).count(), (after_host.mono - origin).count() * 60);
}

TEST(ScaledClock, TimersShrinkByTheScale) {
  const ScaledClock clock{60, SystemClock{}.now().mono};
  EXPECT_EQ(clock.real(std::chrono::minutes{1}), std::chrono::seconds{1});
  EXPECT_EQ(clock.real(Duration{-5}), std::chrono::nanoseconds{0});
}

TEST(Seconds, RoundTripsToTheMicrosecond) {
  EXPECT_EQ(from_seconds(1.5).count(), 1'500'000);
  EXPECT_EQ(from_seconds(-0.25).count(), -250'000);
  EXPECT_DOUBLE_EQ(seconds(Duration{2'500'000}), 2.5);
}

}  // namespace
}  // namespace leakhunt
