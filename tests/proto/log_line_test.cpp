// The grammar beyond the shared cases: every line shape of the device facts, and what must not match.
#include "proto/log_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leakhunt::proto {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

LogLine body(std::string_view message) {
  return parse_record_body(message, Level::info, "Main");
}
LogLine text(std::string_view message) {
  return parse_text_line("INFO  | 12:34:56 61 [Main] " + std::string{message});
}

TEST(LogLine, DecimalsOfAnUptimeKeepThePrefixAndTheMicroseconds) {
  const LogLine line = parse_text_line("DEBUG | 12:34:56 12.345678 [Router] [heap 92344] hi");
  EXPECT_EQ(line.uptime, Duration{12'345'678});
  EXPECT_EQ(line.thread, "Router");
  EXPECT_EQ(line.heap_free_bytes, 92344);
  EXPECT_EQ(line.message(), "hi");
}

TEST(LogLine, TheTextIsKeptAsSentWithoutColours) {
  const LogLine line = parse_text_line("\x1b[34mDEBUG \x1b[0m| 12:34:56 61 [Power] [heap 5] \x1b[34mx\r");
  EXPECT_EQ(line.text, "DEBUG | 12:34:56 61 [Power] [heap 5] x");
  EXPECT_EQ(line.message(), "x");
}

TEST(LogLine, ASentinelIsAPrefixWithoutAFigure) {
  const LogLine line = text("[heap 4294967295] hi");
  EXPECT_TRUE(line.has_heap_prefix);
  EXPECT_FALSE(line.heap_free_bytes);
  EXPECT_EQ(line.message(), "hi");
  EXPECT_FALSE(
      text("Heap status: 4294967295/4294967295 bytes free (0), running 1/2 threads").heap_free_bytes);
  EXPECT_FALSE(text("[heap 4294966000] a negative number").heap_free_bytes);
}

TEST(LogLine, ZeroFreeIsAReading) {
  EXPECT_EQ(text("[heap 0] last words").heap_free_bytes, 0);
}

TEST(LogLine, EveryReadingNamesItsSource) {
  const auto source = [](std::string_view message) {
    const LogLine line = text(message);
    EXPECT_TRUE(line.heap_free_bytes) << message;
    return line.heap_source;
  };
  EXPECT_EQ(source("[heap 7] x"), SampleSource::debug_heap);
  EXPECT_EQ(source("Heap status: 7/9 bytes free (1), running 1/2 threads"), SampleSource::debug_heap);
  EXPECT_EQ(source("Heap: 7/9 bytes free (1 since last), min 3, largest block 4 "), SampleSource::heap_line);
  EXPECT_EQ(source("Heap free: 40% (7/9 bytes)"), SampleSource::heap_line);
  EXPECT_EQ(source("Low heap (7 bytes), skipping"), SampleSource::heap_line);
  EXPECT_EQ(source("Free heap  :  7 bytes"), SampleSource::heap_line);
  EXPECT_EQ(source("Adding node to database with 1 nodes and 7 bytes free!"), SampleSource::heap_line);
  EXPECT_EQ(source("Alloc in f pointer 0x1, size: 2, free: 7"), SampleSource::alloc_line);
  EXPECT_EQ(source("Free heap: 7"), SampleSource::boot_line);
  EXPECT_EQ(source("Boot heap watermark: only 7 of 9 bytes free (<20%)"), SampleSource::boot_line);
}

TEST(LogLine, OneLineMayGiveSeveralReadings) {
  const auto readings = [](std::string_view message) {
    std::vector<std::pair<SampleSource, std::int64_t>> out;
    const LogLine line = text(message);
    for (const HeapReading& reading : heap_readings(line))
      out.emplace_back(reading.source, reading.free_bytes);
    return out;
  };
  using R = std::vector<std::pair<SampleSource, std::int64_t>>;
  EXPECT_EQ(readings("[heap 80] ------ Thread A leaked heap 100 -> 90 (-10) ------"),
            (R{{SampleSource::debug_heap, 80}, {SampleSource::thread_event, 90}}));
  EXPECT_EQ(readings("++++++ Thread A freed heap 90 -> 100 (10) ++++++"),
            (R{{SampleSource::thread_event, 100}}));
  EXPECT_EQ(readings("[heap 80] Alloc in f pointer 0x1, size: 2, free: 79"),
            (R{{SampleSource::debug_heap, 80}, {SampleSource::alloc_line, 79}}));
  EXPECT_EQ(readings("Alloc in f pointer 0x1, size: 2, free: 79"), (R{{SampleSource::alloc_line, 79}}));
  EXPECT_EQ(readings("nothing"), R{});
}

TEST(LogLine, MemAuditTagsMayHoldParentheses) {
  const LogLine line = body("MemAudit[boot]: pktpool(live)=388 nodedb=20000 total=20388");
  ASSERT_TRUE(line.mem_audit);
  EXPECT_EQ(line.mem_audit->tags[0], (std::pair<std::string, std::int64_t>{"pktpool(live)", 388}));
  EXPECT_EQ(line.mem_audit->total_bytes, 20388);
}

TEST(LogLine, ANumberAtTheEndOfACutLineIsNotTrusted) {
  EXPECT_EQ(parse_text_line("INFO  | 12:34:56 61 Free heap: 2684", true).heap_free_bytes, 2684);
  EXPECT_FALSE(parse_text_line("INFO  | 12:34:56 61 Free heap: 2684", false).heap_free_bytes);
  const LogLine alloc =
      parse_text_line("HEAP | 12:34:56 61 Alloc in f pointer 0x1, size: 388, free: 915", false);
  ASSERT_TRUE(alloc.alloc);
  EXPECT_EQ(alloc.alloc->size_bytes, 388);
  EXPECT_FALSE(alloc.alloc->free_bytes);
  EXPECT_FALSE(alloc.heap_free_bytes);
}

// What stands at the cut may be a part of itself: no figure, no name, no time.
TEST(LogLine, TheLastTokenOfACutTextLineIsNotTrusted) {
  EXPECT_FALSE(parse_text_line("INFO  | 12:34:56 123", false).uptime);
  EXPECT_EQ(parse_text_line("INFO  | 12:34:56 123", true).uptime, std::chrono::seconds{123});
  EXPECT_EQ(parse_text_line("INFO  | 12:34:56 123 [Pow", false).thread, "");
  EXPECT_FALSE(parse_text_line("INFO  | 12:34:56 123 [Power] [heap 9234", false).heap_free_bytes);
  EXPECT_EQ(parse_text_line("INFO  | 12:34:56 123 [Power] [heap 92344] He", false).heap_free_bytes, 92344);
  EXPECT_EQ(parse_text_line("INFO  | 12:34:56 1 S:B:37,2.8.0.7754068,nat", false).build->pio_env, "");
  EXPECT_FALSE(parse_text_line("INFO  | 12:34:56 1 S:B:37,2.8.0.77", false).build);
  EXPECT_EQ(parse_text_line("Booted, wake cause 0 (boot count 1), reset_reason=brown", false).boot->cause,
            ResetCause::unknown);
  EXPECT_EQ(parse_text_line("ets Jan  8 2013,rst cause:4", false).boot->cause, ResetCause::unknown);
}

// A message that fills the device's buffer ends anywhere, though its line has an end.
std::string filled(std::string_view begin, std::string_view end, std::size_t bytes) {
  std::string message(begin);
  while (message.size() + end.size() < bytes) message += "x=1 "[message.size() % 4];
  return message + std::string(end);
}

TEST(LogLine, AMessageThatFillsTheBufferOfTextModeIsCut) {
  const std::string prefix = "DEBUG | 12:34:56 61 [Power] ";
  const std::string audit = filled("MemAudit[boot]: nodedb=1 ", " total=123", text_body_cut_bytes);
  EXPECT_TRUE(parse_text_line(prefix + audit).cut);
  EXPECT_FALSE(parse_text_line(prefix + audit).mem_audit->total_bytes);
  const std::string shorter = filled("MemAudit[boot]: nodedb=1 ", " total=123", text_body_cut_bytes - 1);
  EXPECT_FALSE(parse_text_line(prefix + shorter).cut);
  const std::string alloc = filled("Alloc in ", " pointer 0x1, size: 3, free: 91", text_body_cut_bytes);
  const auto line = parse_text_line(prefix + "[heap 92344] " + alloc);
  EXPECT_FALSE(line.alloc->free_bytes);
  EXPECT_EQ(line.heap_free_bytes, 92344);
  EXPECT_EQ(heap_readings(line).size(), 1U);
  const auto portduino = parse_text_line("DEBUG | 12:34:56 61.250 [Power] " + alloc);
  EXPECT_EQ(portduino.alloc->free_bytes, 91);
}

TEST(LogLine, AMessageThatFillsALogRecordIsCut) {
  const std::string alloc = filled("Alloc in ", " pointer 0x1, size: 3, free: 91", record_body_cut_bytes);
  const auto cut = parse_record_body(alloc, Level::none, "Router");
  EXPECT_TRUE(cut.cut);
  EXPECT_EQ(cut.alloc->size_bytes, 3);
  EXPECT_FALSE(cut.alloc->free_bytes);
  EXPECT_EQ(heap_readings(cut).size(), 0U);
  const auto whole = parse_record_body(alloc.substr(0, 9) + alloc.substr(10), Level::none, "Router");
  EXPECT_EQ(whole.alloc->free_bytes, 91);
}

TEST(LogLine, TheFirmwareOf2020To2022HasNoLevel) {
  const LogLine line = parse_text_line("??:??:?? 7 [StoreForwardPlugin] Sending heartbeat");
  EXPECT_EQ(line.level, Level::none);
  EXPECT_EQ(line.uptime, Duration{7s});
  EXPECT_EQ(line.thread, "StoreForwardPlugin");
  const LogLine threadless = parse_text_line("12:34:56 61 Free heap: 100");
  EXPECT_EQ(threadless.heap_free_bytes, 100);
  const LogLine bare = parse_text_line("[RadioIf] Thread RadioIf leaked heap 88224 -> 87900 (-324)");
  ASSERT_TRUE(bare.heap_event);
  EXPECT_EQ(bare.heap_event->thread, "RadioIf");
}

TEST(LogLine, LinesOfTheChipsOwnLibrariesHaveLevelAndUptime) {
  const LogLine idf = parse_text_line("E (132189) esp_littlefs: dir struct could not be malloced");
  EXPECT_EQ(idf.level, Level::error);
  EXPECT_EQ(idf.uptime, Duration{132'189ms});
  EXPECT_EQ(idf.thread, "esp_littlefs");
  EXPECT_EQ(idf.alarm, AlarmKind::allocation_failure);
  const LogLine arduino = parse_text_line("[ 53103][W][WiFiGeneric.cpp:955] _eventCallback(): Reason: 8");
  EXPECT_EQ(arduino.level, Level::warn);
  EXPECT_EQ(arduino.uptime, Duration{53'103ms});
  EXPECT_EQ(arduino.message(), "_eventCallback(): Reason: 8");
}

TEST(LogLine, TroubleHasAKind) {
  const auto alarm = [](std::string_view message) { return parse_text_line(message).alarm; };
  for (const char* line :
       {"NimBLE: Out of memory", "what():  std::bad_alloc", "ERROR | 12:34:56 61 OUT OF MEMORY"})
    EXPECT_EQ(alarm(line), AlarmKind::out_of_memory) << line;
  for (const char* line :
       {"ERROR | ??:??:?? 2 Packet History - Memory allocation failed for size=100 entries / 2000 Bytes",
        "WARN  | 12:34:56 61 [Router] Failed to allocate zeroed memory", "OOM reading /prefs/nodes.proto",
        "Alloc an err=ESP_ERR_NO_MEM", "WARN  | 12:34:56 61 [x] Malloc of mem failed", "malloc failed"})
    EXPECT_EQ(alarm(line), AlarmKind::allocation_failure) << line;
  for (const char* line :
       {"abort() was called at PC 0x4008a5d3 on core 1",
        "Guru Meditation Error: Core  1 panic'ed (LoadProhibited). Exception was unhandled.",
        "Stack smashing protect failure!", "Backtrace: 0x401da4fb:0x3ffd1ea0"})
    EXPECT_EQ(alarm(line), AlarmKind::panic) << line;
  for (const char* line :
       {"E (141058) task_wdt: Task watchdog got triggered. The following tasks did not reset",
        "Guru Meditation Error: Core  0 panic'ed (Interrupt wdt timeout on CPU0).",
        "rst:0x7 (TG0WDT_SYS_RESET),boot:0x13"})
    EXPECT_EQ(alarm(line), AlarmKind::watchdog) << line;
  EXPECT_EQ(alarm("WARN  | 12:34:56 61 [WebServer] Low heap (9120 bytes), skipping"), AlarmKind::low_heap);
}

TEST(LogLine, WhatOnlySoundsLikeTroubleIsNone) {
  for (const char* line :
       {"WARN  | 12:34:56 61 [Router] Alloc an err=5,to=0x1,idFrom=0x2,id=0x3",
        "WARN  | 12:34:56 61 PSRAM alloc failed, using heap",
        "HEAP | 12:34:56 61 Allocated static pool item 3 at 0x2",
        "INFO  | 12:34:56 61 [TM] Allocating unified cache: 2048 entries (20480 bytes)",
        "INFO  | 12:34:56 61 [Text] Received text msg from=0x1, id=0x2, msg=out of memory! Guru Meditation",
        "INFO  | 12:34:56 61 [WebServer] nodeinfo: num=0x1, lastseen=1, id=!1, name=out of memory",
        "TRACE | 12:34:56 61 [Router] {\"text\":\"std::bad_alloc\"}"}) {
    EXPECT_FALSE(parse_text_line(line).alarm) << line;
  }
  EXPECT_TRUE(text("Alloc an err=5,to=0x1,idFrom=0x2,id=0x3").routing_nak);
}

TEST(LogLine, AMessageQuotingAPatternMakesNoReadingAndNoEvent) {
  for (const char* quoted :
       {"Heap status: 1/2 bytes free", "[heap 1] x", "------ Thread A leaked heap 2 -> 1 (-1) ------",
        "Free heap: 1", "Alloc in f pointer 0x1, size: 2, free: 1", "MemAudit[x]: a=1 total=1",
        "Low heap (1 bytes), x", "Heap: 1/2 bytes free (1 since last), min 1, largest block 1",
        "rst:0x1 (POWERON_RESET)", "Rebooting"}) {
    const LogLine line = text("Received text msg from=0x1, id=0x2, msg=" + std::string{quoted});
    EXPECT_EQ(heap_readings(line).size(), 0U) << quoted;
    EXPECT_FALSE(line.heap_event || line.alloc || line.mem_audit || line.alarm || line.boot ||
                 line.announces_reboot || line.largest_block_bytes || line.heap_total_bytes)
        << quoted;
  }
}

// Wherever other people's words can stand in a line that the firmware itself has written.
TEST(LogLine, WhatALineQuotesIsNoTrouble) {
  for (const char* line :
       {"INFO  | 12:34:56 61 [WiFi] Connecting to \"out of memory\"",
        "INFO  | 12:34:56 61 [Channels] Joining 'malloc failed' as secondary",
        "INFO  | 12:34:56 61 [FS] Opening /prefs/allocation failed.bak",
        "INFO  | 12:34:56 61 [mqtt] Subscribe to msh/EU_868/out of memory",
        "DEBUG | 12:34:56 61 [WebServer] log page: ERROR | 12:34:50 55 [Router] Failed to allocate packet",
        "user@box:~$ grep 'out of memory' serial.log", "$ echo Failed to allocate",
        ">>> print(cannot allocate)", "DEBUG | 12:34:56 61 [WebServer] GET /log?q=Guru Meditation Error",
        "INFO  | 12:34:56 61 [Text] shown: rst:0xc (SW_CPU_RESET),boot:0x13",
        "INFO  | 12:34:56 61 [Screen] Banner: abort() was called at PC 0x1 on core 0"}) {
    const LogLine parsed = parse_text_line(line);
    EXPECT_FALSE(parsed.alarm || parsed.boot || parsed.announces_reboot) << line;
    EXPECT_EQ(heap_readings(parsed).size(), 0U) << line;
  }
  EXPECT_EQ(parse_text_line("terminate called after throwing an instance of 'std::bad_alloc'").alarm,
            AlarmKind::out_of_memory);
  EXPECT_EQ(parse_text_line("INFO  | 12:34:56 61 [Router] Can't allocate packet, 'queue' is full").alarm,
            AlarmKind::allocation_failure);
  EXPECT_EQ(parse_text_line("E (9) wifi: malloc failed, don't retry").alarm, AlarmKind::allocation_failure);
}

// Somebody's chat that quotes a whole log, over every way in which the firmware prints a received text.
TEST(LogLine, NoQuotedLineOfALogMakesAnything) {
  for (const char* inner :
       {"DEBUG | 12:34:56 61 [Power] Heap status: 1/2 bytes free (-1), running 1/2 threads",
        "INFO  | 12:34:56 61 [Router] [heap 5] out of memory", "Guru Meditation Error: Core 1 panic'ed",
        "rst:0x8 (TG1WDT_SYS_RESET),boot:0x13", "S:B:37,2.8.0.7754068,native,meshtastic", "Rebooting",
        "Booted, wake cause 0 (boot count 1), reset_reason=brownout"}) {
    for (const char* outer :
         {"INFO  | 12:34:56 60 [Router] Received text msg from=0x1, id=0x2, msg=",
          "DEBUG | 12:34:56 60 [Text] text=", "DEBUG | 12:34:56 60 [mqtt] serialized json message: ",
          "INFO  | 12:34:56 60 [NodeInfo] user name=", "DEBUG | 12:34:56 60 [Screen] shown "}) {
      const LogLine line = parse_text_line(std::string(outer) + inner);
      EXPECT_EQ(heap_readings(line).size(), 0U) << line.text;
      EXPECT_FALSE(line.alarm || line.boot || line.announces_reboot || line.build || line.heap_event)
          << line.text;
      EXPECT_EQ(line.uptime, std::chrono::seconds{60});
    }
  }
}

TEST(LogLine, SignsOfABoot) {
  const auto boot = [](std::string_view message) {
    const LogLine line = parse_text_line(message);
    EXPECT_TRUE(line.boot) << message;
    return line.boot.value_or(Boot{});
  };
  EXPECT_EQ(boot("//\\ E S H T /\\ S T / C").sign, BootSign::banner);
  const Boot power_on = boot("rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)");
  EXPECT_EQ(power_on.sign, BootSign::rom_reset);
  EXPECT_EQ(power_on.cause, ResetCause::power_on);
  EXPECT_EQ(power_on.detail, "POWERON_RESET");
  EXPECT_EQ(boot("rst:0xc (SW_CPU_RESET),boot:0x13").cause, ResetCause::software);
  EXPECT_EQ(boot("rst:0x8 (TG1WDT_SYS_RESET),boot:0x8").cause, ResetCause::watchdog);
  EXPECT_EQ(boot("rst:0xf (RTCWDT_BROWN_OUT_RESET),boot:0x8").cause, ResetCause::brownout);
  EXPECT_EQ(boot("rst:0x5 (DEEPSLEEP_RESET),boot:0x8").cause, ResetCause::deep_sleep);
  EXPECT_EQ(boot(" ets Jan  8 2013,rst cause:4, boot mode:(3,6)").cause, ResetCause::watchdog);
  const Boot wake = boot("INFO  | ??:??:?? 1 Booted, wake cause 0 (boot count 1), reset_reason=taskWatchdog");
  EXPECT_EQ(wake.sign, BootSign::wake_cause);
  EXPECT_EQ(wake.cause, ResetCause::watchdog);
  EXPECT_EQ(boot("ets Jul 29 2019 12:21:46").sign, BootSign::rom_banner)
      << "of another kind than the rst line";
  EXPECT_EQ(boot("ESP-ROM:esp32s3-20210327").sign, BootSign::rom_banner);
  EXPECT_FALSE(parse_text_line("ets everything right").boot);
}

TEST(LogLine, APlannedRebootIsAnnounced) {
  EXPECT_TRUE(parse_text_line("INFO  | 23:40:19 53 Rebooting").announces_reboot);
  EXPECT_TRUE(text("Reboot in 7 seconds").announces_reboot);
  EXPECT_TRUE(parse_text_line("heap too low [10000] -> reboot in 5s").announces_reboot);
  EXPECT_FALSE(text("Node is Rebooting").announces_reboot);
}

TEST(LogLine, TheBuildIsReadFromTheBootLine) {
  const LogLine line = text("S:B:37,2.8.0.7754068,native,meshtastic");
  ASSERT_TRUE(line.build);
  EXPECT_EQ(line.build->hw_model, 37U);
  EXPECT_EQ(line.build->firmware_version, "2.8.0.7754068");
  EXPECT_EQ(line.build->pio_env, "native");
}

TEST(LogLine, BrokenLinesAreAllMessage) {
  for (const char* line : {"DEBUG |",
                           "DEBUG | ",
                           "| 12:34:56",
                           "12:34:56",
                           "12:34:56 ",
                           "[heap",
                           "[heap 5",
                           "[",
                           "[]",
                           "E (",
                           "E (5) ",
                           "INFO  | 99",
                           "Thread ",
                           "------ Thread ",
                           "Heap status: ",
                           "MemAudit[",
                           "Alloc in ",
                           "S:B:",
                           "rst:0x",
                           "ets ",
                           "Heap: 1/",
                           "Free heap",
                           "Free heap:",
                           "Total heap : x"}) {
    const LogLine parsed = parse_text_line(line);
    EXPECT_EQ(heap_readings(parsed).size(), 0U) << line;
  }
  EXPECT_THAT(parse_text_line("").text, IsEmpty());
  const LogLine huge =
      parse_text_line("INFO  | 12:34:56 99999999999999999999 [Main] [heap 99999999999999999999] x");
  EXPECT_FALSE(huge.heap_free_bytes);
}

TEST(LogLine, WordsGoBothWays) {
  for (const Level known : {Level::trace, Level::debug, Level::info, Level::warn, Level::error, Level::crit,
                            Level::heap, Level::mark})
    EXPECT_EQ(level(word(known)), known);
  EXPECT_EQ(level("warning"), Level::warn);
  EXPECT_EQ(level("loud"), std::nullopt);
  EXPECT_EQ(sample_source("heap_line"), SampleSource::heap_line);
  EXPECT_EQ(alarm_kind(word(AlarmKind::watchdog)), AlarmKind::watchdog);
}

}  // namespace
}  // namespace leakhunt::proto
