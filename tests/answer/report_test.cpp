// The report over records made by hand: its checks, lines, verdict and what it says to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "answer/exit_code.h"
#include "tests/answer/world.h"

namespace leakhunt::answer::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr double kHour = 3600;

std::string next_of(const v1::Report& report) {
  std::string all;
  for (const std::string& line : report.next()) {
    all += line + "\n";
  }
  return all;
}

// Seven hours at 60 s.
void leak_without_lines(World& world) {
  world.boot(0);
  world.samples(60, 7 * kHour, 60, leaking(-82));
}

TEST(Report, FindsAPolledLeakAndSaysHowToFindTheThread) {
  World world;
  leak_without_lines(world);
  const v1::Report r = report(world, 7 * kHour, "6h");
  EXPECT_EQ(r.check(), v1::REPORT_CHECK_OK);
  EXPECT_EQ(r.verdict().class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_EQ(r.verdict().source(), "poll");
  EXPECT_NEAR(r.timeline().slope_per_min(), -82, 0.8);
  EXPECT_LT(r.verdict().trend_per_min().low(), -80);
  EXPECT_EQ(r.samples(), "360 over 6h (cadence ~1m, polled)");
  EXPECT_EQ(r.reboots(), "none in window");
  EXPECT_EQ(r.oom_events(), "none");
  EXPECT_EQ(r.build(), "unknown (this link carries no log lines)");
  EXPECT_EQ(r.recorder(), "running, telem last_ts 1m ago");
  EXPECT_EQ(r.window().field(), "free_heap");
  EXPECT_EQ(r.window().variant(), "local");
  EXPECT_THAT(r.excluded(), HasSubstr("bytes/min cannot be excluded with these data"));
  EXPECT_THAT(r.thread_leaks(), StartsWith("not available"));
  EXPECT_THAT(next_of(r),
              HasSubstr("leakhuntctl release bench1 -- env PLATFORMIO_BUILD_FLAGS=-DDEBUG_HEAP=1 pio run -e "
                        "heltec-v3 -t upload --upload-port /dev/ttyUSB0\n"));
  EXPECT_THAT(next_of(r), HasSubstr("mcp__meshtastic__pio_flash(env=\"heltec-v3\", port=\"/dev/ttyUSB0\", "
                                    "confirm=True)"));
}

TEST(Report, NamesTheJudgedSourceWhereThereAreSeveralManners) {
  World world;
  leak_without_lines(world);
  world.samples(90, 7 * kHour, 900, leaking(-82), recorder::Source::stats);
  const v1::Report r = report(world, 7 * kHour, "6h");
  EXPECT_EQ(r.verdict().source(), "poll");
  EXPECT_THAT(r.samples(), ::testing::EndsWith("; 24 unasked LocalStats); judged: poll"));
}

TEST(Report, ReplaysTheLooksToConfirmALongLeak) {
  World world;
  leak_without_lines(world);
  EXPECT_EQ(report(world, 7 * kHour, "5h").verdict().state(), v1::VERDICT_STATE_CONFIRMED);
}

TEST(Report, UsesTheReserveOfTheChipUnlessOneIsAsked) {
  World world;
  leak_without_lines(world);
  EXPECT_DOUBLE_EQ(report(world, 7 * kHour, "6h").verdict().reserve_bytes(), 15'000);
  v1::Question question = report_question("6h");
  question.mutable_report()->set_reserve_bytes(0);
  const auto reply = world.ask(question, 7 * kHour);
  ASSERT_TRUE(reply);
  EXPECT_DOUBLE_EQ(reply->answer.report().verdict().reserve_bytes(), 0);
}

TEST(Report, NeverGuessesEnvironmentOrPort) {
  World world;
  world.live.mutable_devices(0)->mutable_links(0)->set_address("tcp:10.0.0.2:4403");
  world.boot(0, recorder::BootCause::unknown, false, "evil; rm -rf /");
  world.samples(60, 7 * kHour, 60, leaking(-82));
  const std::string next = next_of(report(world, 7 * kHour, "6h"));
  EXPECT_THAT(next, HasSubstr("pio run -e ENV -t upload --upload-port PORT\n"));
  EXPECT_EQ(next.find("rm -rf"), std::string::npos);
}

void leak_with_threads(World& world) {
  world.boot(0, recorder::BootCause::unknown, true);
  world.samples(60, 7 * kHour, 60, leaking(-82));
  for (int i = 0; i < 40; ++i) {
    const double s = kHour + 500.0 * i;
    world.thread_event(s, "MeshPacket", 100'000, 99'400);
    if (i % 10 == 0) {
      world.thread_event(s + 5, "Router", 100'000, 99'000);
    }
  }
}

TEST(Report, NamesTheThreadAndWhereToLook) {
  World world;
  leak_with_threads(world);
  const v1::Report r = report(world, 7 * kHour, "6h");
  ASSERT_EQ(r.verdict().class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  ASSERT_GE(r.verdict().suspects_size(), 2);
  EXPECT_EQ(r.verdict().suspects(0).thread(), "MeshPacket");
  EXPECT_TRUE(r.verdict().suspects(0).primary());
  EXPECT_EQ(r.verdict().suspects(0).net_bytes(), -24'000);
  EXPECT_FALSE(r.verdict().suspects(0).few_large());
  EXPECT_EQ(r.verdict().suspects(1).thread(), "Router");
  EXPECT_FALSE(r.verdict().suspects(1).primary());
  EXPECT_GT(r.verdict().lost_bytes(), 0);
  EXPECT_THAT(r.build(), StartsWith("DEBUG_HEAP=ON"));
  EXPECT_THAT(next_of(r), HasSubstr(R"(grep -rnE '(Thread|ThreadName|Module)\("MeshPacket"' src/)"));
  ASSERT_EQ(r.evidence_size(), 3);
  EXPECT_THAT(r.evidence(0).text(), HasSubstr("Thread MeshPacket leaked heap"));
  EXPECT_TRUE(r.evidence(0).has_uptime_s());
}

TEST(Report, KeepsAThreadsNameHarmlessInACommand) {
  World world;
  world.boot(0, recorder::BootCause::unknown, true);
  world.samples(60, 7 * kHour, 60, leaking(-82));
  for (int i = 0; i < 30; ++i) {
    world.thread_event(kHour + 600.0 * i, "x'; reboot #", 100'000, 99'000);
  }
  const std::string next = next_of(report(world, 7 * kHour, "6h"));
  EXPECT_THAT(next, HasSubstr(R"(\("x.. reboot ."' src/)"));
}

TEST(Report, IsSteadyWhereNothingIsLost) {
  World world;
  world.boot(0);
  world.samples(60, 7 * kHour, 60, leaking(0));
  const v1::Report r = report(world, 7 * kHour, "6h");
  EXPECT_EQ(r.verdict().class_(), v1::VERDICT_CLASS_STEADY);
  EXPECT_EQ(r.verdict().published().class_(), v1::VERDICT_CLASS_STEADY);
  ASSERT_EQ(r.next_size(), 1);
  EXPECT_THAT(r.next(0), StartsWith("nothing: the level is steady; leaks below"));
}

TEST(Report, NeverTakesARoutingNakForExhaustion) {
  World world;
  world.boot(0);
  world.samples(60, 7 * kHour, 60, leaking(0));
  for (int i = 0; i < 200; ++i) {
    world.line(2 * kHour + 60.0 * i, "Alloc an err=5,to=0x11223344,idFrom=0x1,id=0x2");
  }
  const v1::Report ours = report(world, 7 * kHour, "6h");
  EXPECT_EQ(ours.verdict().class_(), v1::VERDICT_CLASS_STEADY);
  EXPECT_EQ(ours.error_lines_size(), 0);
  EXPECT_EQ(ours.verdict().published().class_(), v1::VERDICT_CLASS_OOM_IMMINENT);
  EXPECT_THAT(ours.published_why(), HasSubstr("routing NAKs"));
  const v1::Report published = report(world, 7 * kHour, "6h", v1::RULES_PUBLISHED);
  EXPECT_EQ(published.verdict().class_(), v1::VERDICT_CLASS_OOM_IMMINENT);
  EXPECT_EQ(published.verdict().rules(), v1::RULES_PUBLISHED);
}

TEST(Report, GroupsErrorLinesByTextWithTheirOffsets) {
  World world;
  world.boot(0);
  world.samples(60, 7 * kHour, 60, leaking(0));
  for (const double s : {kHour + 600, kHour + 1200, kHour + 1800}) {
    world.line(s, "Alloc an err=ESP_ERR_NO_MEM", "ERROR", "Router", "allocation_failure");
  }
  world.line(kHour + 2400, "Failed to allocate zeroed memory", "ERROR", "Router", "allocation_failure");
  const v1::Report r = report(world, 7 * kHour, "6h");
  ASSERT_EQ(r.error_lines_size(), 2);
  EXPECT_EQ(r.error_lines(0).text(), "Alloc an err=ESP_ERR_NO_MEM");
  EXPECT_EQ(r.error_lines(0).kind(), "allocation_failure");
  EXPECT_EQ(r.error_lines(0).count(), 3);
  ASSERT_EQ(r.error_lines(0).offsets_s_size(), 3);
  EXPECT_DOUBLE_EQ(r.error_lines(0).offsets_s(1), 1200);
}

TEST(Report, PutsOutOfMemoryFirst) {
  World world;
  world.boot(0);
  world.samples(60, 7 * kHour, 60, leaking(0));
  world.line(7 * kHour - 300, "out of memory", "CRIT", "Router", "out_of_memory");
  const v1::Report r = report(world, 7 * kHour, "6h");
  EXPECT_EQ(r.verdict().class_(), v1::VERDICT_CLASS_OOM_IMMINENT);
  EXPECT_TRUE(r.verdict().urgent());
  EXPECT_EQ(r.oom_events(), "1 at +5h55m");
  EXPECT_THAT(next_of(r), StartsWith("act now"));
  EXPECT_EQ(r.evidence(0).text(), "out of memory");
}

TEST(Report, TellsARebootAndTheLongestWindowWithinOneBoot) {
  World world;
  world.boot(0);
  world.samples(60, 3 * kHour, 60, leaking(-82));
  world.boot(3 * kHour, recorder::BootCause::watchdog);
  world.samples(60, 2 * kHour, 60, leaking(-82));
  const v1::Report r = report(world, 2 * kHour, "6h");
  EXPECT_EQ(r.verdict().class_(), v1::VERDICT_CLASS_REBOOT_MID_WINDOW);
  EXPECT_EQ(r.verdict().underlying(), v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_EQ(r.reboots(), "2 in window: +1h (cause unknown), +4h (watchdog)");
  ASSERT_EQ(r.verdict().boots_size(), 2);
  EXPECT_EQ(r.verdict().boots(1).cause(), "watchdog");
  EXPECT_EQ(r.verdict().boots(1).signs(), "rebooted");
  EXPECT_EQ(r.verdict().boots(1).firmware_version(), "2.7.9");
  EXPECT_THAT(next_of(r), HasSubstr("leakhuntctl report window=1764500060..1764510740"));
  EXPECT_NEAR(r.timeline().slope_per_min(), -82, 1.5);
  EXPECT_GT(r.timeline().slope_per_min_raw(), -60);
}

TEST(Report, ChoosesTheShortestWindowThatHoldsEnoughSamples) {
  World world;
  world.boot(0);
  world.samples(60, 7 * kHour, 60, leaking(0));
  EXPECT_EQ(report(world, 7 * kHour, "").window().asked(), "1h (default)");
  World sparse;
  sparse.boot(0);
  sparse.samples(60, 8 * kHour, 900, leaking(0));
  const v1::Report r = report(sparse, 8 * kHour, "");
  EXPECT_EQ(r.window().asked(), "6h (default)");
  EXPECT_DOUBLE_EQ(r.window().end() - r.window().start(), 6 * kHour);
}

TEST(Report, SaysHowMuchLongerItNeeds) {
  World world;
  world.boot(0);
  world.samples(60, 240, 60, leaking(0));
  const v1::Report r = report(world, 240, "1h");
  EXPECT_EQ(r.verdict().class_(), v1::VERDICT_CLASS_INSUFFICIENT_DATA);
  EXPECT_THAT(next_of(r), HasSubstr("3 samples, one each ~1m, over 1h"));
  EXPECT_THAT(next_of(r), HasSubstr("needed: at least 5"));
}

TEST(Report, SaysWhenTheRecorderDoesNotRun) {
  World world;
  leak_without_lines(world);
  world.live.set_running(false);
  const v1::Report r = report(world, 7 * kHour, "6h");
  EXPECT_EQ(r.check(), v1::REPORT_CHECK_NOT_RUNNING);
  EXPECT_THAT(r.check_text(), HasSubstr("leakhuntd"));
  EXPECT_FALSE(r.has_verdict());
}

TEST(Report, WaitsForTheFirstTelemetry) {
  World world;
  world.boot(0);
  const v1::Report serial = report(world, 30, "1h");
  EXPECT_EQ(serial.check(), v1::REPORT_CHECK_NO_TELEMETRY);
  EXPECT_THAT(serial.check_text(), HasSubstr("60 s when polled, 15 min when not"));
  EXPECT_THAT(serial.check_text(), HasSubstr("leakhuntctl debug-log on"));
  world.live.mutable_devices(0)->mutable_links(0)->set_address("tcp:10.0.0.2:4403");
  EXPECT_EQ(report(world, 30, "1h").check_text().find("debug-log"), std::string::npos);
}

TEST(Report, AListeningLinkIsToldWhatItCanWaitFor) {
  World world;
  world.boot(0);
  world.live.mutable_devices(0)->mutable_links(0)->set_mode("listen");
  const v1::Report r = report(world, 30, "1h");
  EXPECT_EQ(r.check(), v1::REPORT_CHECK_NO_TELEMETRY);
  EXPECT_THAT(r.check_text(), HasSubstr("is the device on and its serial console enabled?"));
  EXPECT_EQ(r.check_text().find("polled"), std::string::npos);
}

TEST(Report, TellsADeviceWithoutHeapApart) {
  World world;
  world.boot(0);
  world.telemetry(60, recorder::Variant::local, "num_packets_rx", 5);
  world.telemetry(120, recorder::Variant::local, "num_packets_rx", 6);
  const v1::Report r = report(world, 130, "1h");
  EXPECT_EQ(r.check(), v1::REPORT_CHECK_NO_HEAP);
  EXPECT_THAT(r.check_text(), HasSubstr("stock meshtasticd"));
}

TEST(Report, CallsADeviceSilentAndStillShowsItsAlarms) {
  World world;
  leak_without_lines(world);
  world.line(7 * kHour - 100, "out of memory", "CRIT", "Router", "out_of_memory");
  const v1::Report r = report(world, 7 * kHour + 600, "6h");
  EXPECT_EQ(r.check(), v1::REPORT_CHECK_SILENT);
  EXPECT_NEAR(r.silent_s(), 660, 41);
  EXPECT_THAT(r.check_text(), StartsWith("device silent for 11m"));
  EXPECT_FALSE(r.has_verdict());
  ASSERT_EQ(r.error_lines_size(), 1);
  EXPECT_EQ(r.error_lines(0).kind(), "out_of_memory");
}

TEST(Report, IsSilentWhenOnlyTheHeapStopsComing) {
  World world;
  leak_without_lines(world);
  world.line(7 * kHour + 590, "still here");
  const v1::Report r = report(world, 7 * kHour + 600, "6h");
  EXPECT_EQ(r.check(), v1::REPORT_CHECK_SILENT);
  EXPECT_THAT(r.check_text(), HasSubstr("though other records come"));
}

TEST(Report, IsSilentWhenTheWindowHoldsNoHeapAtAll) {
  World world;
  leak_without_lines(world);
  world.line(9 * kHour - 10, "still here");
  const v1::Report r = report(world, 9 * kHour, "1h");
  EXPECT_EQ(r.check(), v1::REPORT_CHECK_SILENT);
  EXPECT_NEAR(r.silent_s(), 2 * kHour + 60, 1);
}

TEST(Report, WaitsThreeOfTheCadenceSeenBeforeItSaysSilent) {
  World world;
  world.boot(0);
  world.samples(900, 6 * kHour, 900, leaking(0));
  world.line(6 * kHour + 1000, "still here");
  EXPECT_EQ(report(world, 6 * kHour + 1010, "6h").check(), v1::REPORT_CHECK_OK);
}

TEST(Report, SaysWhyTheLinkIsNotUp) {
  World world;
  leak_without_lines(world);
  v1::LinkStatus& link = *world.live.mutable_devices(0)->mutable_links(0);
  link.set_state("waiting");
  link.set_trouble("connection refused");
  EXPECT_EQ(report(world, 7 * kHour, "6h").recorder(),
            "running (link waiting: connection refused), telem last_ts 1m ago");
}

TEST(Report, TellsTheBuildByItsLines) {
  World prefixed;
  prefixed.boot(0, recorder::BootCause::unknown, true);
  prefixed.samples(60, 2 * kHour, 60, leaking(0));
  prefixed.heap_prefix_line(kHour + 60, 120'000, "tick");
  EXPECT_EQ(report(prefixed, 2 * kHour, "1h").build(), "DEBUG_HEAP=ON (per-line prefix detected)");
  World api;
  api.boot(0, recorder::BootCause::unknown, true);
  api.samples(60, 2 * kHour, 60, leaking(0));
  api.thread_event(kHour + 60, "Router", 120'000, 119'000);
  EXPECT_EQ(report(api, 2 * kHour, "1h").build(), "DEBUG_HEAP=ON (heap lines)");
  World plain;
  plain.boot(0);
  plain.samples(60, 2 * kHour, 60, leaking(0));
  plain.line(kHour + 60, "tick");
  EXPECT_EQ(report(plain, 2 * kHour, "1h").build(), "DEBUG_HEAP=OFF (no per-line prefix)");
}

TEST(Report, SpreadsItsEvidenceOverTheWindow) {
  World world;
  world.boot(0);
  world.samples(60, 7 * kHour, 60, leaking(0));
  for (int i = 0; i < 60; ++i) {
    world.heap_prefix_line(kHour + 300.0 * i, 120'000, "tick");
  }
  const v1::Report r = report(world, 7 * kHour, "6h");
  EXPECT_EQ(r.verdict().class_(), v1::VERDICT_CLASS_STEADY);
  ASSERT_EQ(r.evidence_size(), 3);
  EXPECT_DOUBLE_EQ(r.evidence(0).uptime_s(), kHour);
  EXPECT_DOUBLE_EQ(r.evidence(1).uptime_s(), 4 * kHour);
  EXPECT_DOUBLE_EQ(r.evidence(2).uptime_s(), kHour + 300 * 59);
}

TEST(Report, IsNotSilentInAWindowThatEndsBeforeNow) {
  World world;
  leak_without_lines(world);
  v1::Question question;
  question.mutable_report()->mutable_window()->set_window("-6h..-2h");
  const auto reply = world.ask(question, 8 * kHour);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->answer.report().check(), v1::REPORT_CHECK_OK);
}

TEST(Report, IsNotSilentWhenReleasedOrPaused) {
  World world;
  leak_without_lines(world);
  world.live.mutable_devices(0)->mutable_links(0)->set_state("released");
  const v1::Report released = report(world, 7 * kHour + 600, "6h");
  EXPECT_EQ(released.check(), v1::REPORT_CHECK_RELEASED);
  EXPECT_TRUE(released.has_verdict());
  world.live.set_paused(true);
  EXPECT_EQ(report(world, 7 * kHour + 600, "6h").check(), v1::REPORT_CHECK_PAUSED);
}

TEST(Report, SaysThatADeviceIsReleasedBeforeItIsSilent) {
  World world;
  leak_without_lines(world);
  const double now = 7 * kHour + 5;
  v1::DeviceStatus& device = *world.live.mutable_devices(0);
  device.set_released_since(seconds(world.utc(now - 120)));
  device.set_released_until(seconds(world.utc(now + 780)));
  const v1::Report released = report(world, now, "6h");
  EXPECT_EQ(released.check(), v1::REPORT_CHECK_RELEASED);
  EXPECT_EQ(released.check_text(),
            "bench1 is released to another program for 2m now, taken back in 13m; what was recorded before "
            "is judged");
  EXPECT_TRUE(released.has_verdict());
  world.live.set_paused(true);
  world.live.set_paused_since(seconds(world.utc(now - 60)));
  EXPECT_EQ(report(world, now, "6h").check_text(),
            "the recorder is paused for 1m now; what was recorded before is judged");
}

TEST(Report, DoesNotCallTheDeviceSilentWhileTheStoreTakesNothing) {
  World world;
  leak_without_lines(world);
  world.live.mutable_store()->set_state("cannot write: disk is full");
  world.live.mutable_store()->set_trouble_since(seconds(world.utc(7 * kHour)));
  const v1::Report r = report(world, 7 * kHour + 600, "6h");
  EXPECT_EQ(r.check(), v1::REPORT_CHECK_PAUSED);
  EXPECT_THAT(r.check_text(), HasSubstr("the store takes nothing for 10m: cannot write: disk is full"));
}

TEST(Report, TakesTheNewestRecordForNowOffline) {
  World world;
  leak_without_lines(world);
  const auto reply = world.ask_offline(report_question("6h"));
  ASSERT_TRUE(reply) << reply.error().line();
  const v1::Report& r = reply->answer.report();
  EXPECT_EQ(r.check(), v1::REPORT_CHECK_OK);
  EXPECT_EQ(r.verdict().class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_EQ(r.now_note(), "the newest record of bench1 stands for now");
  EXPECT_TRUE(r.offline());
  EXPECT_THAT(r.recorder(), ::testing::EndsWith("telem last_ts 2025-11-30 17:52:20 UTC"));
  EXPECT_EQ(r.timeline().samples(), 360);
}

TEST(Report, FramesAnExperimentByItsMarks) {
  World world;
  world.boot(0);
  world.samples(60, 2 * kHour, 60, [](double s) {
    const bool in_burst = s >= kHour && s < kHour + 660;
    return in_burst ? 112'000 : 120'000 + std::lround(20 * std::sin(s));
  });
  world.event(kHour - 30, "mark", "burst-start");
  world.event(kHour + 600, "mark", "burst-end");
  world.event(kHour + 700, "mark", "lonely-end");
  const v1::Report r = report(world, 2 * kHour, "2h");
  EXPECT_EQ(r.marks_size(), 3);
  ASSERT_EQ(r.experiments_size(), 1);
  const v1::Experiment& experiment = r.experiments(0);
  EXPECT_EQ(experiment.label(), "burst");
  EXPECT_NEAR(experiment.level_before_bytes(), 120'000, 30);
  EXPECT_DOUBLE_EQ(experiment.lowest_bytes(), 112'000);
  EXPECT_THAT(experiment.sentence(), HasSubstr("free_heap dipped"));
  EXPECT_THAT(experiment.sentence(), HasSubstr("not a leak"));
}

TEST(Report, JudgesAnExperimentByTheReadingsJustBeforeItWhateverTheWindow) {
  World world;
  world.boot(0);
  world.samples(60, 8 * kHour, 60,
                [](double s) { return (s < 2 * kHour ? 160'000 : 120'000) + std::lround(20 * std::sin(s)); });
  world.event(7 * kHour - 30, "mark", "still-start");
  world.event(7 * kHour + 600, "mark", "still-end");
  world.write();
  const v1::Report all = report(world, 8 * kHour, "all");
  const v1::Report brief = report(world, 8 * kHour, "62m");
  ASSERT_EQ(all.experiments_size(), 1);
  ASSERT_EQ(brief.experiments_size(), 1);
  EXPECT_NEAR(all.experiments(0).level_before_bytes(), 120'000, 30);
  EXPECT_EQ(all.experiments(0).sentence(), brief.experiments(0).sentence());
  EXPECT_EQ(all.experiments(0).level_before_bytes(), brief.experiments(0).level_before_bytes());
  EXPECT_THAT(all.experiments(0).sentence(), HasSubstr("did not move beyond its noise"));
  EXPECT_EQ(all.experiments(0).sentence().find("recovered"), std::string::npos);
}

TEST(Report, SaysAtOnceThatMemoryIsGoneThoughReadingsAreZero) {
  World world;
  world.boot(0);
  world.samples(60, 3 * kHour, 60, [](double) { return 0; });
  const v1::Report r = report(world, 3 * kHour, "1h");
  EXPECT_EQ(r.verdict().class_(), v1::VERDICT_CLASS_OOM_IMMINENT);
  EXPECT_TRUE(r.verdict().urgent());
  EXPECT_DOUBLE_EQ(r.verdict().level_bytes(), 0);
}

TEST(Report, LeadsWithAnOomLineByThePublishedRulesHoweverFewTheSamples) {
  World world;
  world.boot(0);
  world.samples(60, 240, 60, leaking(0));
  world.line(200, "Alloc an err=5,to=0x1");
  const v1::Report r = report(world, 240, "1h", v1::RULES_PUBLISHED);
  EXPECT_EQ(r.verdict().class_(), v1::VERDICT_CLASS_INSUFFICIENT_DATA);
  EXPECT_TRUE(r.verdict().urgent());
  EXPECT_THAT(r.oom_events(), StartsWith("1 at "));
  ASSERT_GT(r.verdict().findings_size(), 0);
  EXPECT_THAT(r.verdict().findings(0).text(), HasSubstr("Alloc an err=5"));
  EXPECT_THAT(next_of(r), StartsWith("act now"));
}

TEST(Report, ArguesAgainstThePublishedRuleForTheClassItGave) {
  World world;
  world.boot(0);
  world.samples(60, 2 * kHour, 60, [](double s) { return std::lround(60'000 - s / 60 * 320); });
  const v1::Report r = report(world, 2 * kHour, "2h");
  ASSERT_EQ(r.verdict().class_(), v1::VERDICT_CLASS_OOM_IMMINENT);
  ASSERT_EQ(r.verdict().published().class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_THAT(r.published_why(), HasSubstr("less than 40 min are left"));
}

TEST(Report, HasNoCadenceOfReadingsThatShareATime) {
  World world;
  world.boot(0);
  for (int i = 0; i < 6; ++i) world.sample(60, 120'000 - i);
  EXPECT_EQ(report(world, 100, "1h").samples().find("cadence"), std::string::npos);
}

TEST(Report, HasOtherWordsForOtherFields) {
  World world;
  world.boot(0);
  for (int i = 0; i < 360; ++i) {
    world.telemetry(60.0 * i, recorder::Variant::device, "battery_level", 100 - i * 0.1);
  }
  v1::Question question = report_question("6h");
  question.mutable_report()->set_field("battery_level");
  const auto reply = world.ask(question, 6 * kHour);
  ASSERT_TRUE(reply) << reply.error().line();
  const v1::Report& r = reply->answer.report();
  EXPECT_EQ(r.window().variant(), "device");
  EXPECT_EQ(r.window().field(), "battery_level");
  EXPECT_EQ(r.verdict().word(), "slow decline");
  EXPECT_TRUE(r.verdict().has_minutes_to_zero());
  EXPECT_THAT(r.excluded(), StartsWith("trends outside -"));
  EXPECT_EQ(r.samples().find("LocalStats"), std::string::npos);
  EXPECT_EQ(r.next_size(), 0);
}

TEST(ExitCode, FollowsWhatWasAnswered) {
  v1::Answer answer;
  v1::Report& report = *answer.mutable_report();
  EXPECT_EQ(exit_code(answer, {}), 4);
  report.mutable_timeline()->set_samples(10);
  report.mutable_verdict()->set_class_(v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_EQ(exit_code(answer, {}), 0);
  EXPECT_EQ(exit_code(answer, {v1::VERDICT_CLASS_OOM_IMMINENT}), 0);
  EXPECT_EQ(exit_code(answer, {v1::VERDICT_CLASS_SLOW_LEAK}), 11);
  report.mutable_verdict()->set_class_(v1::VERDICT_CLASS_REBOOT_MID_WINDOW);
  report.mutable_verdict()->set_underlying(v1::VERDICT_CLASS_OOM_IMMINENT);
  EXPECT_EQ(exit_code(answer, {v1::VERDICT_CLASS_OOM_IMMINENT, v1::VERDICT_CLASS_REBOOT_MID_WINDOW}), 10);
}

TEST(ExitCode, TellsAPartialAnswer) {
  v1::Answer answer;
  answer.mutable_classify()->add_files();
  EXPECT_EQ(exit_code(answer, {}), 4) << "no reading in any file";
  answer.mutable_classify()->add_files()->mutable_error()->set_what("gone");
  EXPECT_EQ(exit_code(answer, {}), 5);
}

}  // namespace
}  // namespace leakhunt::answer::testing
