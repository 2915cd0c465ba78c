// Framing, the serial line's speed, and the text of a line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/agenda.h"
#include "sim/framer.h"
#include "sim/logtext.h"
#include "sim/uart.h"

namespace leakhunt::sim {
namespace {

using testing::ElementsAre;

TEST(FrameReader, AnySplitGivesTheSameMessages) {
  const std::string stream =
      "noise" + framed("one") + "\x94" + framed("") + "\x94\xC3\xFF\xFF" + framed("three");
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    FrameReader reader;
    std::vector<std::string> all = reader.feed(stream.substr(0, cut));
    for (std::string& more : reader.feed(stream.substr(cut))) all.push_back(std::move(more));
    ASSERT_THAT(all, ElementsAre("one", "", "three")) << "cut at " << cut;
  }
}

TEST(Framed, LengthIsBigEndian) {
  const std::string frame = framed(std::string(300, 'x'));
  EXPECT_EQ(frame.substr(0, 4), std::string("\x94\xC3\x01\x2C", 4));
}

TEST(Uart, BytesLeaveAtTheLinesSpeed) {
  Uart line;
  line.write(std::string(11'520, 'a'), Mono{0});
  EXPECT_EQ(line.leave(Mono{500'000}, 100'000).size(), 5'760U);
  EXPECT_EQ(line.leave(Mono{1'000'000}, 100'000).size(), 5'760U);
  EXPECT_EQ(line.next(Mono{1'000'000}), std::nullopt);
}

TEST(Uart, WhatComesLaterLeavesLater) {
  Uart line;
  line.write("early", Mono{0});
  line.write(std::string(1'152, 'b'), Mono{10'000'000});
  EXPECT_EQ(line.leave(Mono{10'000'000}, 100'000), "early");
  EXPECT_EQ(line.leave(Mono{10'050'000}, 100'000).size(), 576U);
}

TEST(Uart, WhatHasNoRoomIsLostAndCounted) {
  Uart line;
  line.write(std::string(1'000, 'a'), Mono{0});
  EXPECT_EQ(line.leave(Mono{1'000'000}, 300).size(), 300U);
  EXPECT_EQ(line.dropped_bytes(), 700U);
  EXPECT_EQ(line.leave(Mono{2'000'000}, 300), "");
}

TEST(Uart, ALineUnderWayIsCutWhenTheConsoleFallsSilent) {
  Uart line;
  line.write(std::string(1'152, 'a'), Mono{0});
  EXPECT_EQ(line.leave(Mono{50'000}, 100'000).size(), 576U);
  line.drop_unsent();
  EXPECT_EQ(line.leave(Mono{1'000'000}, 100'000), "");
  EXPECT_EQ(line.dropped_bytes(), 0U);
}

TEST(Agenda, RunsInOrderOfTimeAndTellsWhenItWasDue) {
  Agenda agenda;
  std::vector<std::int64_t> ran;
  agenda.at(Mono{30}, [&](Mono due) { ran.push_back(due.us); });
  agenda.every(Mono{10}, Duration{15}, [&](Mono due) { ran.push_back(due.us); });
  agenda.run_until(Mono{40});
  EXPECT_THAT(ran, ElementsAre(10, 25, 30, 40));
}

TEST(Agenda, ATaskMayForgetEverything) {
  Agenda agenda;
  int ran = 0;
  agenda.every(Mono{10}, Duration{10}, [&](Mono) {
    ++ran;
    agenda.clear();
  });
  agenda.run_until(Mono{100});
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(agenda.next(), std::nullopt);
}

TEST(TextLine, LooksAsTheFirmwarePrintsIt) {
  const LogLine line{.level = Level::debug, .thread = "Power", .message = "hello"};
  EXPECT_EQ(
      text_line(line, {.clock = "12:34:56", .uptime_ms = 61'999, .heap_bytes = 92'344, .colour = false}),
      "DEBUG | 12:34:56 61 [Power] [heap 92344] hello\r\n");
  EXPECT_EQ(
      text_line(line, {.clock = "??:??:??", .uptime_ms = 0, .heap_bytes = std::nullopt, .colour = true}),
      "\x1b[0m\x1b[34mDEBUG \x1b[0m| ??:??:?? 0 [Power] \x1b[34mhello\r\n");
}

TEST(TextLine, HeapStandsInThePlaceOfAMissingThread) {
  EXPECT_EQ(text_line({.level = Level::heap, .message = "x"},
                      {.clock = "00:00:01", .uptime_ms = 1'000, .heap_bytes = 8, .colour = false}),
            "HEAP | 00:00:01 1 [heap 8] x\r\n");
}

TEST(TextLine, UptimeWrapsAsMillisDoes) {
  const LogLine line{.level = Level::info, .message = "x"};
  EXPECT_EQ(text_line(line, {.clock = "00:00:01", .uptime_ms = 4'294'967'295, .colour = false}),
            "INFO  | 00:00:01 4294967 x\r\n");
  EXPECT_EQ(text_line(line, {.clock = "00:00:01", .uptime_ms = 4'294'967'296, .colour = false}),
            "INFO  | 00:00:01 0 x\r\n");
}

TEST(TextLine, TheBodyIsCutAtTheDevicesBuffer) {
  const std::string line = text_line({.level = Level::info, .message = std::string(400, 'x')},
                                     {.clock = "00:00:01", .uptime_ms = 0, .colour = false});
  EXPECT_EQ(std::count(line.begin(), line.end(), 'x'), 158);
}

}  // namespace
}  // namespace leakhunt::sim
