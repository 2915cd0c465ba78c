// Running sums and quantiles against direct formulas.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
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

TEST(ExactSums, MatchRunningSumsAndForgetNoBitInAnyOrder) {
  std::mt19937 random{11};
  std::uniform_int_distribution<std::int64_t> when{0, 60'000'000};
  std::uniform_int_distribution<std::int64_t> value{-4'000, 4'000};
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (int i = 0; i < 400; ++i) pairs.emplace_back(when(random), value(random));
  ExactSums forward;
  ExactSums backward;
  RunningSums running;
  for (const auto& [t, v] : pairs) {
    forward.add(t, v);
    running.add(static_cast<double>(t) / 1e6, static_cast<double>(v));
  }
  for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) backward.add(pair->first, pair->second);
  const RunningSums a = forward.sums();
  const RunningSums b = backward.sums();
  EXPECT_EQ(a.mean_t, b.mean_t);
  EXPECT_EQ(a.c_tv, b.c_tv);
  EXPECT_EQ(a.m2_v, b.m2_v);
  EXPECT_EQ(a.n, 400);
  EXPECT_NEAR(a.mean_v, running.mean_v, 1e-9);
  EXPECT_NEAR(a.m2_t, running.m2_t, 1e-7);
  EXPECT_NEAR(a.slope(), running.slope(), 1e-9);
}

TEST(ExactSums, OfOneValueHaveNoSpread) {
  ExactSums sums;
  for (std::int64_t i = 0; i < 86'400; ++i) sums.add(i * 1'000'003, 4'294'967'294);
  EXPECT_EQ(sums.sums().m2_v, 0);
  EXPECT_EQ(sums.sums().mean_v, 4'294'967'294.0);
  EXPECT_EQ(sums.sums().slope(), 0);
}

TEST(RunningSums, MovedToAnotherOriginKeepTheirLine) {
  RunningSums sums;
  for (int i = 0; i < 10; ++i) sums.add(i, 7.0 - 3.0 * i);
  const RunningSums moved = sums.moved(100, -50);
  EXPECT_EQ(moved.slope(), sums.slope());
  EXPECT_EQ(moved.mean_t, sums.mean_t + 100);
  EXPECT_EQ(moved.mean_v, sums.mean_v - 50);
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
