// Which source is believed, and which others are mentioned.
#include "analysis/sources.h"

#include <gtest/gtest.h>

#include "analysis/judge.h"
#include "tests/analysis/series.h"

namespace leakhunt::analysis {
namespace {

using testing::ask;
using testing::says;
using testing::stretch;
using testing::Wave;

Series series_of(const char* source, const Wave& w, double level, double per_min) {
  return {source, {stretch(w, [=](double t) { return level - per_min * t / 60; })}};
}

TEST(Sources, AtTheFloorMoreReadingsWin) {
  Wave polls;
  polls.hours = 5.99;  // a little shorter
  Wave stats;
  stats.cadence_s = 900;
  stats.noise = 20;
  for (const double per_min : {0.0, 60.0}) {
    Question q;
    q.uptime_known = true;
    q.series = {series_of("stats", stats, 120000, per_min), series_of("poll", polls, 120000, per_min)};
    EXPECT_EQ(judge(q).source, "poll");
    std::swap(q.series[0], q.series[1]);
    EXPECT_EQ(judge(q).source, "poll");
  }
}

TEST(Sources, ShortOnesDoNotWinByTheirNumber) {
  Wave brief;
  brief.hours = 1;
  brief.cadence_s = 1.5;
  Question q;
  q.uptime_known = true;
  q.series = {series_of("debug_heap", brief, 118000, 0), series_of("poll", {}, 120000, 0)};
  EXPECT_EQ(judge(q).source, "poll");
}

TEST(Sources, ANoisyOneDoesNotWin) {
  Wave rough;
  rough.noise = 3000;
  rough.cadence_s = 10;
  Question q;
  q.uptime_known = true;
  q.series = {series_of("debug_heap", rough, 110000, 0), series_of("poll", {}, 120000, 40)};
  const Verdict v = judge(q);
  EXPECT_EQ(v.source, "poll");
  EXPECT_EQ(v.verdict, VerdictClass::slow_leak);
}

TEST(Sources, OnlyThoseThatContradictAreMentioned) {
  Wave other;
  other.seed = 99;
  Question q;
  q.uptime_known = true;
  q.series = {series_of("poll", {}, 120000, 60), series_of("stats", other, 119000, 60)};
  const auto agree = examine_sources(q);
  ASSERT_TRUE(agree);
  q.series[1] = series_of("stats", other, 119000, 0);
  const Verdict v = judge(q);
  EXPECT_TRUE(says(v, "tells another slope"));
}

TEST(Sources, NoReadingsNoSource) {
  Question q;
  EXPECT_FALSE(examine_sources(q));
  q.series = {{"poll", {}}, {"stats", {Stretch{}}}};
  EXPECT_FALSE(examine_sources(q));
}

}  // namespace
}  // namespace leakhunt::analysis
