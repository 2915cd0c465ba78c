// Framing: any split of the bytes gives the same frames and lines, and nothing in the stream stops it.
#include "proto/framer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/proto/support.h"

namespace leakhunt::proto {
namespace {

using testing::Bytes;
using testing::bytes;
using testing::collect;
using testing::Collected;
using testing::frame;
using testing::small_payload;
using testing::operator+;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Framer::Sink into(Collected& out) {
  return [&out](const StreamItem& item) { out(item); };
}

TEST(Framer, GivesFramesAndLinesInTheOrderOfTheStream) {
  const Collected got = collect(bytes("one\r\n") + frame(small_payload()) + bytes("two\n") + frame({}));
  EXPECT_THAT(got.order, ElementsAre("one", "<frame>", "two", "<frame>"));
  EXPECT_THAT(got.frames, ElementsAre(small_payload(), Bytes{}));
}

TEST(Framer, AFrameInTheMiddleOfALineLeavesTheLineWhole) {
  const Collected got = collect(bytes("DEBUG | half") + frame(small_payload()) + bytes(" and half\r\n"));
  EXPECT_THAT(got.order, ElementsAre("<frame>", "DEBUG | half and half"));
}

TEST(Framer, EveryKindOfLineEndEndsOneLine) {
  EXPECT_THAT(collect(bytes("a\rb\nc\r\nd\n\r\n\ne\r\r\n")).order, ElementsAre("a", "b", "c", "d", "e"));
}

TEST(Framer, AStartByteInsideTextStartsNoFrame) {
  const std::string battery = "x\xF0\x9F\x94\x8By";
  const std::string dash = "a \xE2\x80\x94\xC3\xA9 b";  // an em dash before an é: 0x94 0xC3 inside valid text
  EXPECT_THAT(collect(bytes(battery + "\n" + dash + "\n")).lines, ElementsAre(battery, dash));
}

TEST(Framer, ATextEndingInAStartByteDoesNotHideTheFrameBehindIt) {
  const Collected got = collect(bytes("dash \xE2\x80\x94") + frame(small_payload()) + bytes("\n"));
  EXPECT_THAT(got.order, ElementsAre("<frame>", "dash \xE2\x80\x94"));
}

TEST(Framer, AnOversizedLengthIsNoFrameAndItsBytesAreLookedAtAgain) {
  FramerCounters counters;
  const Collected got =
      collect(Bytes{0x94, 0xC3, 0xFF, 0xFF} + frame(small_payload()) + bytes("ok\n"), &counters);
  EXPECT_THAT(got.order, ElementsAre("<frame>", "ok"));
  EXPECT_EQ(counters.oversized, 1U);
  EXPECT_THAT(collect(Bytes{0x94, 0xC3, 0x94, 0xC3, 0, 4} + small_payload()).frames,
              ElementsAre(small_payload()));
  EXPECT_THAT(collect(Bytes{0x94, 0xC3, 0x02, 0x01} + bytes("text\n")).lines, ElementsAre("text"))
      << "a length of 513 is bogus, and the text behind it is kept";
}

TEST(Framer, AFalseStartInsideTextLosesNoText) {
  FramerCounters counters;
  const Collected got = collect(bytes("before ") + Bytes{0x94, 0xC3, 0x00, 0x10} +
                                    bytes("INFO  | 12:34:56 61 [Main] kept\r\nalso kept\n"),
                                &counters);
  EXPECT_EQ(counters.false_starts, 1U);
  EXPECT_THAT(got.lines, ElementsAre("before INFO  | 12:34:56 61 [Main] kept", "also kept"));
  for (const Bytes& header :
       {Bytes{0x94, 0xC3, 0x03, 0xE8}, Bytes{0x94, 0xC3, 0x02, 0x01}, Bytes{0x94, 0xC3}})
    EXPECT_THAT(collect(bytes("ab") + header + bytes("cd\n")).lines,
                ElementsAre(::testing::MatchesRegex("ab.*cd")));
}

TEST(Framer, BinaryBetweenLinesIsDroppedAndTheLinesStay) {
  FramerCounters counters;
  const Collected got = collect(Bytes{0x01, 0x02} + bytes("one\nx") + Bytes{0x07, 0x08} +
                                    bytes("yDEBUG | two\nz") + Bytes{0x07} + bytes("z\nthree\n"),
                                &counters);
  EXPECT_THAT(got.lines, ElementsAre("one", "DEBUG | two", "three"));
  EXPECT_EQ(counters.discarded_bytes, 9U);
}

TEST(Framer, ALostByteCostsOneFrameAndNotTheNext) {
  Bytes damaged = frame(Bytes(40, 0x08));
  damaged.erase(damaged.begin() + 9);
  const Collected got = collect(damaged + frame(small_payload()) + bytes("INFO  | 1\n"));
  EXPECT_THAT(got.frames, ElementsAre(small_payload()));
  EXPECT_THAT(got.lines, ElementsAre("INFO  | 1"));
}

// A network configuration: its password must not come out as a line, whichever byte was lost.
TEST(Framer, TheRemainsOfABrokenFrameAreNoText) {
  const std::string password = "pass\nword1";
  const Bytes network = Bytes{0x08, 0x01, 0x1A, 0x03, 'l', 'a', 'n', 0x22, 10} + bytes(password);
  const Bytes section = Bytes{0x22, static_cast<std::uint8_t>(network.size())} + network;
  const Bytes whole = frame(Bytes{0x2A, static_cast<std::uint8_t>(section.size())} + section);
  for (std::size_t lost = 0; lost < whole.size(); ++lost) {
    Bytes damaged = whole;
    damaged.erase(damaged.begin() + static_cast<std::ptrdiff_t>(lost));
    const Collected got = collect(bytes("seen before\n") + damaged + frame(small_payload()) +
                                  bytes("DEBUG | 12:00:00 1 next\n"));
    EXPECT_THAT(got.lines, ElementsAre("seen before", "DEBUG | 12:00:00 1 next")) << "lost byte " << lost;
    EXPECT_THAT(got.frames, ::testing::Contains(small_payload())) << "lost byte " << lost;
  }
}

TEST(Framer, AFrameThatEndsInAStartByteIsGivenOutAtOnceAndOnce) {
  Bytes payload = small_payload() + Bytes{0x0D, 0x00, 0x00, 0x00, 0x94};
  EXPECT_THAT(collect(frame(payload) + bytes("a\n") + frame(payload) + frame(payload)).order,
              ElementsAre("<frame>", "a", "<frame>", "<frame>"));
  Collected out;
  Framer framer;
  framer.feed(frame(payload), into(out));
  EXPECT_EQ(out.frames.size(), 1U);
  framer.feed(bytes("text"), into(out));
  framer.flush_pause(into(out));
  EXPECT_THAT(out.order, ElementsAre("<frame>", "text…"));
}

TEST(Framer, ALineWithoutEndComesOutAfterAPause) {
  Collected out;
  Framer framer;
  framer.feed(bytes("waiting"), into(out));
  EXPECT_THAT(out.order, IsEmpty());
  framer.flush_pause(into(out));
  EXPECT_THAT(out.order, ElementsAre("waiting…"));
  framer.flush_pause(into(out));
  EXPECT_EQ(out.order.size(), 1U);
}

TEST(Framer, AFrameUnderWaySurvivesOnePauseAndIsGivenUpAtTheSecond) {
  const Bytes whole = frame(small_payload());
  Collected out;
  Framer framer;
  framer.feed(std::span{whole}.first(6), into(out));
  framer.flush_pause(into(out));
  framer.feed(std::span{whole}.subspan(6), into(out));
  EXPECT_THAT(out.order, ElementsAre("<frame>"));

  framer.feed(std::span{whole}.first(6), into(out));
  framer.flush_pause(into(out));
  framer.flush_pause(into(out));
  framer.feed(bytes("text\n"), into(out));
  framer.feed(whole, into(out));
  framer.feed(bytes("INFO  | 2\n"), into(out));
  EXPECT_EQ(out.frames.size(), 2U);
  EXPECT_EQ(out.lines.back(), "INFO  | 2");
}

TEST(Framer, ALineThatLostItsTailToFramesIsNotGluedToLaterText) {
  Bytes stream = bytes("DEBUG | 00:01:40 100 [Rou");
  for (int i = 0; i < 20; ++i) stream = stream + frame(small_payload());
  const Collected got = collect(stream + bytes("INFO  | after the reboot\n"));
  EXPECT_THAT(got.lines, ElementsAre("DEBUG | 00:01:40 100 [Rou", "INFO  | after the reboot"));
}

TEST(Framer, ColoursAndNulAreDroppedEvenFromTheNextLinesStart) {
  using namespace std::string_literals;
  const std::string coloured =
      "\x1b[34m\0DEBUG \x1b[0m| 12:34:56 61 [Power] \x1b[34m\0hot\r\n\x1b[0m\0\x1b[32m\0INFO  \x1b[0m| x\r\n"s;
  EXPECT_THAT(collect(bytes(coloured)).lines, ElementsAre("DEBUG | 12:34:56 61 [Power] hot", "INFO  | x"));
}

TEST(Framer, AnOverlongLineIsCutAndCounted) {
  FramerCounters counters;
  Collected out;
  Framer framer;
  std::vector<bool> cut;
  const Framer::Sink sink = [&](const StreamItem& item) {
    out(item);
    cut.push_back(std::get<TextLine>(item).cut);
  };
  framer.feed(bytes(std::string(10'000, 'x') + "\nshort\n"), sink);
  EXPECT_EQ(out.lines[0].size(), Framer::max_line_bytes);
  EXPECT_EQ(out.lines[1], "short");
  EXPECT_THAT(cut, ElementsAre(true, false));
  EXPECT_EQ(framer.counters().cut_lines, 1U);
}

TEST(Framer, BytesThatAreNoTextBecomeReplacementCharacters) {
  EXPECT_THAT(collect(bytes("a\xFF\xFE\xF0z\n")).lines, ElementsAre("a\xEF\xBF\xBDz"));
}

TEST(Framer, JunkThatIsNoTextBeforeALineIsNoPartOfIt) {
  EXPECT_THAT(collect(bytes("LQ\xBA\xFD} INFO  | 14:18:30 32 [Router] [heap 81234] on\n")).lines,
              ElementsAre("INFO  | 14:18:30 32 [Router] [heap 81234] on"));
}

// Text, frames, damage and noise as a seed makes them.
Bytes random_stream(std::mt19937& random) {
  std::uniform_int_distribution<int> kind{0, 7};
  std::uniform_int_distribution<int> byte{0, 255};
  Bytes stream;
  for (int part = 0; part < 60; ++part) {
    switch (kind(random)) {
      case 0:
        stream = stream + bytes("INFO  | 12:34:56 61 [Main] hello \xF0\x9F\x94\x8B\r\n");
        break;
      case 1:
        stream = stream + bytes("no end ");
        break;
      case 2:
        stream = stream + frame(small_payload());
        break;
      case 3:
        stream = stream + frame({});
        break;
      case 4:
        stream = stream + Bytes{0x94, 0xC3, static_cast<std::uint8_t>(byte(random) % 4)};
        break;
      case 5:
        stream = stream + Bytes{0x94};
        break;
      case 6:
        stream = stream + bytes("\x1b[0m\r");
        break;
      default:
        for (int i = byte(random); i > 0; --i) stream.push_back(static_cast<std::uint8_t>(byte(random)));
    }
  }
  return stream;
}

TEST(Framer, AnySplitOfTheBytesGivesTheSame) {
  std::mt19937 random{20'260'801};
  for (int round = 0; round < 200; ++round) {
    const Bytes stream = random_stream(random);
    const Collected whole = collect(stream);
    Collected split;
    Framer framer;
    std::geometric_distribution<std::size_t> length{round % 2 == 0 ? 0.3 : 0.01};
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t step = std::min(1 + length(random), stream.size() - at);
      framer.feed(std::span{stream}.subspan(at, step), into(split));
      at += step;
    }
    framer.finish(into(split));
    ASSERT_EQ(split.order, whole.order) << "round " << round;
    ASSERT_EQ(split.frames, whole.frames);
    for (const std::string& line : whole.lines) ASSERT_LE(line.size(), 3 * Framer::max_line_bytes);
  }
}

TEST(Framer, FramesBetweenNoiseAreFoundAgain) {
  std::mt19937 random{7};
  std::uniform_int_distribution<int> byte{0, 255};
  Bytes stream;
  constexpr std::size_t count = 200;
  for (std::size_t i = 0; i < count; ++i) {
    for (int n = byte(random); n > 0; --n) {
      const auto noise = static_cast<std::uint8_t>(byte(random));
      stream.push_back(noise == 0x94 ? 0x95 : noise);
    }
    stream = stream + frame(small_payload());
  }
  EXPECT_EQ(collect(stream).frames.size(), count);
}

}  // namespace
}  // namespace leakhunt::proto
