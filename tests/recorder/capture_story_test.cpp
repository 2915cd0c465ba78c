// What becomes of the bytes of a real meshtasticd 2.8.0 (tests/data/captures): one boot, one identity, the
// right samples, and no key. The virtual time follows the uptimes that the device tells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "proto/framer.h"
#include "proto/redact.h"
#include "tests/recorder/story.h"

namespace leakhunt::recorder::testing {
namespace {

using ::testing::SizeIs;

std::string contents(const std::string& name) {
  std::ifstream in{std::string{LEAKHUNT_TEST_DATA} + "/captures/" + name, std::ios::binary};
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>{in}, {}};
}

class Replay {
 public:
  Story story;

  void frames(const std::string& name) {
    story.open();
    story.recorder->handshake_began(0, story.now);
    const std::string bytes = contents(name);
    proto::Framer framer;
    framer.feed({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                [&](const proto::StreamItem& item) {
                  if (const auto* frame = std::get_if<proto::Frame>(&item)) {
                    take(*frame);
                  }
                });
  }

  void text(const std::string& name) {
    story.open(0, LinkKind::listen);
    const std::string bytes = contents(name);
    proto::Framer framer;
    framer.feed({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                [&](const proto::StreamItem& item) {
                  if (const auto* text = std::get_if<proto::TextLine>(&item)) {
                    proto::LogLine line = proto::read_text_line(text->text, text->complete);
                    follow(line.uptime);
                    story.line(std::move(line));
                  }
                });
  }

 private:
  void take(const proto::Frame& frame) {
    for (auto& record : proto::decode_from_radio(frame.payload)) {
      if (const auto* telemetry = std::get_if<proto::Telemetry>(&record)) {
        follow(telemetry->uptime_s ? std::optional<Duration>{seconds{*telemetry->uptime_s}} : std::nullopt);
      }
      story.record(std::move(record));
    }
  }

  void follow(std::optional<Duration> uptime) {
    if (uptime && booted_ + *uptime > story.now.mono) {
      story.pass(booted_ + *uptime - story.now.mono);
    }
  }

  Mono booted_ = story.now.mono;
};

TEST(CaptureStory, StockFirmwareTellsNoHeapAndNothingIsMadeUp) {
  Replay replay;
  replay.frames("meshtasticd-stock-19min.bin");
  const auto& stored = replay.story.stored;
  EXPECT_THAT(stored.boots, SizeIs(1));
  EXPECT_THAT(stored.identities, SizeIs(1));
  EXPECT_THAT(stored.samples, SizeIs(0));
  EXPECT_GT(stored.telemetry.size(), 15U);
  EXPECT_GT(replay.story.recorder->live().local_stats_without_heap, 0);
  EXPECT_FALSE(stored.boots.begin()->second.firmware_version.empty());
}

TEST(CaptureStory, ALeakFallsInEveryStatisticsReading) {
  Replay replay;
  replay.frames("meshtasticd-leak.bin");
  const auto& stored = replay.story.stored;
  EXPECT_THAT(stored.boots, SizeIs(1));
  std::vector<SampleRow> stats;
  std::copy_if(stored.samples.begin(), stored.samples.end(), std::back_inserter(stats),
               [](const SampleRow& row) { return row.source == Source::stats; });
  ASSERT_GT(stats.size(), 10U);
  for (std::size_t i = 1; i < stats.size(); ++i) {
    EXPECT_LT(stats[i].value_bytes, stats[i - 1].value_bytes);
    EXPECT_GT(stats[i].at.t, stats[i - 1].at.t);
  }
  EXPECT_FALSE(stored.heap_events.empty());
  EXPECT_EQ(stored.boots.begin()->second.debug_heap, true);
}

TEST(CaptureStory, TextLinesStandAtTheirUptime) {
  for (const char* name : {"meshtasticd-heap.stdout.log", "meshtasticd-stock.stdout.log"}) {
    Replay replay;
    replay.text(name);
    const auto& stored = replay.story.stored;
    EXPECT_THAT(stored.boots, SizeIs(1)) << name;
    ASSERT_GT(stored.logs.size(), 100U);
    for (const auto& row : stored.logs) {
      if (row.uptime_us) {
        EXPECT_NEAR(static_cast<double>(row.at.t.count()), static_cast<double>(*row.uptime_us), 2e6);
      }
    }
  }
}

}  // namespace
}  // namespace leakhunt::recorder::testing
