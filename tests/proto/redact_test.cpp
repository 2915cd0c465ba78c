// Private parts go, counted; nothing else does.
#include "proto/redact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace leakhunt::proto
