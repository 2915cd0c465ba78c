// Text logs and byte captures: times, boots, sources.
#include <gtest/gtest.h>

#include <cmath>

#include "recorder/recording.h"
#include "tests/files/corpus.h"

namespace leakhunt::recorder {
namespace {

Recording read(std::string_view bytes) {
  auto recording = read_recording(bytes);
  EXPECT_TRUE(recording);
  return *recording;
}

std::size_t count(const Recording& recording, RecordedLineKind kind) {
  std::size_t n = 0;
  for (const auto& line : recording.lines) n += line.kind == kind ? 1U : 0U;
  return n;
}

TEST(Logs, FirmwareTextWithColoursAndNulIsTheSameAsWithout) {
  const std::string plain =
      "DEBUG | ??:??:?? 22 [Power] Heap status: 120452/205824 bytes free (-64), running 11/24 threads\n";
  std::string coloured = "\x1b[34m";
  coloured += '\0';
  coloured += "DEBUG \x1b[0m| ??:??:?? 22 [Power] \x1b[34m";
  coloured += '\0';
  coloured += "Heap status: 120452/205824 bytes free (-64), running 11/24 threads\r\n\x1b[0m";
  for (const auto& bytes : {plain, coloured}) {
    const auto recording = read(bytes);
    EXPECT_EQ(recording.kind, RecordingKind::firmware_text);
    ASSERT_EQ(recording.metrics.size(), 1U);
    EXPECT_EQ(recording.metrics[0].source, "debug_heap");
    EXPECT_EQ(recording.metrics[0].readings[0].value, 120452);
    EXPECT_EQ(recording.metrics[0].readings[0].total, 205824);
    EXPECT_EQ(recording.metrics[0].readings[0].uptime_s, 22);
  }
}

TEST(Logs, LinesOfTheSameSecondAreSpread) {
  const auto recording = read(
      "INFO  | 00:00:10 10 [Main] [heap 1000] a\nINFO  | 00:00:10 10 [Main] [heap 1001] b\n"
      "INFO  | 00:00:10 10 [Main] [heap 1002] c\nINFO  | 00:00:10 10 [Main] [heap 1003] d\nINFO  | 00:00:11 "
      "11 [Main] [heap 1004] e\n");
  const auto& readings = recording.metrics.at(0).readings;
  ASSERT_EQ(readings.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(readings[i].uptime_s, 10 + 0.25 * static_cast<double>(i), 1e-9);
}

TEST(Logs, TheWrapOfTheUptimeIsNoReboot) {
  const auto recording =
      read("INFO  | ??:??:?? 4294960 [Main] [heap 1000] a\nINFO  | ??:??:?? 12 [Main] [heap 1001] b\n");
  EXPECT_EQ(recording.boots.size(), 1U);
  EXPECT_NEAR(recording.metrics[0].readings[1].uptime_s, 4294967.296 + 12, 1e-6);
  EXPECT_EQ(read("uptime 4294909\nuptime 1\n").boots.size(), 1U);
}

TEST(Logs, AnUptimeThatFallsIsAReboot) {
  const auto recording =
      read("INFO  | ??:??:?? 5000 [Main] [heap 1000] a\nINFO  | ??:??:?? 3 [Main] [heap 2000] b\n");
  ASSERT_EQ(recording.boots.size(), 2U);
  EXPECT_EQ(recording.boots[1].signs, "uptime");
  EXPECT_EQ(recording.metrics[0].readings[1].boot, 1U);
  EXPECT_GT(recording.metrics[0].readings[1].t_s, recording.metrics[0].readings[0].t_s);
}

TEST(Logs, SeveralSignsAreOneBootAndARepeatedSignIsTheNext) {
  const std::string boot =
      "rst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\nINFO  | ??:??:?? 0 [Main] //\\ E S H T /\\ S "
      "T / C\n";
  const std::string run = "INFO  | ??:??:?? 40 [Main] [heap 1000] a\n";
  EXPECT_EQ(read(run + boot + run).boots.size(), 2U);
  EXPECT_EQ(read(run + boot + run + boot + run).boots.size(), 3U);
  EXPECT_EQ(read(run + boot + boot + run).boots.size(), 3U);
  EXPECT_EQ(read(boot + run).boots.size(), 1U);
}

TEST(Logs, LinesBeforeTheBannerBelongToItsBoot) {
  EXPECT_EQ(read("INFO  | ??:??:?? 0.015 [heap 409584] hello\n//\\ E S H T /\\ S T / C\n"
                 "INFO  | ??:??:?? 0.020 [heap 409568] files\n")
                .boots.size(),
            1U);
  EXPECT_EQ(read("INFO  | ??:??:?? 40 [heap 409584] hello\n//\\ E S H T /\\ S T / C\n"
                 "INFO  | ??:??:?? 1 [heap 409568] files\n")
                .boots.size(),
            2U);
}

TEST(Logs, AnnouncedRebootsHaveTheirCause) {
  const auto recording =
      read("INFO  | ??:??:?? 53 [Main] Rebooting\nrst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\n");
  ASSERT_EQ(recording.boots.size(), 2U);
  EXPECT_EQ(recording.boots[1].cause, "planned");
}

TEST(Logs, AFileThatEndsInACrashEndsInAReboot) {
  const auto recording = read(
      "INFO  | ??:??:?? 53 [Main] fine\nGuru Meditation Error: Core  1 panic'ed "
      "(LoadProhibited).\nBacktrace: 0x1:0x2\n");
  ASSERT_EQ(recording.boots.size(), 2U);
  EXPECT_EQ(recording.boots[1].cause, "panic");
}

TEST(Logs, AClockThatStartsAgainAtMidnightIsAReboot) {
  EXPECT_EQ(read("Mar 15 20:15:21 h tasmota: Free heap: 7000\nMar 15 00:00:02 h tasmota: up\nMar 15 20:25:07 "
                 "h tasmota: Free heap: 25000\n")
                .boots.size(),
            2U);
  EXPECT_EQ(read("23:59:50 Free heap: 7000\n00:00:10 Free heap: 7000\n").boots.size(), 1U);
}

TEST(Logs, AFailedAllocationBeforeAnAbortIsTheAbortsCause) {
  const std::string crash =
      "heap_caps_malloc was called but failed to allocate 1696 bytes with 0x1800 capabilities.\n\nabort() "
      "was called at PC 0x1\n";
  const auto recording = read(crash + "rst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\n");
  EXPECT_EQ(count(recording, RecordedLineKind::allocation_abort), 1U);
  ASSERT_EQ(recording.boots.size(), 2U);
  EXPECT_EQ(recording.boots.back().cause, "out_of_memory");
  // Without the restart in the file the end of memory is all it tells.
  EXPECT_EQ(read(crash).boots.size(), 1U);
  EXPECT_EQ(count(read("*** PANIC ***\n\nOut of memory\n"), RecordedLineKind::allocation_abort), 1U);
}

TEST(Logs, RoutingErrorsAndQuotesAreNoEvidence) {
  const auto recording = read(
      "WARN  | ??:??:?? 5 [Router] Alloc an err=5,to=0x1,idFrom=0x2,id=0x3\n"
      "INFO  | ??:??:?? 6 [Router] Received text msg from=0x1, id=0x2, msg=Heap status: 1/2 bytes free\n");
  EXPECT_EQ(count(recording, RecordedLineKind::routing_nak), 1U);
  EXPECT_EQ(count(recording, RecordedLineKind::allocation_failure), 0U);
  EXPECT_TRUE(recording.metrics.empty());
}

TEST(Logs, TwoStampsAndTwoClocksDoNotMix) {
  const auto recording = read(
      "21342298   DEBUG   Http.cpp:878   Available heap: 109500\n[21327591][E][Tls.cpp:28] x(): SSL - Memory "
      "allocation failed\n"
      "21342476   DEBUG   Http.cpp:709   Available heap: 109064\n");
  EXPECT_EQ(recording.boots.size(), 1U);
  EXPECT_EQ(recording.metrics[0].readings.size(), 2U);
}

TEST(Logs, LinesOfDifferentPhasesAreDifferentSeries) {
  const auto recording = read(
      "I (1000) M: Free memory after recieving: 22340 bytes\nI (2000) M: Free memory after publishing: 17804 "
      "bytes\n"
      "I (3000) M: Free memory after recieving: 21768 bytes\n");
  EXPECT_EQ(recording.metrics.size(), 2U);
}

TEST(Logs, SmallWholeNumbersWithoutUnitAreKibibytes) {
  const auto recording = read(
      "  \"uptimeSec\": 11,\n  \"freeMem\": 209,\n  \"maxAlloc\": 195,\n  \"uptimeSec\": 3548,\n  "
      "\"freeMem\": 175,\n  \"maxAlloc\": 163,\n");
  ASSERT_EQ(recording.metrics.size(), 1U);
  EXPECT_EQ(recording.metrics[0].readings[0].value, 209 * 1024);
  EXPECT_EQ(recording.metrics[0].readings[1].largest_block, 163 * 1024);
  EXPECT_NEAR(recording.metrics[0].readings[1].uptime_s, 3548, 1);
}

TEST(Logs, SeveralBootLinesOfOtherFirmwareAreOneBoot) {
  const std::string run = "I (90000) app: Free heap: 50000\n";
  const std::string boot =
      "ets Jul 29 2019 12:21:46\n\nrst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\n"
      "I (29) cpu_start: Pro cpu up.\nI (40) cpu_start: Starting app cpu\nI (500) app: Free heap: 90000\n";
  EXPECT_EQ(read(run + boot).boots.size(), 2U);
  EXPECT_EQ(read(run + boot + run + boot).boots.size(), 3U);
}

TEST(Logs, AnUptimeInAnotherUnitThanSecondsIsNotTaken) {
  const auto recording = read(
      "2026-01-01 00:00:00 {\"uptime\": 100, \"freeheap\": 50000}\n2026-01-01 01:00:00 {\"uptime\": 160, "
      "\"freeheap\": 50000}\n");
  ASSERT_EQ(recording.metrics.size(), 1U);
  EXPECT_TRUE(std::isnan(recording.metrics[0].readings[1].uptime_s));
  EXPECT_EQ(recording.metrics[0].readings[1].t_s - recording.metrics[0].readings[0].t_s, 3600);
}

// A failure of memory that a line only carries as what a person chose or wrote.
TEST(Logs, WhatAPersonChoseOrWroteIsNoTrouble) {
  const std::string before = "INFO  | 10:00:00 500 [Router] a\nINFO  | 10:00:01 501 ";
  for (const std::string line :
       {"[Admin] Set owner: out of memory", "[WifiConnect] Connecting to out of memory",
        "[Router] Send text: out of memory", "[Channels] Set channel name out of memory",
        "[NodeInfo] user out of memory / oom", "[Router] msg: std::bad_alloc",
        "[Router] Received text msg from=0x1 [x] out of memory",
        "[Admin] Long name: Alloc an err=ESP_ERR_NO_MEM", "old user Failed to allocate packet, changed=1"}) {
    EXPECT_TRUE(read(before + line + "\n").lines.empty() ||
                read(before + line + "\n").lines[0].kind == RecordedLineKind::other)
        << line;
    const auto bare = read(before + "b\n" + line.substr(line.find(']') + 1) + "\n");
    EXPECT_EQ(count(bare, RecordedLineKind::out_of_memory), 0U) << line;
    EXPECT_EQ(count(bare, RecordedLineKind::allocation_failure), 0U) << line;
    EXPECT_EQ(count(bare, RecordedLineKind::allocation_abort), 0U) << line;
  }
}

TEST(Logs, TheDevicesOwnFailuresAre) {
  const std::string before = "INFO  | 10:00:00 500 [Router] a\nINFO  | 10:00:01 501 [Router] b\n";
  for (const std::string line :
       {"ERROR | 10:00:02 502 [Router] out of memory", "ERROR | 10:00:02 502 [MQTT] Publish: out of memory",
        "out of memory", "Json parser: out of memory"}) {
    EXPECT_EQ(count(read(before + line + "\n"), RecordedLineKind::out_of_memory), 1U) << line;
  }
  for (const std::string line : {"ERROR | 10:00:02 502 [Router] Failed to allocate packet for text message",
                                 "E (1234) wifi: malloc failed", "Failed to allocate buffer for the name"}) {
    EXPECT_EQ(count(read(before + line + "\n"), RecordedLineKind::allocation_failure), 1U) << line;
  }
}

TEST(Logs, TheSecondLineOfATextIsStillText) {
  const std::string before = "INFO  | 10:00:00 500 [Router] a\n";
  const std::string message = "INFO  | 10:00:01 501 [Router] Received text msg from=0x1, id=0x2, msg=hello\n";
  const std::string after = "INFO  | 10:00:02 502 [Router] b\n";
  for (const std::string line : {"out of memory", "Failed to allocate packet", "free heap: 100 bytes"}) {
    const auto recording = read(before + message + line + "\n" + after);
    EXPECT_EQ(recording.kind, RecordingKind::firmware_text);
    EXPECT_TRUE(recording.lines.empty()) << line;
    EXPECT_TRUE(recording.metrics.empty()) << line;
  }
  const auto own = read(before + message + "[2026-01-01 10:00:02] rst:0x8 (TG1WDT_SYS_RESET),boot:0x13\n");
  EXPECT_EQ(count(own, RecordedLineKind::boot), 1U);
}

TEST(Logs, ALoggersKeysAreNoPersonsWords) {
  const auto recording = read("time=2026-01-01T00:00:00Z user=\"root\" msg=\"out of memory\"\nx\ny\n");
  EXPECT_EQ(count(recording, RecordedLineKind::out_of_memory), 1U);
}

TEST(Logs, CommentsAreNotRead) {
  const auto recording = read("# stated: free heap: 83000 bytes, abort() was called\n");
  EXPECT_TRUE(recording.metrics.empty());
  EXPECT_TRUE(recording.lines.empty());
  EXPECT_EQ(recording.boots.size(), 1U);
}

TEST(Logs, CaptureOfARealDevice) {
  const auto bytes = files::bytes_of(std::string(LEAKHUNT_TEST_DATA) + "/captures/meshtasticd-leak.bin");
  const auto recording = read(bytes);
  EXPECT_EQ(recording.kind, RecordingKind::byte_capture);
  EXPECT_GT(recording.frames_read, 100U);
  EXPECT_FALSE(recording.heap_events.empty());
  bool stats = false;
  for (const auto& metric : recording.metrics)
    stats = stats || metric.source == "stats" || metric.source == "poll";
  EXPECT_TRUE(stats);
  EXPECT_EQ(recording.boots.size(), 1U);
}

TEST(Logs, ACaptureWithoutHeapSaysThatTheDeviceReportsNone) {
  const auto recording =
      read(files::bytes_of(std::string(LEAKHUNT_TEST_DATA) + "/captures/meshtasticd-stock-19min.bin"));
  EXPECT_TRUE(recording.metrics.empty());
  ASSERT_EQ(recording.notes.size(), 1U);
  EXPECT_EQ(recording.notes[0].rfind("this device reports no heap", 0), 0U);
}

TEST(Logs, TextLogOfARealDeviceIsOneBoot) {
  const auto recording =
      read(files::bytes_of(std::string(LEAKHUNT_TEST_DATA) + "/captures/meshtasticd-heap.stdout.log"));
  EXPECT_EQ(recording.kind, RecordingKind::firmware_text);
  EXPECT_EQ(recording.boots.size(), 1U);
  EXPECT_GT(recording.heap_events.size(), 10U);
}

TEST(Logs, FilesThatAreNone) {
  EXPECT_FALSE(read_recording_file("/nonexistent/x.csv"));
  EXPECT_FALSE(read_recording_file("/"));
  EXPECT_TRUE(read("").metrics.empty());
  EXPECT_TRUE(read(std::string(1000, '\0')).metrics.empty());
}

}  // namespace
}  // namespace leakhunt::recorder
