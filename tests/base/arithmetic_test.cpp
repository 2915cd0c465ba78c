// Running sums and quantiles against direct formulas.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/quantile.h"
#include "base/sums.h"

namespace leakhunt {
namespace {

TEST(RunningSums, MergedPartsEqualTheWhole) {
  std::mt19937 random{7};
  std::normal_distribution<double> noise{100'000, 300};
  RunningSums whole;
  RunningSums parts[3];
  for (int i = 0; i < 3'000; ++i) {
    const double t = i * 1.5;
    const double v = noise(random) - 0.02 * t;
    whole.add(t, v);
    parts[i % 3].add(t, v);
  }
  RunningSums merged;
  for (const RunningSums& part : parts) merged.merge(part);
  EXPECT_EQ(merged.n, whole.n);
  EXPECT_NEAR(merged.slope(), whole.slope(), 1e-9);
  EXPECT_NEAR(merged.mean_v, whole.mean_v, 1e-6);
  EXPECT_NEAR(merged.m2_v, whole.m2_v, whole.m2_v * 1e-9);
}

TEST(RunningSums, SlopeOfALineIsExact) {
  RunningSums sums;
  for (int i = 0; i < 10; ++i) sums.add(i, 7.0 - 3.0 * i);
  EXPECT_DOUBLE_EQ(sums.slope(), -3.0);
}

TEST(RunningSums, NoSlopeWithoutSpreadInTime) {
  RunningSums sums;
  EXPECT_EQ(sums.slope(), 0);
  sums.add(5, 1);
  sums.add(5, 9);
  EXPECT_EQ(sums.slope(), 0);
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.8), 4.2);
  EXPECT_DOUBLE_EQ(quantile({9}, 0.3), 9);
  EXPECT_DOUBLE_EQ(quantile({1, 2}, 1.0), 2);
}

TEST(Quantile, MadEstimatesSpreadAndIgnoresAnOutlier) {
  EXPECT_DOUBLE_EQ(mad({1, 2, 3, 4, 1'000}), 1.4826);
}

}  // namespace
}  // namespace leakhunt
