// Memory in pieces, and figures of the largest block that are none: wraps, external memory, low-water marks.
#include "analysis/fragmentation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/judge.h"
#include "tests/analysis/series.h"

namespace leakhunt::analysis {
namespace {

using testing::ask;
using testing::kStart_s;
using testing::line;
using testing::says;
using testing::steady;
using testing::stretch;
using testing::Wave;

std::vector<Point>& points_of(Question& q) {
  return q.series[0].stretches[0].points;
}

// Seconds since the first reading.
double age(const Question& q, const Point& p) {
  return p.x_s - q.series[0].stretches[0].points.front().x_s;
}

TEST(Fragmentation, ABlockThatHoldsIsRuledOut) {
  Question q = steady();
  for (Point& p : points_of(q)) p.largest_block = 90000;
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_TRUE(says(v, "fragmentation: the largest free block does not fall; it is 90,000 B of"));
}

TEST(Fragmentation, ASmallBlockIsToldAndNotRuledOut) {
  Question q = steady();
  for (Point& p : points_of(q)) p.largest_block = 30000;
  const Verdict v = judge(q);
  EXPECT_TRUE(says(v, "the largest free block is 30,000 B of"));
  EXPECT_FALSE(says(v, "fragmentation: "));
}

TEST(Fragmentation, ABlockThatNeverWasDoesNotFall) {
  Question q = steady();
  for (Point& p : points_of(q)) p.largest_block = 2311;
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::fragmentation_suspect);
  EXPECT_TRUE(says(v, "no free block above 2,311 B is left though"));
}

TEST(Fragmentation, ASteadyLowWaterMarkWithAFallingBlockShowsItEarlier) {
  Question q = steady();
  for (Point& p : points_of(q)) p.largest_block = 115000 - 25000 * age(q, p) / 21600;
  EXPECT_EQ(judge(q).verdict, VerdictClass::steady);  // still three quarters of what is free
  for (Point& p : points_of(q)) p.min_free = 85000;
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::fragmentation_suspect);
  EXPECT_TRUE(says(v, "and the low-water mark holds"));
  for (Point& p : points_of(q)) p.min_free = 85000 - 30000 * age(q, p) / 21600;
  EXPECT_EQ(judge(q).verdict, VerdictClass::steady);
}

TEST(Fragmentation, ALowWaterMarkThatFallsIsNoLeak) {
  Question q = steady();
  for (Point& p : points_of(q)) p.min_free = 100000 - 40000 * age(q, p) / 21600;
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_FALSE(v.leak);
  EXPECT_TRUE(says(v, "leak by the low-water mark"));
  EXPECT_TRUE(says(v, "it only ever falls"));
}

TEST(Fragmentation, AFailedAllocationWithMemoryLeftIsOne) {
  Question q = steady();
  q.lines = {line(LineKind::allocation_failure, 7200, "Failed to allocate zeroed memory")};
  EXPECT_EQ(judge(q).verdict, VerdictClass::fragmentation_suspect);
}

// Around 65 536 and back: told in 16 bits.
Question wrapping() {
  Question q = steady();
  for (Point& p : points_of(q)) {
    p.largest_block = std::fmod(65536 + 4000 * std::sin(age(q, p) / 1500) - 3 * age(q, p) / 60, 65536);
  }
  return q;
}

TEST(WrappedBlock, IsRecognisedAndNotUsed) {
  const Verdict v = judge(wrapping());
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_TRUE(says(v, "wraps at 65,536"));
  EXPECT_FALSE(says(v, "fragmentation: the largest free block does not fall"));
}

TEST(WrappedBlock, ARealFallIsNone) {
  Question q = steady();
  for (Point& p : points_of(q)) p.largest_block = age(q, p) < 9000 ? 61000.0 : 3000.0;
  EXPECT_FALSE(wraps_at_16_bits(q.series[0].stretches[0]));
  EXPECT_EQ(judge(q).verdict, VerdictClass::fragmentation_suspect);
}

TEST(WrappedBlock, NoRoomNoWrap) {
  Question q = wrapping();
  for (Point& p : points_of(q)) p.value = 60000;
  EXPECT_FALSE(wraps_at_16_bits(q.series[0].stretches[0]));
}

TEST(WrappedBlock, LargerThanAllThatIsFreeIsNotUsed) {
  Question q = steady();
  for (Point& p : points_of(q)) p.largest_block = 200000 - 8 * age(q, p);
  const Verdict v = judge(q);
  EXPECT_TRUE(says(v, "larger than all that is free"));
  EXPECT_EQ(v.verdict, VerdictClass::steady);
}

Question with_psram(double per_min) {
  Wave w;
  w.noise = 400;
  Question q = ask({stretch(w, [per_min](double t) { return 8.1e6 - per_min * t / 60; })});
  q.total_bytes = 8.6e6;
  q.chip = "esp32s3";
  q.reserve_bytes = 15000;
  q.reserve_reason = "chip esp32s3";
  return q;
}

TEST(ExternalMemory, IsRecognisedWithACautionOnTheReserve) {
  const Verdict v = judge(with_psram(0));
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_TRUE(says(v, "counts external memory (PSRAM) in"));
  EXPECT_EQ(v.reserve_bytes, 15000);
  EXPECT_NE(v.reserve_reason.find("internal heap, which is not seen"), std::string::npos);
}

TEST(ExternalMemory, ThresholdsGrowWithIt) {
  EXPECT_GE(*judge(with_psram(0)).mds_per_min, 8);  // of a 120 KB heap it is 1.7
  EXPECT_EQ(judge(with_psram(2000)).verdict, VerdictClass::slow_leak);
}

TEST(ExternalMemory, ItsBlocksTellNothingOfTheHeapInside) {
  Question q = with_psram(0);
  for (Point& p : points_of(q)) p.largest_block = 7.9e6 - 200 * age(q, p);
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::steady);
  EXPECT_TRUE(says(v, "lies in external memory"));
}

TEST(ExternalMemory, AFailedAllocationThereMayBeTheHeapInside) {
  Question q = with_psram(0);
  q.lines = {line(LineKind::allocation_failure, 7200, "Failed to allocate zeroed memory")};
  const Verdict v = judge(q);
  EXPECT_EQ(v.verdict, VerdictClass::fragmentation_suspect);
  EXPECT_TRUE(says(v, "the internal heap may have been at its end"));
}

TEST(ExternalMemory, ChipsWithoutItAndHostsHaveNone) {
  Question q = with_psram(0);
  q.chip = "nrf52";
  EXPECT_FALSE(says(judge(q), "PSRAM"));
  q.chip = "";
  q.total_bytes = std::nullopt;
  for (Point& p : points_of(q)) p.value *= 100;
  EXPECT_FALSE(says(judge(q), "PSRAM"));
  Question inside = steady();
  inside.chip = "esp32s3";
  EXPECT_FALSE(says(judge(inside), "PSRAM"));
}

}  // namespace
}  // namespace leakhunt::analysis
