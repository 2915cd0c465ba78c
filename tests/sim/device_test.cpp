// What the device does of its own accord: cadences, its log in both modes, and the scenarios' habits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/sim/bench.h"

namespace leakhunt::sim::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Setup kDebug{.debug_heap = true, .colour = false};

std::vector<std::string> log_messages(Bench& bench) {
  std::vector<std::string> out;
  for (const std::string& message : bench.messages())
    if (const auto record = find(message, 6)) out.push_back(bytes_of(record->bytes, 1));
  return out;
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Telemetry, DeviceMetricsEachMinuteLocalStatsEachQuarterOfAnHour) {
  Bench bench{"steady"};
  bench.connect();
  std::vector<double> metrics;
  std::vector<double> stats;
  for (int second = 1; second <= 2'000; ++second) {
    bench.run(1);
    if (second % 600 == 0) bench.say(heartbeat());
    for (const Telemetry& one : bench.telemetries()) {
      if (one.from != Bench::kNode) continue;
      (one.variant == 6 ? stats : metrics).push_back(second);
    }
  }
  EXPECT_THAT(stats, ElementsAre(75, 975, 1'875));
  ASSERT_EQ(metrics.size(), 33U);
  EXPECT_EQ(metrics[1] - metrics[0], 60);
}

TEST(Telemetry, ARunningDeviceTellsItsTrueUptime) {
  Bench bench{"steady", {.uptime_s = 5'000'000}};
  bench.connect();
  bench.run(61);
  std::vector<double> uptimes;
  for (const Telemetry& one : bench.telemetries())
    if (one.from == Bench::kNode && one.variant == 2)
      uptimes.push_back(static_cast<double>(value_of(one.body, 5)));
  ASSERT_EQ(uptimes.size(), 1U);
  EXPECT_NEAR(uptimes[0], 5'000'000, 62);
}

TEST(Console, SpeaksTextUntilTheFirstFrameAndNeverAfter) {
  ConsoleBench bench{"steady"};
  bench.run(30);
  EXPECT_THAT(bench.spy.text, HasSubstr("| ??:??:?? "));
  EXPECT_THAT(bench.spy.text, HasSubstr("rst:0x1 (POWERON_RESET)"));
  bench.spy.text.clear();
  bench.say(want_config(1));
  EXPECT_EQ(bench.spy.drops, 1);
  bench.run(600);
  EXPECT_THAT(bench.spy.text, Not(HasSubstr("\r\n")));
  EXPECT_THAT(log_messages(bench), Not(testing::IsEmpty()));
}

TEST(Console, SaysWhyItRestarts) {
  ConsoleBench panic{"steady"};
  panic.device.reboot(Restart::panic, panic.now);
  EXPECT_THAT(panic.spy.text, HasSubstr("Guru Meditation Error"));
  EXPECT_THAT(panic.spy.text, HasSubstr("rst:0xc (SW_CPU_RESET)"));
  ConsoleBench planned{"steady"};
  planned.device.reboot(Restart::planned, planned.now);
  EXPECT_THAT(planned.spy.text, HasSubstr("\r\nRebooting\r\n"));
}

TEST(Console, ReturnsToTextAfterARebootAndSaysThatItRebooted) {
  ConsoleBench bench{"steady"};
  bench.say(want_config(1));
  bench.spy.text.clear();
  bench.device.reboot(Restart::watchdog, bench.now);
  EXPECT_THAT(bench.spy.text, HasSubstr("rst:0x8"));
  EXPECT_THAT(kinds(bench.messages()), ElementsAre(8));
  bench.run(10);
  EXPECT_THAT(bench.spy.text, HasSubstr("DEBUG"));
}

TEST(Console, LogRecordsNeedTheDevicesSwitch) {
  ConsoleBench bench{"steady", {.security = {.debug_log_api_enabled = false}}};
  bench.say(want_config(1));
  bench.run(600);
  EXPECT_THAT(log_messages(bench), testing::IsEmpty());
}

TEST(Console, InTextModeNobodyCanTalkToIt) {
  ConsoleBench bench{"steady", {.text_only = true}};
  bench.run(5);
  bench.say(want_config(1));
  bench.run(300);
  EXPECT_THAT(kinds(bench.messages()), ElementsAre(8));  // `rebooted`, from its start
}

TEST(Console, OfAnOldBuildGoesOnBesideFramesWhileTheApiLogIsOff) {
  ConsoleBench bench{"steady", {.security = {.debug_log_api_enabled = false}, .old_console = true}};
  bench.say(want_config(1));
  bench.spy.text.clear();
  bench.run(60);
  EXPECT_THAT(bench.spy.text, HasSubstr("DEBUG"));
}

TEST(Console, DebugHeapPrefixesTextAlone) {
  ConsoleBench bench{"leak", kDebug};
  bench.run(300);
  EXPECT_THAT(bench.spy.text, HasSubstr("[heap 1"));
  bench.say(want_config(1));
  bench.spy.text.clear();
  bench.run(300);
  EXPECT_THAT(bench.spy.text, Not(HasSubstr("[heap ")));
  EXPECT_THAT(bench.spy.text, HasSubstr("Thread MeshPacket leaked heap"));
}

TEST(Console, OrdinaryBuildsHaveTheFiveMinuteLinesOnly) {
  ConsoleBench bench{"leak", {.colour = false}};
  bench.run(901);
  EXPECT_EQ(count_of(bench.spy.text, "] Heap: "), 3);
  EXPECT_EQ(count_of(bench.spy.text, "MemAudit[periodic]: "), 3);
  EXPECT_THAT(bench.spy.text, Not(HasSubstr("leaked heap")));
  EXPECT_THAT(bench.spy.text, Not(HasSubstr("Heap status: 1"
                                            "7")));
}

TEST(Console, TheWatermarkIsNeverAboveWhatIsFree) {
  ConsoleBench bench{"leak", {.colour = false}};
  bench.run(7'200);
  int seen = 0;
  for (std::size_t at = bench.spy.text.find("] Heap: "); at != std::string::npos;
       at = bench.spy.text.find("] Heap: ", at + 1)) {
    int free = 0;
    int since = 0;
    int lowest = 0;
    int largest = 0;
    if (std::sscanf(bench.spy.text.c_str() + at,
                    "] Heap: %d/294912 bytes free (%d since last), min %d, largest block %d", &free, &since,
                    &lowest, &largest) != 4)
      continue;
    ++seen;
    EXPECT_LE(lowest, free);
    EXPECT_LE(largest, free);
  }
  EXPECT_EQ(seen, 24);
}

TEST(Console, ThreadLinesAddUp) {
  ConsoleBench bench{"leak", kDebug};
  bench.run(3'600);
  std::map<std::string, long> net;
  for (const ThreadEvent& event : thread_events(bench.spy.text)) {
    EXPECT_EQ(event.after - event.before, event.delta);
    net[event.thread] += event.delta;
  }
  EXPECT_EQ(net["MeshPacket"], -324 * 60);
  EXPECT_EQ(net["DeviceTelemetry"] + net["ServerAPI"], 0);
}

TEST(Scenarios, OomStrainsThenDiesThenStartsAgain) {
  ConsoleBench bench{"oom", {.colour = false}};
  bench.run(80 * 60);
  EXPECT_THAT(bench.spy.text, HasSubstr("Failed to allocate zeroed memory"));
  EXPECT_THAT(bench.spy.text, HasSubstr("out of memory"));
  EXPECT_THAT(bench.spy.text, HasSubstr("abort() was called"));
  EXPECT_THAT(bench.spy.text, HasSubstr("rst:0xc (SW_CPU_RESET)"));
  EXPECT_EQ(bench.device.counters().boots, 2U);
}

TEST(Scenarios, RebootLeakDiesAgainAndAgain) {
  Bench bench{"reboot-leak"};
  bench.run(3 * 3'600);
  EXPECT_EQ(bench.device.counters().boots, 6U);
}

TEST(Scenarios, RebootIsClean) {
  ConsoleBench bench{"reboot"};
  bench.run(2 * 3'600 + 10);
  EXPECT_EQ(bench.device.counters().boots, 4U);
  EXPECT_THAT(bench.spy.text, Not(HasSubstr("abort()")));
}

TEST(Scenarios, NakStormHasHundreds) {
  ConsoleBench bench{"nak-storm"};
  bench.run(3'600);
  EXPECT_GT(count_of(bench.spy.text, "Alloc an err=5,to=0x"), 400);
}

TEST(Scenarios, SilentSaysNothingAfterTwentyMinutes) {
  Bench bench{"silent"};
  bench.connect();
  bench.run(800);
  bench.say(heartbeat());
  bench.run(401);
  bench.spy.text.clear();
  bench.say(ask_stats(Bench::kNode, 9));
  bench.run(600);
  EXPECT_EQ(bench.spy.text, "");
  EXPECT_EQ(bench.spy.hang_ups, 0);
}

TEST(Scenarios, NoPollConfirmsButNeverAnswers) {
  Bench bench{"no-poll"};
  bench.connect();
  bench.messages();
  bench.say(ask_stats(Bench::kNode, 9));
  bench.run(10);
  EXPECT_THAT(kinds(bench.messages()), ElementsAre(11));
}

TEST(Scenarios, GarbageLosesNoFrame) {
  Bench clean{"steady"};
  Bench dirty{"garbage"};
  for (Bench* bench : {&clean, &dirty}) {
    bench->connect();
    bench->run(800);
  }
  EXPECT_GT(dirty.spy.text.size(), clean.spy.text.size() + 200);
  EXPECT_THAT(dirty.spy.text, HasSubstr("stray text"));
  EXPECT_EQ(dirty.messages(), clean.messages());
}

TEST(Scenarios, GarbageOnASerialLineLosesNoTextEither) {
  ConsoleBench bench{"garbage", {.colour = false}};
  bench.say(want_config(1));
  bench.spy.text.clear();
  bench.run(60);
  const std::string all = bench.spy.text;
  EXPECT_GE(log_messages(bench).size(), 12U);
  // A frame stands where a line has begun and not ended.
  bool inside = false;
  for (std::size_t at = all.find("\x94\xC3"); at != std::string::npos; at = all.find("\x94\xC3", at + 1)) {
    const std::size_t begun = all.rfind("| ??:??:??", at);
    inside = inside || (begun != std::string::npos && all.find("\r\n", begun) > at);
  }
  EXPECT_TRUE(inside);
}

TEST(Scenarios, TheSameSeedGivesTheSameRun) {
  const auto run_of = [](std::uint64_t seed) {
    ConsoleBench bench{"leak", kDebug, {.seed = seed}};
    bench.run(3'600);
    return bench.spy.text;
  };
  EXPECT_EQ(run_of(3), run_of(3));
  EXPECT_NE(run_of(3), run_of(4));
}

TEST(TestHand, MovesTheHeapForGoodAndDipsItForAWhile) {
  Bench bench{"steady"};
  bench.connect();
  bench.device.set_free(50'000, bench.now);
  bench.device.dip(8'192, 60, bench.now);
  std::vector<double> free;
  for (std::uint32_t id = 1; id <= 4; ++id) {
    bench.say(ask_stats(Bench::kNode, id));
    bench.run(30);
    for (const Telemetry& one : bench.telemetries())
      if (one.request_id == id) free.push_back(static_cast<double>(value_of(one.body, 13)));
  }
  ASSERT_EQ(free.size(), 4U);
  EXPECT_NEAR(free[0], 41'808, 200);
  EXPECT_NEAR(free[3], 50'000, 200);
}

TEST(TestHand, ATextMessageComesAsPacketAndAsLine) {
  ConsoleBench bench{"steady"};
  bench.say(want_config(1));
  bench.spy.text.clear();
  bench.device.hear_text("hello there", bench.now);
  EXPECT_EQ(count_of(bench.spy.text, "hello there"), 2);
  EXPECT_THAT(kinds(bench.messages()), ElementsAre(6, 2));
}

TEST(TestHand, AStalledDeviceSaysNothingMeanwhile) {
  Bench bench{"steady"};
  bench.connect();
  bench.device.stall(std::chrono::seconds{120}, bench.now);
  bench.spy.text.clear();
  bench.run(119);
  EXPECT_EQ(bench.spy.text, "");
  bench.run(60);
  EXPECT_NE(bench.spy.text, "");
}

}  // namespace
}  // namespace leakhunt::sim::test
