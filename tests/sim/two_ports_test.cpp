// One device on two ports: what goes where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/bench.h"

namespace leakhunt::sim::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint32_t kLogRecord = 6;
constexpr std::uint32_t kComplete = 7;

TEST(TwoPorts, StatsOverTcpWhileTheConsolePrintsItsLog) {
  TwoPorts board;
  board.connect();
  board.say(board.tcp, ask_stats(Bench::kNode, 5));
  board.run(60);
  EXPECT_EQ(answers_to(telemetries_of(board.tcp), 5), 1);
  EXPECT_THAT(board.serial.text, HasSubstr("rst:0x1 (POWERON_RESET)"));
  EXPECT_THAT(board.serial.text, HasSubstr("DEBUG"));
  EXPECT_THAT(board.serial.text, Not(HasSubstr("\x94\xC3\x01")));
}

TEST(TwoPorts, NothingOfTheLogGoesOverTcp) {
  TwoPorts board{{.debug_heap = true}, "leak"};
  board.connect();
  board.tcp.text.clear();
  board.run(400);
  EXPECT_THAT(board.serial.text, HasSubstr("leaked heap"));
  EXPECT_THAT(board.tcp.text, Not(HasSubstr("leaked heap")));
  EXPECT_THAT(kinds(messages_of(board.tcp)), Not(Contains(kLogRecord)));
}

TEST(TwoPorts, AClientOnTheSerialLineEndsTheTextThereAndDisturbsNobodyElse) {
  TwoPorts board;
  board.connect();
  messages_of(board.tcp);
  board.say(board.serial, want_config(2));
  EXPECT_THAT(kinds(messages_of(board.serial)), Contains(kComplete));
  EXPECT_EQ(board.tcp.text, "");
  board.say(board.serial, ask_stats(Bench::kNode, 9));
  board.run(60);
  EXPECT_EQ(answers_to(telemetries_of(board.tcp), 9), 0);
  const auto serial = messages_of(board.serial);
  EXPECT_THAT(kinds(serial), Contains(kLogRecord));
  int answered = 0;
  for (const std::string& message : serial)
    if (const auto one = telemetry(message)) answered += one->request_id == 9 ? 1 : 0;
  EXPECT_EQ(answered, 1);
}

TEST(TwoPorts, UnaskedTelemetryGoesToEachClient) {
  TwoPorts board;
  board.connect();
  board.say(board.serial, want_config(2));
  board.run(80);
  for (Spy* port : {&board.tcp, &board.serial}) {
    std::vector<std::uint32_t> variants;
    for (const Telemetry& one : telemetries_of(*port)) variants.push_back(one.variant);
    EXPECT_THAT(variants, ElementsAre(2, 6));
  }
}

TEST(TwoPorts, ARestartEndsBothAndIsToldOnTheSerialLineAlone) {
  TwoPorts board;
  board.connect();
  board.say(board.serial, want_config(2));
  board.tcp.text.clear();
  board.serial.text.clear();
  board.device.reboot(Restart::watchdog, board.now);
  EXPECT_EQ(board.tcp.restarts, 1);
  EXPECT_EQ(board.tcp.text, "");
  EXPECT_THAT(board.serial.text, HasSubstr("task_wdt"));
  board.run(10);
  EXPECT_THAT(board.serial.text, HasSubstr("DEBUG"));
}

TEST(TwoPorts, ALineIsTextOnOneConsoleAndARecordForTheClientOfAnother) {
  Spy console{PortKind::serial};
  Spy api{PortKind::serial};
  Device device{{.colour = false}, *make_scenario("steady", {}), Bench::kStart, {&console, &api}};
  device.heard(api, framed(want_config(1)), Bench::kStart.mono);
  messages_of(api);
  device.say({Level::warn, "Router", "said once"}, Bench::kStart.mono);
  EXPECT_THAT(console.text, HasSubstr("[Router] said once\r\n"));
  const auto records = messages_of(api);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(bytes_of(bytes_of(records[0], kLogRecord), 1), "said once");
}

TEST(TwoPorts, OneClientsGoodbyeEndsItsOwnConnection) {
  TwoPorts board;
  board.connect();
  board.say(board.serial, want_config(2));
  board.say(board.tcp, disconnect());
  board.run(0.2);
  EXPECT_EQ(board.tcp.hang_ups, 1);
  EXPECT_EQ(board.serial.hang_ups, 0);
}

TEST(Tap, SeesAllThatIsWrittenAndWhereTo) {
  TwoPorts board;
  std::string tcp;
  std::string serial;
  board.device.tap([&](const Port& port, std::string_view bytes, Mono at) {
    EXPECT_LE(at, board.now);
    (&port == &board.tcp ? tcp : serial) += bytes;
  });
  board.tcp.text.clear();
  board.serial.text.clear();
  board.connect();
  board.run(60);
  EXPECT_EQ(tcp, board.tcp.text);
  EXPECT_EQ(serial, board.serial.text);
}

TEST(TwoPorts, TextUptimeWrapsWhileTelemetryGoesOn) {
  constexpr double kWrap_s = 4'294'967.296;
  TwoPorts board{{.colour = false, .uptime_s = kWrap_s - 60}};
  board.connect();
  board.run(130);
  EXPECT_THAT(board.serial.text, HasSubstr(" 4294967 [Power]"));
  EXPECT_THAT(board.serial.text, HasSubstr(" 4 [Router]"));
  std::vector<std::uint64_t> uptimes;
  for (const Telemetry& one : telemetries_of(board.tcp))
    if (one.from == Bench::kNode && one.variant == 2) uptimes.push_back(value_of(one.body, 5));
  ASSERT_EQ(uptimes.size(), 2U);
  EXPECT_GT(uptimes[1], 4'294'967U);
  EXPECT_EQ(uptimes[1] - uptimes[0], 60U);
}

}  // namespace
}  // namespace leakhunt::sim::test
