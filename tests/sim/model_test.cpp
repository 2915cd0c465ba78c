// The heap model, the scenarios and the scripted page: figures of functions of time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/sums.h"
#include "sim/golden.h"
#include "sim/heap.h"
#include "sim/noise.h"
#include "sim/scenarios.h"
#include "tests/sim/bench.h"

namespace leakhunt::sim {
namespace {

HeapModel curve(const std::string& name, Shape shape = {}) {
  return make_scenario(name, shape)->heap;
}

double change(const HeapModel& heap, double from_s, double to_s) {
  return static_cast<double>(heap.free_at(to_s)) - heap.free_at(from_s);
}

TEST(Noise, IsReproducibleAndDiffersBySeed) {
  EXPECT_EQ(mix(1, 7), mix(1, 7));
  EXPECT_NE(mix(1, 7), mix(2, 7));
  EXPECT_NE(mix(1, 7), mix(1, 8));
}

TEST(HeapModel, ALeakLosesItsRateWithinTheNoise) {
  EXPECT_NEAR(change(curve("leak"), 60, 60 + 3'600), -324 * 60, 200);
  EXPECT_NEAR(change(curve("leak", {.slope_per_min = 82}), 60, 60 + 3'600), -82 * 60, 200);
}

TEST(HeapModel, LogLinesReadTheSameCurveALittleLower) {
  const HeapModel heap = curve("leak");
  double below = 0;
  for (int i = 0; i < 2'000; ++i) {
    const double at = 1.5 * i;
    const std::uint32_t line = heap.free_in_line(at, static_cast<std::uint64_t>(i));
    ASSERT_LE(line, heap.free_at(at));
    ASSERT_LE(heap.free_at(at) - line, heap.held_bytes + 4);
    below += heap.free_at(at) - line;
  }
  EXPECT_GT(below / 2'000, 20);
}

TEST(HeapModel, NeverLeavesTheHeap) {
  const HeapModel heap = curve("oom");
  EXPECT_EQ(heap.free_at(1e6), 0U);
  EXPECT_LE(curve("steady", {.heap_free_bytes = 1e9}).free_at(10), 294'912U);
}

TEST(HeapModel, TheSeedChangesTheNoiseAlone) {
  const HeapModel one = curve("steady", {.seed = 1});
  const HeapModel two = curve("steady", {.seed = 2});
  bool differs = false;
  for (double at = 0; at < 700; at += 7) {
    differs = differs || one.free_at(at) != two.free_at(at);
    EXPECT_NEAR(one.free_at(at), two.free_at(at), 2 * one.noise_bytes + 4);
  }
  EXPECT_TRUE(differs);
}

TEST(HeapModel, TheLargestBlockIsPartOfWhatIsFree) {
  for (const ScenarioName& name : scenario_names()) {
    const HeapModel heap = curve(std::string{name.name});
    for (double at = 0; at < 20'000; at += 500)
      ASSERT_LE(heap.largest_block_at(at), heap.free_at(at)) << name.name;
  }
}

TEST(Scenario, AnUnknownNameListsTheKnown) {
  const auto none = make_scenario("leek", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::usage);
  EXPECT_THAT(none.error().line(),
              testing::AllOf(testing::HasSubstr("leek"), testing::HasSubstr("nak-storm")));
}

TEST(Scenario, SawtoothGivesEverythingBack) {
  EXPECT_NEAR(change(curve("sawtooth"), 1, 1 + 660 * 5), 0, 150);
  EXPECT_LT(change(curve("sawtooth"), 1, 600), -10'000);
}

TEST(Scenario, WarmUpSettles) {
  EXPECT_LT(change(curve("warm-up"), 0, 1'200), -15'000);
  EXPECT_NEAR(change(curve("warm-up"), 7'200, 10'800), 0, 150);
}

TEST(Scenario, ACacheFillsEvenlyAndThenStands) {
  EXPECT_NEAR(change(curve("cache"), 0, 1'800), -12'000, 150);
  EXPECT_NEAR(change(curve("cache"), 0, 3'600), -24'000, 150);
  EXPECT_NEAR(change(curve("cache"), 3'600, 20'000), 0, 150);
}

TEST(Scenario, BurstIsBackWithinTwoCyclesOfItsEnd) {
  const HeapModel heap = curve("burst");
  EXPECT_NEAR(change(heap, 1'700, 1'900), -8'192, 150);
  EXPECT_NEAR(change(heap, 1'700, 1'800 + 150 + 60), 0, 150);
}

TEST(Scenario, RecoveryRisesForHours) {
  EXPECT_NEAR(change(curve("recovery"), 300, 3'900), 125 * 60, 150);
  EXPECT_NEAR(change(curve("recovery"), 300, 300 + 6 * 3'600), 125 * 360, 150);
}

TEST(Scenario, FragmentationShrinksTheBlockAlone) {
  const HeapModel heap = curve("fragmentation");
  EXPECT_NEAR(change(heap, 60, 7'200), 0, 150);
  EXPECT_LT(heap.largest_block_at(7'200), heap.largest_block_at(60) / 3);
}

TEST(Scenario, LeakNamesTheThreadThatKeepsWhatItTakes) {
  const auto scenario = make_scenario("leak", {});
  std::map<std::string, double> kept;
  for (const ThreadFlow& flow : scenario->flows) {
    const double per_min = flow.bytes * 60 / flow.every_s;
    kept[flow.thread] -= per_min;
    if (!flow.freed_by.empty()) kept[flow.freed_by] += per_min;
  }
  EXPECT_DOUBLE_EQ(kept["MeshPacket"], -324);
  EXPECT_DOUBLE_EQ(kept["DeviceTelemetry"] + kept["ServerAPI"], 0);
  EXPECT_DOUBLE_EQ(kept["Router"] + kept["RadioIf"], 0);
}

class Golden : public testing::Test {
 protected:
  const std::vector<ScriptedLine> script = golden_script(1);
};

TEST_F(Golden, HoldsTheScriptedSamples) {
  RunningSums line;
  std::uint32_t lowest = 0xFFFFFFFF;
  std::uint32_t highest = 0;
  for (const ScriptedLine& one : script) {
    if (one.line.bare) continue;
    lowest = std::min(lowest, *one.line.heap_bytes);
    highest = std::max(highest, *one.line.heap_bytes);
    line.add(one.uptime_s / 60, *one.line.heap_bytes);
  }
  EXPECT_EQ(line.n, 14'200);
  EXPECT_EQ(lowest, 92'344U);
  EXPECT_EQ(highest, 124'008U);
  EXPECT_NEAR(line.slope(), -82, 0.4);
}

TEST_F(Golden, ThreadEventsSumToThePage) {
  std::map<std::string, std::pair<int, int>> sums;
  for (const ScriptedLine& one : script) {
    for (const test::ThreadEvent& event : test::thread_events(one.line.message)) {
      EXPECT_EQ(event.after - event.before, event.delta);
      ++sums[event.thread].first;
      sums[event.thread].second += event.delta;
    }
  }
  EXPECT_EQ(sums["MeshPacket"], std::pair(18, -3'124));
  EXPECT_EQ(sums["Router"], std::pair(4, -1'408));
  EXPECT_EQ(sums["NodeInfo"].second + sums["GPS"].second, -240);
  EXPECT_EQ(sums.size(), 4U);
}

TEST_F(Golden, FailuresComeAtTheirMinutesAndTheEndClosesTheWindow) {
  std::vector<int> minutes;
  for (const ScriptedLine& one : script)
    if (one.line.message == "Alloc an err=ESP_ERR_NO_MEM")
      minutes.push_back(static_cast<int>((one.uptime_s - kGoldenStart_s) / 60));
  EXPECT_THAT(minutes, testing::ElementsAre(4 * 60 + 12, 5 * 60 + 8, 5 * 60 + 44));
  EXPECT_TRUE(script.back().line.bare);
  EXPECT_DOUBLE_EQ(script.back().uptime_s, kGoldenStart_s + 6 * 3'600);
  EXPECT_GE(script.front().uptime_s, kGoldenStart_s);
}

}  // namespace
}  // namespace leakhunt::sim
