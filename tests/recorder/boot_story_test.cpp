// Boots and the device's time, told as stories: one per rule of docs/architecture.md's time. No timing, no
// sleeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recorder/boot_cause.h"
#include "tests/recorder/story.h"

namespace leakhunt::recorder::testing {
namespace {

using ::testing::SizeIs;

constexpr Duration kTolerance = milliseconds{500};

void expect_near(Duration a, Duration b, Duration by = kTolerance) {
  EXPECT_LE(std::chrono::abs(a - b), by) << a.count() << " us, not " << b.count();
}

const BootRow& last_boot(const Story& story) {
  return story.stored.boots.rbegin()->second;
}

// A device that has been up for 5000 s when first met.
Story met() {
  Story story;
  story.connect(7);
  story.poll(5000);
  return story;
}

TEST(BootStory, TheFirstUptimePlacesWhatCameBeforeIt) {
  Story story;
  story.open();
  story.record(proto::LogRecord{.line = alarm_line(proto::AlarmKind::low_heap), .time = 0});
  story.pass(seconds{40});
  story.handshake(7);
  story.poll(5000);

  EXPECT_THAT(story.stored.boots, SizeIs(1));
  EXPECT_THAT(story.stored.events_of("boot"), SizeIs(0));
  expect_near(story.stored.samples.at(0).at.t, seconds{5000});
  expect_near(story.stored.logs.at(0).at.t, seconds{4960});
  ASSERT_THAT(story.stored.anchors, SizeIs(1));
  EXPECT_EQ(story.stored.anchors[0].host_boot, "host-boot-1");
  expect_near(*story.stored.utc(story.stored.samples[0].at) - story.now.utc, Duration{0});
}

TEST(BootStory, AnUptimeOfZeroFixesNothing) {
  Story story;
  story.connect(7);
  story.poll(0);
  EXPECT_FALSE(story.recorder->live().boot_start_known);
  story.pass(seconds{60});
  story.poll(61);
  EXPECT_TRUE(story.recorder->live().boot_start_known);
  EXPECT_THAT(story.stored.boots, SizeIs(1));
}

TEST(BootStory, RebootedFrameBeginsABootThere) {
  Story story = met();
  story.pass(seconds{100});
  story.record(proto::Rebooted{});
  story.pass(seconds{3});
  story.handshake(8);
  story.poll(0);

  EXPECT_THAT(story.stored.boots, SizeIs(2));
  EXPECT_EQ(last_boot(story).signs, "rebooted reboot_count");
  EXPECT_EQ(last_boot(story).reboot_count, 8U);
  EXPECT_TRUE(last_boot(story).start_seen);
  expect_near(story.stored.samples.back().at.t, seconds{3});
  ASSERT_THAT(story.stored.events_of("boot"), SizeIs(1));
}

TEST(BootStory, ChangedRebootCountMovesTheRowsOfTheConnection) {
  Story story = met();
  story.pass(seconds{100});
  story.lose();
  story.pass(seconds{300});
  story.open();
  story.record(proto::LogRecord{.line = alarm_line(proto::AlarmKind::low_heap), .time = 0});
  story.pass(seconds{1});
  story.handshake(8);
  story.poll(200);

  ASSERT_THAT(story.stored.boots, SizeIs(2));
  EXPECT_EQ(story.stored.logs[0].at.boot, last_boot(story).id);
  expect_near(story.stored.logs[0].at.t, seconds{199});
  expect_near(story.stored.samples.back().at.t, seconds{200});
  EXPECT_FALSE(last_boot(story).start_seen);
  expect_near(*story.stored.utc(story.stored.samples.back().at) - story.now.utc, Duration{0});
}

TEST(BootStory, TheSameCountIsNoBoot) {
  Story story = met();
  story.lose();
  story.pass(hours{2});
  story.connect(7);
  story.poll(5000 + 7200);
  EXPECT_THAT(story.stored.boots, SizeIs(1));
}

TEST(BootStory, ALostLinkIsNoReboot) {
  Story story = met();
  for (int i = 0; i < 50; ++i) {
    story.pass(seconds{20});
    story.lose();
    story.pass(seconds{20});
    story.connect(7);
  }
  EXPECT_THAT(story.stored.boots, SizeIs(1));
  EXPECT_THAT(story.stored.events_of("connection_lost"), SizeIs(50));
}

TEST(BootStory, SignsOfDifferentKindsWithinAMinuteAreOneBoot) {
  Story story = met();
  story.open(1, LinkKind::listen);
  story.text(5000, 1);
  story.pass(seconds{10});
  story.line(boot_line(proto::BootSign::rom_reset), 1);
  story.pass(seconds{1});
  story.line(boot_line(proto::BootSign::banner), 1);
  story.text(0, 1);
  story.line(boot_line(proto::BootSign::wake_cause), 1);
  story.record(proto::Rebooted{});
  story.pass(seconds{50});
  story.handshake(8);

  EXPECT_THAT(story.stored.boots, SizeIs(2));
  EXPECT_EQ(last_boot(story).signs, "rom_reset banner text_uptime wake_cause rebooted reboot_count");
}

TEST(BootStory, ACountLearntLateIsNotASecondBoot) {
  Story story = met();
  story.pass(seconds{10});
  story.record(proto::Rebooted{});
  story.pass(minutes{10});
  story.handshake(8);
  story.poll(600);
  EXPECT_THAT(story.stored.boots, SizeIs(2));
}

TEST(BootStory, ABootSeenRightAfterAnEarlierOneWasToldIsTheNext) {
  Story story = met();
  story.lose();
  story.pass(hours{1});
  story.connect(7);
  story.poll(600);
  story.pass(seconds{20});
  story.record(proto::Rebooted{});
  EXPECT_THAT(story.stored.boots, SizeIs(3));
}

TEST(BootStory, ADeviceFirstMetBootingHasOneBoot) {
  for (const bool frame : {false, true}) {
    Story story;
    story.open(0, LinkKind::serial);
    story.pass(seconds{1});
    if (frame) {
      story.record(proto::Rebooted{});
    } else {
      story.line(boot_line(proto::BootSign::rom_reset));
      proto::LogLine wake = boot_line(proto::BootSign::wake_cause);
      wake.uptime = seconds{2};
      story.line(wake);
    }
    ASSERT_THAT(story.stored.boots, SizeIs(1));
    EXPECT_TRUE(last_boot(story).start_seen);
    EXPECT_EQ(last_boot(story).cause, BootCause::opened_by_recorder);
  }
}

// Of the first restart the words of the ROM were lost: those of the second come to a boot that lacks them.
TEST(BootStory, TheRomOfTheNextRestartDoesNotJoinABootWhoseFirmwareSpoke) {
  Story story;
  story.open(0, LinkKind::listen);
  story.text(5000);
  story.pass(seconds{10});
  story.record(proto::Rebooted{});
  story.line(boot_line(proto::BootSign::banner));
  story.text(1);
  story.pass(seconds{4});
  story.line(alarm_line(proto::AlarmKind::out_of_memory));
  story.line(boot_line(proto::BootSign::rom_banner));
  story.line(boot_line(proto::BootSign::rom_reset, proto::ResetCause::software));
  story.record(proto::Rebooted{});
  story.line(boot_line(proto::BootSign::banner));

  ASSERT_THAT(story.stored.boots, SizeIs(3));
  const BootRow& first = story.stored.boots.at(story.stored.boot_order[1]);
  EXPECT_EQ(first.signs, "rebooted banner text_uptime");
  EXPECT_EQ(first.cause, BootCause::unknown);
  EXPECT_EQ(last_boot(story).signs, "rom_banner rom_reset rebooted banner");
  EXPECT_EQ(last_boot(story).cause, BootCause::out_of_memory);
}

TEST(BootStory, ARomBannerAfterTheRomsResetIsTheNextRestart) {
  Story story = met();
  story.open(1, LinkKind::listen);
  story.line(boot_line(proto::BootSign::rom_reset), 1);
  story.pass(seconds{4});
  story.line(boot_line(proto::BootSign::rom_banner), 1);
  story.line(boot_line(proto::BootSign::rom_reset), 1);
  EXPECT_THAT(story.stored.boots, SizeIs(3));
  EXPECT_EQ(last_boot(story).signs, "rom_banner rom_reset");
}

TEST(BootStory, ADeviceFirstMetYoungCanRestartAtOnce) {
  Story story;
  story.open(0, LinkKind::listen);
  story.text(2);
  story.pass(seconds{3});
  story.line(alarm_line(proto::AlarmKind::panic));
  story.line(boot_line(proto::BootSign::rom_reset, proto::ResetCause::software));
  ASSERT_THAT(story.stored.boots, SizeIs(2));
  EXPECT_EQ(last_boot(story).cause, BootCause::panic);
}

TEST(BootStory, LinksMayTellOfOneBootInAnyOrder) {
  Story story = met();
  story.open(1, LinkKind::listen);
  story.pass(seconds{10});
  story.record(proto::Rebooted{});
  story.line(boot_line(proto::BootSign::rom_reset), 1);
  EXPECT_THAT(story.stored.boots, SizeIs(2));
  EXPECT_EQ(last_boot(story).signs, "rebooted rom_reset");
}

TEST(BootStory, WhatABootSaidItselfDoesNotExplainIt) {
  Story story = met();
  story.open(1, LinkKind::listen);
  story.pass(seconds{10});
  story.record(proto::Rebooted{});
  story.pass(seconds{5});
  story.line(alarm_line(proto::AlarmKind::out_of_memory), 1);
  story.line(boot_line(proto::BootSign::wake_cause), 1);
  ASSERT_THAT(story.stored.boots, SizeIs(2));
  EXPECT_EQ(last_boot(story).cause, BootCause::unknown);

  story.pass(seconds{5});
  story.record(proto::Rebooted{});
  EXPECT_EQ(last_boot(story).cause, BootCause::out_of_memory);
}

TEST(BootStory, ABootLoopIsManyBoots) {
  Story story = met();
  story.open(1, LinkKind::listen);
  for (int i = 0; i < 20; ++i) {
    story.pass(seconds{4});
    story.line(boot_line(proto::BootSign::rom_reset), 1);
    story.line(boot_line(proto::BootSign::banner), 1);
    story.text(1, 1);
  }
  EXPECT_THAT(story.stored.boots, SizeIs(21));
}

TEST(BootStory, TextUptimeGoingBackIsABootBeyondFiveSeconds) {
  for (const auto& [back, boots] : std::map<int, std::size_t>{{1, 1}, {5, 1}, {6, 2}, {5000, 2}}) {
    Story story;
    story.open(0, LinkKind::listen);
    story.text(5000);
    story.pass(seconds{1});
    story.text(5000 - back);
    EXPECT_THAT(story.stored.boots, SizeIs(boots)) << "back by " << back;
  }
}

TEST(BootStory, TextUptimeNeedNotGoBackAfterALongSilence) {
  Story story;
  story.open(0, LinkKind::listen);
  story.text(150);
  story.pass(seconds{700});
  story.text(454);
  EXPECT_THAT(story.stored.boots, SizeIs(2));
}

TEST(BootStory, LinesThatWaitedInABufferAreNoBoot) {
  Story story;
  story.open(0, LinkKind::listen);
  story.text(5000);
  story.pass(seconds{700});  // the recorder was stopped meanwhile
  story.text(5001);
  story.text(5650);
  story.text(5700);
  EXPECT_THAT(story.stored.boots, SizeIs(1));
}

TEST(BootStory, UptimesThatCannotBeMoveNothing) {
  Story story = met();
  story.open(1, LinkKind::listen);
  story.text(5000, 1);
  for (const std::int64_t uptime_s : {std::int64_t{9'000'000'000'000}, std::int64_t{4'294'968}}) {
    story.pass(seconds{1});
    story.text(uptime_s, 1);
  }
  story.telemetry({.uptime_s = 4'294'967'295, .free_bytes = 1});
  story.pass(seconds{1});
  story.text(5003, 1);
  EXPECT_THAT(story.stored.boots, SizeIs(1));
  EXPECT_THAT(story.stored.anchors, SizeIs(1));
}

TEST(BootStory, UptimesOfTwoLinksAreNotComparedWithEachOther) {
  Story story;
  story.open(0, LinkKind::listen);
  story.open(1, LinkKind::listen);
  story.text(5000, 0);
  story.text(4990, 1);
  story.pass(seconds{1});
  story.text(5001, 0);
  story.text(4991, 1);
  EXPECT_THAT(story.stored.boots, SizeIs(1));
}

TEST(BootStory, OneBootHeardOnTwoTextLinksIsOne) {
  Story story;
  story.open(0, LinkKind::listen);
  story.open(1, LinkKind::listen);
  story.text(5000, 0);
  story.text(5000, 1);
  story.pass(seconds{30});
  story.text(2, 0);
  story.pass(seconds{200});
  story.text(202, 1);
  EXPECT_THAT(story.stored.boots, SizeIs(2));
}

TEST(BootStory, TheTextUptimeWrapIsNoBoot) {
  Story story;
  story.open(0, LinkKind::listen);
  story.text(4294960);
  story.pass(seconds{10});
  story.text(2);
  story.pass(seconds{60});
  story.text(62);
  story.lose();
  story.open(0, LinkKind::listen);
  story.pass(seconds{5});
  story.text(67);
  EXPECT_THAT(story.stored.boots, SizeIs(1));
  expect_near(story.stored.logs.back().at.t, seconds{4294960 + 75}, seconds{1});
}

TEST(BootStory, TelemetryThatImpliesALaterStartIsABootBeyondNinetySeconds) {
  struct Case {
    int uptime_s;
    std::size_t boots;
  };
  // 1000 s later the uptime should be 6000.
  for (const auto& [uptime_s, boots] : {Case{6000, 1}, {5940, 1}, {5911, 1}, {5905, 2}, {3, 2}}) {
    Story story = met();
    story.pass(seconds{1000});
    story.poll(static_cast<std::uint32_t>(uptime_s));
    EXPECT_THAT(story.stored.boots, SizeIs(boots)) << uptime_s;
  }
}

TEST(BootStory, AnOldAnswerIsNoBootThoughTheAnchorWasExact) {
  Story story;
  story.open();
  story.handshake(7);
  story.record(proto::Rebooted{});
  story.pass(seconds{1});
  story.handshake(8);
  for (int i = 0; i < 10; ++i) {
    story.pass(seconds{59});
    story.poll(static_cast<std::uint32_t>(i * 60));  // refreshed once a minute
  }
  EXPECT_THAT(story.stored.boots, SizeIs(2));
}

TEST(BootStory, ADriftingDeviceClockIsNoBoot) {
  for (const double rate : {1.0001, 0.9999, 0.9998}) {
    Story story = met();
    double uptime = 5000;
    for (int hour = 0; hour < 60 * 24; ++hour) {
      story.pass(hours{1});
      uptime += 3600.1 * rate;  // a poll takes 0.1 s
      story.poll(static_cast<std::uint32_t>(uptime));
    }
    story.restart();
    story.connect(7);
    story.poll(static_cast<std::uint32_t>(uptime));
    EXPECT_THAT(story.stored.boots, SizeIs(1)) << rate;
  }
}

TEST(BootStory, AStalePairNeverMakesABootAndStandsAtItsOwnUptime) {
  Story story = met();
  story.pass(seconds{10});
  story.lose();
  story.pass(hours{50});
  story.connect(7);
  story.telemetry({.variant = proto::Variant::device, .uptime_s = 5100});
  story.telemetry({.variant = proto::Variant::local, .uptime_s = 5100, .free_bytes = 77'000});
  EXPECT_THAT(story.stored.boots, SizeIs(1));
  EXPECT_THAT(story.stored.samples, SizeIs(1)) << "not before a later message tells where it belongs";
  story.pass(seconds{1});
  story.poll(5011 + 50 * 3600);

  EXPECT_THAT(story.stored.boots, SizeIs(1));
  ASSERT_THAT(story.stored.samples, SizeIs(3));
  const auto stale = std::find_if(story.stored.samples.begin(), story.stored.samples.end(),
                                  [](const SampleRow& row) { return row.value_bytes == 77'000; });
  EXPECT_EQ(stale->at.t, seconds{5100});
  EXPECT_EQ(stale->source, Source::stats);
}

TEST(BootStory, TheTwinOfAStalePairConfirmsNothing) {
  Story story = met();
  story.lose();
  story.pass(hours{50});
  story.connect(7);
  for (int twice = 0; twice < 2; ++twice) {
    story.telemetry({.variant = proto::Variant::device, .uptime_s = 5100});
    story.telemetry({.variant = proto::Variant::local, .uptime_s = 5100, .free_bytes = 77'000});
  }
  EXPECT_THAT(story.stored.boots, SizeIs(1));
  story.poll(5000 + 50 * 3600);
  EXPECT_THAT(story.stored.samples, SizeIs(3)) << "the pair is stored once";
}

TEST(BootStory, WithoutPollsTheNextPeriodicMessageConfirms) {
  Story story;
  story.connect(7);
  story.telemetry({.variant = proto::Variant::device, .uptime_s = 205});
  story.telemetry({.variant = proto::Variant::local, .uptime_s = 205, .free_bytes = 77'000});
  story.pass(seconds{42});
  story.telemetry({.variant = proto::Variant::device, .uptime_s = 3000});
  EXPECT_TRUE(story.recorder->live().boot_start_known);
  ASSERT_THAT(story.stored.samples, SizeIs(1));
  EXPECT_EQ(story.stored.samples[0].at.t, seconds{205});
  EXPECT_THAT(story.stored.boots, SizeIs(1));
}

TEST(BootStory, AStalePairOfAnEarlierBootIsDropped) {
  Story story = met();
  story.lose();
  story.pass(seconds{500});
  story.connect(7);
  story.telemetry({.variant = proto::Variant::local, .uptime_s = 5100, .free_bytes = 77'000});
  story.lose();
  story.pass(seconds{500});
  story.connect(8);
  story.poll(100);
  story.pass(seconds{60});
  story.recorder->tick(story.now);
  story.absorb();
  EXPECT_THAT(story.stored.samples, SizeIs(2));
  EXPECT_EQ(story.stored.counters["stale_dropped"], 1);
}

// The host was held up: what the dying board had sent is read after the new boot has begun.
TEST(BootStory, AStalePairReadLateIsNotOfTheNextBoot) {
  Story story = met();
  story.lose();
  story.pass(seconds{500});
  story.connect(7);
  story.telemetry({.variant = proto::Variant::local, .uptime_s = 40, .free_bytes = 77'000});
  story.lose();
  story.pass(seconds{1});
  story.connect(8);
  story.pass(seconds{60});
  story.poll(71);
  story.pass(seconds{60});
  story.recorder->tick(story.now);
  story.absorb();
  EXPECT_THAT(story.stored.samples, SizeIs(2));
  EXPECT_EQ(story.stored.counters["stale_dropped"], 1);
}

TEST(BootStory, AReconnectAfterAnUnseenRebootMovesItsRows) {
  Story story = met();
  story.pass(seconds{100});
  story.lose();
  story.pass(seconds{400});
  story.connect(7);  // a firmware that does not count
  story.record(proto::LogRecord{.line = alarm_line(proto::AlarmKind::low_heap), .time = 0});
  story.pass(seconds{30});
  story.poll(300);

  ASSERT_THAT(story.stored.boots, SizeIs(2));
  EXPECT_EQ(last_boot(story).signs, "telemetry_uptime");
  EXPECT_EQ(story.stored.logs[0].at.boot, last_boot(story).id);
  expect_near(story.stored.logs[0].at.t, seconds{270});
  EXPECT_EQ(story.stored.samples[0].at.boot, story.stored.boot_order[0]);
}

TEST(BootStory, ARebootOnALivingLinkMovesOnlyWhatCameAfterIt) {
  Story story = met();
  story.pass(seconds{600});
  story.poll(5600, 90'000);
  story.pass(seconds{600});
  story.record(proto::LogRecord{.line = alarm_line(proto::AlarmKind::low_heap), .time = 0});
  story.pass(seconds{600});
  story.record(proto::LogRecord{.line = alarm_line(proto::AlarmKind::low_heap), .time = 0});
  story.poll(300);

  ASSERT_THAT(story.stored.boots, SizeIs(2));
  EXPECT_EQ(story.stored.logs[0].at.boot, story.stored.boot_order[0]);
  EXPECT_EQ(story.stored.logs[1].at.boot, story.stored.boot_order[1]);
}

TEST(BootStory, ARestartOfTheRecorderKeepsTheAnchor) {
  Story story = met();
  const AnchorRow before = story.stored.anchors.back();
  story.pass(seconds{1000});
  story.restart();
  story.connect(7);
  story.poll(5960);  // 40 s old
  EXPECT_THAT(story.stored.boots, SizeIs(1));
  EXPECT_THAT(story.stored.anchors, SizeIs(1));
  EXPECT_EQ(story.stored.anchors.back().mono_zero, before.mono_zero);
  expect_near(story.stored.samples.back().at.t, seconds{6000});
  EXPECT_THAT(story.stored.devices, SizeIs(1));
  EXPECT_THAT(story.stored.identities, SizeIs(1));
}

TEST(BootStory, ARebootOfTheHostJoinsANewAnchorBehindTheLastRow) {
  Story story = met();
  const Duration before = story.stored.samples.back().at.t;
  story.pass(seconds{1000});
  story.restart(true);
  story.connect(7);
  story.record(proto::LogRecord{.line = alarm_line(proto::AlarmKind::low_heap), .time = 0});
  EXPECT_GT(story.stored.logs.back().at.t, before);
  story.pass(seconds{10});
  story.poll(6010);

  EXPECT_THAT(story.stored.boots, SizeIs(1));
  expect_near(story.stored.logs.back().at.t, seconds{6000});
  expect_near(story.stored.samples.back().at.t, seconds{6010});
  EXPECT_EQ(story.stored.anchors.back().host_boot, "host-boot-2");
  expect_near(*story.stored.utc(story.stored.samples.back().at) - story.now.utc, Duration{0});
  expect_near(*story.stored.utc(story.stored.samples.front().at) - (story.now.utc - seconds{1010}),
              Duration{0}, seconds{1});
}

TEST(BootStory, AfterARebootOfTheHostAnAnchorNeverPrecedesTheLastRow) {
  Story story = met();
  const Duration before = story.stored.samples.back().at.t;
  story.restart(true);
  story.connect(7);
  story.poll(4970);  // an answer 30 s old: still the same boot
  EXPECT_THAT(story.stored.boots, SizeIs(1));
  EXPECT_GT(story.stored.samples.back().at.t, before);
}

TEST(BootStory, HostAndDeviceBothRebootedIsABoot) {
  struct Case {
    Duration clock_off;
    std::uint32_t uptime_s;
  };
  for (const auto& [clock_off, uptime_s] :
       {Case{seconds{0}, 40}, {seconds{0}, 6000}, {-hours{24 * 365 * 50}, 40}, {-minutes{20}, 40}}) {
    Story story = met();
    story.pass(hours{5});
    story.step_clock(clock_off);
    story.restart(true);
    story.connect(uptime_s == 40 ? 7 : 8);
    story.poll(uptime_s);
    EXPECT_THAT(story.stored.boots, SizeIs(2)) << clock_off.count();
    expect_near(story.stored.samples.back().at.t, seconds{uptime_s});
  }
}

TEST(BootStory, StepsOfTheHostClockChangeNoOrderAndNoSlope) {
  for (const Duration step : {Duration{hours{1}}, Duration{-hours{1}}, Duration{-hours{24 * 365 * 50}}}) {
    Story story = met();
    for (int i = 1; i <= 20; ++i) {
      story.pass(seconds{60});
      if (i == 7) {
        story.step_clock(step);
      }
      story.poll(static_cast<std::uint32_t>(5000 + i * 60), 100'000 - i * 100);
    }
    EXPECT_THAT(story.stored.boots, SizeIs(1));
    ASSERT_THAT(story.stored.events_of("clock_step"), SizeIs(1));
    EXPECT_THAT(story.stored.anchors, SizeIs(2));
    for (std::size_t i = 1; i < story.stored.samples.size(); ++i) {
      expect_near(story.stored.samples[i].at.t - story.stored.samples[i - 1].at.t, milliseconds{60'100},
                  milliseconds{1});
    }
    expect_near(*story.stored.utc(story.stored.samples.back().at) - story.now.utc, Duration{0});
  }
}

TEST(BootStory, AStepOnASilentDeviceIsAnEventToo) {
  Story story = met();
  story.pass(seconds{60});
  story.step_clock(hours{1});
  story.recorder->tick(story.now);
  story.absorb();
  EXPECT_THAT(story.stored.events_of("clock_step"), SizeIs(1));
}

TEST(BootStory, AReadingThatWaitedWhileTheHostSleptIsNoBoot) {
  Story story = met();
  story.open(1, LinkKind::listen);
  story.text(5000, 1);
  story.pass(hours{8});
  story.recorder->host_slept(story.now);
  story.poll(5001);
  story.lose(1);
  story.open(1, LinkKind::listen);
  story.text(5002, 1);
  EXPECT_THAT(story.stored.boots, SizeIs(1));
  story.pass(seconds{60});
  story.poll(5000 + 8 * 3600 + 60);
  EXPECT_THAT(story.stored.boots, SizeIs(1));
}

struct CauseCase {
  const char* name;
  void (*before)(Story&);
  BootCause cause;
};

class Causes : public ::testing::TestWithParam<CauseCase> {};

TEST_P(Causes, AreToldByWhatCameBefore) {
  Story story = met();
  story.open(1, LinkKind::listen);
  story.pass(seconds{100});
  GetParam().before(story);
  story.pass(seconds{2});
  story.line(boot_line(proto::BootSign::banner), 1);
  EXPECT_EQ(last_boot(story).cause, GetParam().cause);
  EXPECT_EQ(story.stored.events_of("boot").back().label, word(GetParam().cause));
}

INSTANTIATE_TEST_SUITE_P(
    BootStory, Causes,
    ::testing::Values(
        CauseCase{"Nothing", [](Story&) {}, BootCause::unknown},
        CauseCase{"Watchdog", [](Story& s) { s.line(alarm_line(proto::AlarmKind::watchdog), 1); },
                  BootCause::watchdog},
        CauseCase{"Panic", [](Story& s) { s.line(alarm_line(proto::AlarmKind::panic), 1); },
                  BootCause::panic},
        CauseCase{"OutOfMemoryEndsInAPanic",
                  [](Story& s) {
                    s.line(alarm_line(proto::AlarmKind::out_of_memory), 1);
                    s.line(alarm_line(proto::AlarmKind::panic), 1);
                  },
                  BootCause::out_of_memory},
        CauseCase{"ASurvivedFailureIsNone",
                  [](Story& s) { s.line(alarm_line(proto::AlarmKind::allocation_failure), 1); },
                  BootCause::unknown},
        CauseCase{"AFailedAllocationThatEndsInAPanic",
                  [](Story& s) {
                    s.line(alarm_line(proto::AlarmKind::allocation_failure), 1);
                    s.pass(seconds{2});
                    s.line(alarm_line(proto::AlarmKind::panic), 1);
                  },
                  BootCause::out_of_memory},
        CauseCase{"AFailedAllocationLongBeforeAPanic",
                  [](Story& s) {
                    s.line(alarm_line(proto::AlarmKind::allocation_failure), 1);
                    s.pass(seconds{30});
                    s.line(alarm_line(proto::AlarmKind::panic), 1);
                  },
                  BootCause::panic},
        CauseCase{"Announced",
                  [](Story& s) {
                    proto::LogLine line;
                    line.text = "Rebooting";
                    line.announces_reboot = true;
                    s.line(line, 1);
                  },
                  BootCause::planned},
        CauseCase{"PlannedByUs", [](Story& s) { s.recorder->reboot_planned(s.now); }, BootCause::planned},
        CauseCase{
            "ResetWord",
            [](Story& s) { s.line(boot_line(proto::BootSign::rom_reset, proto::ResetCause::watchdog), 1); },
            BootCause::watchdog},
        CauseCase{
            "PowerOn",
            [](Story& s) { s.line(boot_line(proto::BootSign::rom_reset, proto::ResetCause::power_on), 1); },
            BootCause::power},
        CauseCase{"OpenedByTheRecorder",
                  [](Story& s) {
                    s.lose(1);
                    s.open(1, LinkKind::serial);
                  },
                  BootCause::opened_by_recorder},
        CauseCase{"LongAgo",
                  [](Story& s) {
                    s.line(alarm_line(proto::AlarmKind::panic), 1);
                    s.pass(seconds{90});
                  },
                  BootCause::unknown},
        CauseCase{"PanicBeforeTheLinkWasLost",
                  [](Story& s) {
                    s.line(alarm_line(proto::AlarmKind::panic), 1);
                    s.lose(1);
                    s.pass(seconds{90});
                    s.open(1, LinkKind::serial);
                  },
                  BootCause::panic}),
    [](const auto& tested) { return tested.param.name; });

TEST(BootStory, AResetWordExplainsItsOwnBootAlone) {
  Story story = met();
  story.open(1, LinkKind::listen);
  story.pass(seconds{100});
  const auto boots = [&](proto::ResetCause why) {
    story.line(boot_line(proto::BootSign::rom_banner), 1);
    proto::LogLine reset = boot_line(proto::BootSign::rom_reset, why);
    if (why == proto::ResetCause::watchdog) reset.alarm = proto::AlarmKind::watchdog;
    story.line(reset, 1);
    story.line(boot_line(proto::BootSign::banner), 1);
  };
  boots(proto::ResetCause::watchdog);
  EXPECT_EQ(last_boot(story).cause, BootCause::watchdog);
  EXPECT_EQ(story.stored.events_of("boot").back().label, "watchdog");
  story.pass(seconds{50});
  boots(proto::ResetCause::software);
  EXPECT_THAT(story.stored.boots, SizeIs(3));
  EXPECT_EQ(last_boot(story).cause, BootCause::unknown);
}

TEST(BootStory, AWatchdogsResetWordOutranksAPlannedReboot) {
  Story story = met();
  story.open(1, LinkKind::listen);
  story.recorder->reboot_planned(story.now);
  story.line(boot_line(proto::BootSign::rom_banner), 1);
  EXPECT_EQ(last_boot(story).cause, BootCause::planned);
  story.line(boot_line(proto::BootSign::rom_reset, proto::ResetCause::watchdog), 1);
  EXPECT_EQ(last_boot(story).cause, BootCause::watchdog);
}

TEST(BootStory, APlanThatTheSameBootOutlivedExplainsNoLaterOne) {
  Story story = met();
  story.recorder->reboot_planned(story.now);
  story.pass(seconds{61});
  story.poll(5'061);
  story.pass(seconds{10});
  story.open(1, LinkKind::listen);
  story.pass(seconds{10});
  story.line(boot_line(proto::BootSign::rom_banner), 1);
  EXPECT_EQ(last_boot(story).cause, BootCause::unknown);
}

TEST(BootStory, ATcpConnectIsNoOpeningOfAPort) {
  Story story = met();
  story.lose();
  story.pass(seconds{100});
  story.open(0, LinkKind::tcp);
  story.pass(seconds{1});
  story.record(proto::Rebooted{});
  EXPECT_EQ(last_boot(story).cause, BootCause::unknown);
}

TEST(BootStory, RowsOfOneMomentKeepTheirOrder) {
  Story story = met();
  for (int i = 0; i < 100; ++i) {
    story.text(5000, 0, "line " + std::to_string(i));
  }
  for (std::size_t i = 1; i < story.stored.logs.size(); ++i) {
    EXPECT_LT(story.stored.logs[i - 1].at.t, story.stored.logs[i].at.t);
  }
}

}  // namespace
}  // namespace leakhunt::recorder::testing
