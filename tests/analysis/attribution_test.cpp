// Net loss per thread, transfers, and the captures of a real meshtasticd.
#include "analysis/attribution.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "analysis/judge.h"
#include "tests/analysis/series.h"

namespace leakhunt::analysis {
namespace {

// Every 5 s: each event's time, thread, word, before, after.
std::vector<HeapEvent> capture(const std::string& name) {
  std::ifstream in(std::string(LEAKHUNT_TEST_DATA) + "/analysis/meshtasticd-" + name + ".heap-events.tsv");
  std::vector<HeapEvent> out;
  for (std::string row; std::getline(in, row);) {
    std::istringstream cells(row);
    HeapEvent e;
    std::string word;
    cells >> e.t_s >> e.thread >> word >> e.before >> e.after;
    e.x_s = e.t_s;
    e.leaked = word == "leaked";
    e.delta = e.after - e.before;
    out.push_back(e);
  }
  return out;
}

// The level after each event, as a series.
Question question_of(const std::vector<HeapEvent>& events) {
  Stretch s;
  s.boot_id = 1;
  for (const HeapEvent& e : events) {
    Point p;
    p.x_s = e.x_s - events.front().x_s + 60;
    p.t_s = e.t_s;
    p.value = e.after;
    s.points.push_back(p);
  }
  Question q = testing::ask({s}, "thread_event");
  q.heap_events = events;
  return q;
}

HeapEvent event(double t_s, const char* thread, double delta) {
  HeapEvent e;
  e.t_s = e.x_s = t_s;
  e.thread = thread;
  e.delta = delta;
  e.leaked = delta < 0;
  return e;
}

TEST(Attribution, TheLeakingCaptureNamesDeviceTelemetry) {
  const Verdict v = judge(question_of(capture("leak")));
  EXPECT_TRUE(v.leak);
  ASSERT_FALSE(v.suspects.empty());
  EXPECT_EQ(v.suspects.front().thread, "DeviceTelemetry");
  EXPECT_TRUE(v.primary_suspect);
  // 26 runs of 272 bytes; ServerAPI frees the rest of what each run takes.
  EXPECT_NEAR(v.suspects.front().net_bytes, -26 * 272, 600);
  EXPECT_FALSE(v.suspects.front().few_large);
}

TEST(Attribution, TheLossPerRunIsFoundUnderTheTransfers) {
  const Verdict v = judge(question_of(capture("leak")));
  ASSERT_FALSE(v.suspects.empty());
  const Suspect& s = v.suspects.front();
  ASSERT_TRUE(s.per_run_bytes);
  EXPECT_NEAR(*s.per_run_bytes, 272, 2);
  EXPECT_TRUE(testing::says(v, "thread DeviceTelemetry lost"));
  EXPECT_TRUE(testing::says(v, "about 272 B per run"));
  EXPECT_TRUE(testing::says(v, "freed by other threads"));
  const double minutes = (1796017020 - 1796016821) / 60.0;  // of all events
  EXPECT_NEAR(s.events_per_min, 26 / minutes, 1e-9);
  EXPECT_NEAR(s.net_per_min, s.net_bytes / minutes, 1e-9);
}

TEST(Attribution, ARareLossHasItsMeanPerRun) {
  std::vector<HeapEvent> events;
  for (int i = 0; i < 200; ++i) {
    events.push_back(event(i * 60, "Router", -400));
    events.push_back(event(i * 60 + 1, "Router", i % 10 == 0 ? 200 : 400));
  }
  const Attribution a = attribute(events);
  ASSERT_TRUE(a.threads.front().per_run_bytes);
  EXPECT_NEAR(*a.threads.front().per_run_bytes, 10, 1);  // 200 in each twenty events
}

TEST(Attribution, FewRunsTellNoLossPerRun) {
  EXPECT_FALSE(attribute({event(0, "A", -400), event(60, "A", -400)}).threads.front().per_run_bytes);
}

TEST(Attribution, TheSumIsCheckedAgainstTheSlope) {
  Question q = testing::leaking(82);
  q.heap_events = {event(testing::kStart_s + 10, "MeshPacket", -3124)};
  EXPECT_TRUE(testing::says(judge(q), "the threads' lines explain 3,124 B of the"));
}

TEST(Holders, PartsThatGrowAndPlacesThatTakeAreNamed) {
  Question q = testing::leaking(82);
  for (int i = 0; i < 24; ++i) {
    const double t = testing::kStart_s + i * 900.0;
    q.holdings.push_back({t, i * 900.0, "nodedb", 11040, 1});
    q.holdings.push_back({t, i * 900.0, "pkthist", 4000 + i * 1000.0, 1});
    q.holdings.push_back({t, i * 900.0, "total", 15040 + i * 1000.0, 1});
    q.holdings.push_back({t, i * 900.0, "nodedb", 90000.0 * i, 7});
    q.allocations.push_back({t, i * 900.0, "Router::send", 500, 1});
    q.allocations.push_back({t, i * 900.0, "Crypto", 16, 1});
  }
  const Verdict v = judge(q);
  ASSERT_EQ(v.growths.size(), 1U);
  EXPECT_EQ(v.growths[0].part, "pkthist");
  EXPECT_NEAR(v.growths[0].to_bytes - v.growths[0].from_bytes, 18000, 100);
  ASSERT_EQ(v.sites.size(), 2U);
  EXPECT_EQ(v.sites[0].site, "Router::send");
  EXPECT_EQ(v.sites[0].count, 24U);
  EXPECT_TRUE(testing::says(v, "by MemAudit pkthist grew most"));
  EXPECT_TRUE(testing::says(v, "most bytes were allocated at Router::send: 12,000 B in 24 calls"));
  q.series = testing::steady().series;
  EXPECT_TRUE(judge(q).growths.empty());
}

TEST(Attribution, TheHealthyCaptureAccusesNobody) {
  const Verdict v = judge(question_of(capture("heap")));
  EXPECT_FALSE(v.leak);
  EXPECT_TRUE(v.suspects.empty());
}

TEST(Attribution, WhatAnotherThreadFreesIsNoLoss) {
  std::vector<HeapEvent> events;
  for (int i = 0; i < 50; ++i) {
    events.push_back(event(i * 20, "RadioIf", -324));
    events.push_back(event(i * 20 + 1, "Router", 324));
    events.push_back(event(i * 20 + 2, "RangeTest", -324));
  }
  const Attribution a = attribute(events);
  ASSERT_EQ(a.threads.size(), 3U);
  EXPECT_EQ(a.threads.front().thread, "RangeTest");
  EXPECT_EQ(a.threads.front().net_bytes, -50 * 324);
  EXPECT_EQ(a.attributed_bytes, 50 * 324);
  EXPECT_EQ(a.net_bytes, -50 * 324);
}

TEST(Attribution, AThreadPaysOnlyWhatItFreesSoonAfter) {
  const Attribution a = attribute({event(0, "Radio", -1000), event(5000, "Router", 1000)});
  EXPECT_EQ(a.threads.front().thread, "Radio");
  EXPECT_EQ(a.threads.front().net_bytes, -1000);
}

TEST(Attribution, FewLargeIsThreeEventsForFourFifths) {
  std::vector<HeapEvent> events;
  for (int i = 0; i < 20; ++i) events.push_back(event(i, "Many", -100));
  for (const double delta : {-700.0, -500.0, -150.0, -58.0}) events.push_back(event(100, "Few", delta));
  const Attribution a = attribute(events);
  for (const Suspect& s : a.threads) EXPECT_EQ(s.few_large, s.thread == "Few") << s.thread;
}

TEST(Attribution, SharesAreOfTheAttributedLoss) {
  Question q = testing::leaking(82);
  q.heap_events = {event(testing::kStart_s + 10, "MeshPacket", -3124),
                   event(testing::kStart_s + 20, "Router", -1408),
                   event(testing::kStart_s + 30, "Power", -240)};
  const Verdict v = judge(q);
  ASSERT_EQ(v.suspects.size(), 3U);
  EXPECT_NEAR(v.suspects[0].share, 3124.0 / 4772, 1e-9);
  EXPECT_TRUE(v.primary_suspect);
  EXPECT_NEAR(v.lost_bytes, 82 * 359, 300);
  EXPECT_NEAR(v.unexplained_share, 0.84, 0.01);
}

TEST(Attribution, ALeaderBelowHalfIsAWeakSuspect) {
  Question q = testing::leaking(82);
  q.heap_events = {event(testing::kStart_s + 10, "A", -400), event(testing::kStart_s + 20, "B", -350),
                   event(testing::kStart_s + 30, "C", -300)};
  EXPECT_FALSE(judge(q).primary_suspect);
}

TEST(Attribution, NobodyIsSuspectedWhereNothingIsLost) {
  Question q = testing::steady();
  q.heap_events = {event(testing::kStart_s + 10, "A", -400)};
  EXPECT_TRUE(judge(q).suspects.empty());
}

TEST(Attribution, EventsOfAnotherBootDoNotCount) {
  Question q = testing::leaking(82);
  q.heap_events = {event(testing::kStart_s + 10, "A", -400), event(testing::kStart_s + 20, "B", -900)};
  q.heap_events[0].boot_id = 1;
  q.heap_events[1].boot_id = 9;
  const Verdict v = judge(q);
  ASSERT_EQ(v.suspects.size(), 1U);
  EXPECT_EQ(v.suspects.front().thread, "A");
}

TEST(Attribution, NoEventsGiveNothing) {
  EXPECT_TRUE(attribute({}).threads.empty());
}

}  // namespace
}  // namespace leakhunt::analysis
