// Private parts go, counted; nothing else does.
#include "proto/redact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <sstream>

#include "tests/proto/support.h"

namespace leakhunt::proto {
namespace {

std::string redacted(std::string message, std::uint32_t expected_count = 1) {
  EXPECT_EQ(redact_message(message), expected_count) << message;
  return message;
}

TEST(Redact, TextsOfMessages) {
  EXPECT_EQ(redacted("Received text msg from=0x1, id=0x2, msg=see you, at 5"),
            "Received text msg from=0x1, id=0x2, msg=…");
  EXPECT_EQ(redacted("serialized json message: {\"payload\":{\"text\":\"hi\"}}"),
            "serialized json message: …");
  EXPECT_EQ(redacted("JSON publish message to msh/2/json/LongFast/!1, 99 bytes: {\"id\":1}"),
            "JSON publish message to msh/2/json/LongFast/!1, 99 bytes: …");
  EXPECT_EQ(redacted("{\"id\":1,\"text\":\"hi\"}"), "…");
  EXPECT_EQ(redacted("p.payload.bytes  \"seq 12\""), "p.payload.bytes…");
}

TEST(Redact, Positions) {
  EXPECT_EQ(
      redacted("POSITION node=00000001 l=30 latI=521234567 lonI=-131234567 msl=34 hae=0 pdop=1 time=17", 4),
      "POSITION node=00000001 l=30 latI=… lonI=… msl=… hae=… pdop=1 time=17");
  EXPECT_EQ(redacted("updatePosition LOCAL pos@64f0:2 time=1700000000 lat=521234567 lon=131234567 alt=40", 3),
            "updatePosition LOCAL pos@64f0:2 time=1700000000 lat=… lon=… alt=…");
  EXPECT_EQ(redacted("Lat: 52.1234, Long name kept", 1), "Lat: …, Long name kept");
  EXPECT_EQ(redacted("gpsStatus->getLatitude()     521234567"), "gpsStatus->getLatitude()     …");
}

TEST(Redact, Keys) {
  EXPECT_EQ(redacted("Incoming Pubkey:  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  |"),
            "Incoming Pubkey:  …  |");
  EXPECT_EQ(redacted("Public key: 3q2+7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="), "Public key: …");
  EXPECT_EQ(redacted("Expected session key: 0x0123456789abcdef"), "Expected session key: 0x…");
  EXPECT_EQ(redacted("wifi_psk=hunter2 ssid=home"), "wifi_psk=… ssid=home");
  EXPECT_EQ(redacted("Connect to MQTT server x, username: meshdev, password: large4cats"),
            "Connect to MQTT server x, username: meshdev, password: …");
  EXPECT_EQ(redacted("*** Enter passkey 123456 on the peer side"), "*** Enter passkey … on the peer side");
}

TEST(Redact, NothingElse) {
  for (const char* line :
       {"Expand short PSK #1", "BLE MAC: 24 0a c4 00 01 02", "Use nodenum 0x0000ac09",
        "Backtrace: 0x401da4fb:0x3ffd1ea0 0x400e703a:0x3ffd1ec0",
        "ELF file SHA256: 0123456789abcdef0123456789abcdef",
        "Heap: 118432/294912 bytes free (-2144 since last), min 96204, largest block 65524",
        "phone downloaded packet (id=0x1 fr=0x2 to=0x3, transport = 0, WantAck=0, HopLim=3 Ch=0x0 "
        "Portnum=67)",
        "MemAudit[heap]: pool=-388 nodedb=13440 total=13052", "latency=5 alternative=6 lonely=7 msl_total",
        "Build timestamp: 1784896090",
        "Alloc in DeviceTelemetryModule::sendTelemetry pointer 0x55d5c8a3b2c0, size: 4"})
    EXPECT_EQ(redacted(line, 0), line);
}

TEST(Redact, TheDevicesOwnLinesLoseNothing) {
  std::istringstream lines{testing::file("captures/meshtasticd-heap.stdout.log")};
  std::uint32_t redactions = 0;
  TextReader reader;
  for (std::string line; std::getline(lines, line);) {
    const LogLine read = reader.read(line);
    redactions += read.redactions;
    EXPECT_EQ(read.redactions, 0U) << read.text;
  }
}

TEST(Redact, AParsedLineKeepsPrefixAndFigures) {
  const LogLine line =
      read_text_line("INFO  | 12:34:56 61 [Text] [heap 900] Received text msg from=0x1, msg=hi");
  EXPECT_EQ(line.text, "INFO  | 12:34:56 61 [Text] [heap 900] Received text msg from=0x1, msg=…");
  EXPECT_EQ(line.message(), "Received text msg from=0x1, msg=…");
  EXPECT_EQ(line.heap_free_bytes, 900);
  EXPECT_EQ(line.redactions, 1U);
}

TEST(TextReader, TheLaterLinesOfAMessageAreHiddenAndTellNothing) {
  TextReader reader;
  (void)reader.read("INFO  | 12:34:56 61 [Text] Received text msg from=0x1, id=0x2, msg=first");
  const LogLine second = reader.read("Heap status: 1/2 bytes free");
  EXPECT_EQ(second.text, redaction_mark);
  EXPECT_EQ(heap_readings(second).size(), 0U);
  const LogLine prefixed = reader.read("INFO  | 12:34:56 61 [Power] Free heap: 5");
  EXPECT_EQ(prefixed.heap_free_bytes, 5);
  EXPECT_EQ(reader.read("Free heap: 6").heap_free_bytes, 6) << "a bare line elsewhere is the device's own";
}

TEST(TextReader, WhatIsLongerThanAMessageIsNotItsRest) {
  TextReader reader;
  (void)reader.read("INFO  | 12:34:56 61 [Text] Received text msg from=0x1, id=0x2, msg=x");
  std::string backtrace = "Backtrace:";
  while (backtrace.size() < 240) backtrace += " 0x401da4fb:0x3ffd1ea0";
  EXPECT_EQ(reader.read(backtrace).text, backtrace);
}

// A reader that has just read a text message.
TextReader after_a_text(std::optional<Mono> when = {}) {
  TextReader reader;
  (void)reader.read("INFO  | 12:34:56 61 [Router] Received text msg from=0x1, id=0x2, msg=hello", true, when);
  return reader;
}

TEST(TextReader, AfterAMessageTheDevicesLastAndFirstWordsAreKept) {
  for (const char* line :
       {"Guru Meditation Error: Core  1 panic'ed (LoadProhibited). Exception was unhandled.",
        "Guru Meditation Error: Core 0 panic'ed (Interrupt wdt timeout on CPU0).",
        "Backtrace: 0x400d8a2d:0x3ffb4e10 0x400df0a5:0x3ffb4e30 |<-CORRUPTED",
        "Backtrace:0x400d8a2d:0x3ffb4e10",
        "abort() was called at PC 0x4008a5d3 on core 1",
        "Stack smashing protect failure!",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "std::bad_alloc",
        "malloc failed",
        "CORRUPT HEAP: Bad head at 0x3ffb. Expected 0xabba1234 got 0x0",
        "rst:0x8 (TG1WDT_SYS_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)",
        "rst:0x1 (POWERON),boot:0x8",
        "ets Jul 29 2019 12:21:46",
        "ets Jan  8 2013,rst cause:4, boot mode:(3,6)",
        "ESP-ROM:esp32s3-20210327",
        "ESP-ROM:esp32c3-api1-20210207",
        "//\\ E S H T /\\ S T / C",
        "E (141058) task_wdt: Task watchdog got triggered. The following tasks did not reset the watchdog in "
        "time:",
        "E (141058) task_wdt:  - loopTask (CPU 1)",
        "E (1234) mem: out of memory"}) {
    const LogLine expected = parse_text_line(line);
    const LogLine read = after_a_text().read(line);
    EXPECT_EQ(read.text, line);
    EXPECT_EQ(read.redactions, 0U) << line;
    EXPECT_EQ(read.alarm, expected.alarm) << line;
    EXPECT_EQ(read.boot.has_value(), expected.boot.has_value()) << line;
  }
}

TEST(TextReader, WhatCanVaryInTheDevicesWordsIsHiddenAfterAMessage) {
  const auto kept = [](const char* line) {
    const LogLine read = after_a_text().read(line);
    EXPECT_EQ(read.redactions, 1U) << line;
    return read.text;
  };
  EXPECT_EQ(kept("Guru Meditation Error: Core  1 panic'ed (my secret) at the mill"),
            "Guru Meditation Error: Core  1 panic'ed (…)…");
  EXPECT_EQ(kept("assert failed: xQueueSend queue.c:1549 (see you)"), "assert failed: … ….c:1549 (…)");
  EXPECT_EQ(kept("***ERROR*** A stack overflow in task mill has been detected."),
            "***ERROR*** A stack overflow in task … has been detected.");
  EXPECT_EQ(kept("rst:0x1 (MILL_RESET),boot:0x13 (AT_NOON)"), "rst:0x1 (…),boot:0x13 (…)");
  EXPECT_EQ(kept("E (1234) wifi: Failed to allocate a key hunter2"), "E (1234) wifi: Failed to allocate…");
  EXPECT_EQ(kept("E (1234) wifi: joined home"), "E (1234) wifi: …");
  EXPECT_EQ(kept("[ 53103][W][WiFiGeneric.cpp:955] _eventCallback(): SSID home"),
            "[ 53103][W][WiFiGeneric.cpp:955] …");
}

TEST(TextReader, AMessageThatOnlySpeaksOfTroubleStaysHidden) {
  for (const char* line :
       {"my node said Guru Meditation Error: Core  1 panic'ed (LoadProhibited). Exception was unhandled.",
        "Guru Meditation Error!", "Guru Meditation Error: Core one panic'ed (LoadProhibited)",
        "abort() was called at PC 0x4008a5d3 on core 1, see you", "Backtrace: 0x400d8a2d:0x3ffb4e10 meet me",
        "Backtrace: at the mill", "Stack smashing protect failure! ha", "std::bad_alloc again",
        "malloc failed, help", "out of memory", "assert failed: I am late", "rst:0x1 at the mill",
        "ets Jul 29 at the mill", "ets everything", "ESP-ROM:esp32s3-2021 mill", "E (12) not a tag: x",
        "[ 53103][W][see you at the mill] x", "Rebooting"}) {
    const LogLine read = after_a_text().read(line);
    EXPECT_EQ(read.text, redaction_mark) << line;
    EXPECT_FALSE(read.alarm || read.boot || read.announces_reboot) << line;
  }
}

TEST(TextReader, TheWordsOfThePanicDoNotEndTheMessage) {
  TextReader reader = after_a_text();
  (void)reader.read("Stack smashing protect failure!");
  (void)reader.read("E (1234) mem: out of memory");
  EXPECT_EQ(reader.read("meet me at the mill").text, redaction_mark);
}

TEST(TextReader, WhatComesASecondLaterIsNotItsRest) {
  constexpr Mono sent{5'000'000};
  const auto read_after = [sent](Duration gap, bool complete) {
    return after_a_text(sent).read("configsip: 0, SPIWP:0xee", complete, sent + gap).text;
  };
  EXPECT_EQ(read_after(std::chrono::milliseconds{1000}, true), redaction_mark);
  EXPECT_EQ(read_after(std::chrono::milliseconds{1001}, true), "configsip: 0, SPIWP:0xee");
  EXPECT_EQ(read_after(std::chrono::milliseconds{1001}, false), redaction_mark)
      << "a line without end is given out after a pause";
}

TEST(TextReader, AnSdkLineAfterAnSdkLineIsNoRest) {
  TextReader reader;
  (void)reader.read("I (10) app: msg=hello");
  EXPECT_EQ(reader.read("I (12) app: 4000 free").text, "I (12) app: 4000 free");
}

}  // namespace
}  // namespace leakhunt::proto
