// Each published rule and its boundary, to the letter.
#include <gtest/gtest.h>

#include "analysis/judge.h"
#include "tests/analysis/series.h"

namespace leakhunt::analysis {
namespace {

using testing::ask;
using testing::kStart_s;
using testing::line;

// One reading a minute.
Question readings(const std::vector<double>& values) {
  Stretch s;
  s.boot_id = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Point p;
    p.x_s = 60.0 * static_cast<double>(i);
    p.t_s = kStart_s + p.x_s;
    p.value = values[i];
    s.points.push_back(p);
  }
  return ask({s});
}

Question line_of(std::size_t n, double from, double per_min) {
  std::vector<double> v;
  for (std::size_t i = 0; i < n; ++i) v.push_back(from + per_min * static_cast<double>(i));
  return readings(v);
}

Question flat() {
  return line_of(20, 50000, 0);
}

int rule(const Question& q) {
  return judge_published(q).published.rule;
}
VerdictClass verdict(const Question& q) {
  return judge_published(q).verdict;
}

TEST(Published, FewerThanFiveSamplesAreInsufficient) {
  EXPECT_EQ(verdict(line_of(4, 50000, -1000)), VerdictClass::insufficient_data);
  EXPECT_EQ(verdict(line_of(5, 50000, -1000)), VerdictClass::slow_leak);
}

TEST(Published, InsufficientComesBeforeTheOomLineButItIsUrgent) {
  Question q = line_of(4, 50000, 0);
  q.lines.push_back(line(LineKind::out_of_memory, 10, "out of memory"));
  EXPECT_EQ(rule(q), 1);
  EXPECT_TRUE(judge_published(q).urgent);
}

TEST(Published, AnyRiseAfterALostConnectionIsAReboot) {
  Question q = readings({50000, 50000, 50000, 50001, 50001, 50001});
  q.lines.push_back(line(LineKind::connection_lost, 150, "connection_lost"));
  EXPECT_EQ(verdict(q), VerdictClass::reboot_mid_window);
  q.lines.front().t_s = kStart_s + 50;
  EXPECT_EQ(verdict(q), VerdictClass::steady);
}

TEST(Published, ALostConnectionBeforeOrAfterAllSamplesIsNone) {
  Question q = flat();
  q.lines.push_back(line(LineKind::connection_lost, -10, "connection_lost"));
  q.lines.push_back(line(LineKind::connection_lost, 1e6, "connection_lost"));
  EXPECT_EQ(verdict(q), VerdictClass::steady);
}

TEST(Published, RebootComesBeforeTheOomLine) {
  Question q = readings({50000, 50000, 50000, 51000, 51000, 51000});
  q.lines.push_back(line(LineKind::out_of_memory, 100, "Out Of Memory"));
  q.lines.push_back(line(LineKind::connection_lost, 150, "connection_lost"));
  EXPECT_EQ(rule(q), 2);
}

TEST(Published, EveryAllocAnErrIsOomInAnyCaseAndAnywhere) {
  for (const char* text :
       {"x ALLOC AN ERR=5,to=1", "say: out of MEMORY now", "Alloc an err=ESP_ERR_NO_MEM"}) {
    Question q = flat();
    q.lines.push_back(line(LineKind::routing_nak, 10, text));
    EXPECT_EQ(verdict(q), VerdictClass::oom_imminent) << text;
    EXPECT_TRUE(judge_published(q).urgent) << text;
  }
}

TEST(Published, LeakNeedsMoreThanFiftyAMinute) {
  EXPECT_EQ(rule(line_of(61, 50000, -50)), 0);
  EXPECT_EQ(rule(line_of(61, 50000, -50.01)), 4);
}

TEST(Published, LeakNeedsARangeAboveAThousand) {
  EXPECT_EQ(rule(line_of(6, 50000, -200)), 0);
  EXPECT_EQ(rule(line_of(6, 50000, -200.2)), 4);
}

TEST(Published, TimeToZeroIsTheMinimumOverTheSlope) {
  const Verdict v = judge_published(line_of(12, 11100, -100));
  ASSERT_TRUE(v.minutes_to_zero);
  EXPECT_NEAR(*v.minutes_to_zero, 100, 1e-6);
}

TEST(Published, FragmentationNeedsFallingMinimaAndALineWithoutEquals) {
  std::vector<double> v(20, 50000);
  v.back() = 49900;
  v[18] = 49950;
  Question q = readings(v);
  EXPECT_EQ(rule(q), 6);
  q.lines.push_back(line(LineKind::other, 10, "alloc an err"));
  EXPECT_EQ(verdict(q), VerdictClass::fragmentation_suspect);
  v[0] = 49800;
  Question risen = readings(v);
  risen.lines = q.lines;
  EXPECT_NE(verdict(risen), VerdictClass::fragmentation_suspect);
}

TEST(Published, SteadyNeedsLinesWithoutPanicAndAbort) {
  EXPECT_EQ(rule(flat()), 6);
  for (const char* text : {"Guru Meditation: PANIC", "abort() was called"}) {
    Question q = flat();
    q.lines.push_back(line(LineKind::panic, 10, text));
    EXPECT_EQ(rule(q), 0) << text;
    EXPECT_EQ(verdict(q), VerdictClass::steady) << text;
  }
}

TEST(Published, SteadyEndsAtFifty) {
  EXPECT_EQ(rule(line_of(20, 50000, 49.9)), 6);
  EXPECT_EQ(rule(line_of(20, 50000, 50)), 7);
  EXPECT_EQ(verdict(line_of(20, 50000, 50)), VerdictClass::recovery_curve);
}

TEST(Published, ARisingSeriesWithAPanicIsARecovery) {
  Question q = line_of(20, 50000, 10);
  q.lines.push_back(line(LineKind::panic, 10, "panic"));
  EXPECT_EQ(rule(q), 7);
}

TEST(Published, TakesAllSourcesTogether) {
  Question q = line_of(3, 50000, -1000);
  Question other = line_of(3, 50000, -1000);
  other.series.front().source = "debug_heap";
  q.series.push_back(other.series.front());
  EXPECT_EQ(judge_published(q).samples, 6U);
  EXPECT_EQ(verdict(q), VerdictClass::slow_leak);
}

TEST(Published, SuspectIsTheLowestSumOfTheNewestTwoHundredLeakedLines) {
  Question q = line_of(11, 50000, -1000);
  const auto event = [&](const char* thread, double delta, bool leaked) {
    HeapEvent e;
    e.thread = thread;
    e.delta = delta;
    e.leaked = leaked;
    q.heap_events.push_back(e);
  };
  event("Old", -100000, true);
  for (int i = 0; i < 150; ++i) event("Router", -10, true);
  for (int i = 0; i < 50; ++i) event("Radio", -100, true);
  event("Radio", 100000, false);
  const Verdict v = judge_published(q);
  ASSERT_EQ(v.suspects.size(), 2U);
  EXPECT_EQ(v.suspects.front().thread, "Radio");
  EXPECT_EQ(v.suspects.front().net_bytes, -5000);
}

}  // namespace
}  // namespace leakhunt::analysis
