// Every byte that the recorder sends to a device in two hours with restarts and silence, mode by mode, over
// real sockets and terminals: exactly what the list allows, at the times the mode allows, to nobody but the
// own node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leakhunt/v1/api.pb.h"
#include "tests/daemon/stepped.h"
#include "tests/sim/bench.h"

namespace leakhunt::daemon::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kNode = 0x51E0A7C3;
const std::string kWantConfig{"\x94\xC3\x00\x04\x18\xAC\x9E\x04", 8};
const std::string kHeartbeat{"\x94\xC3\x00\x02\x3A\x00", 6};
// To the own node, TELEMETRY_APP, an empty local_stats, an answer wanted; a fresh id follows.
const std::string kAskStats{
    "\x94\xC3\x00\x16\x0A\x14\x15\xC3\xA7\xE0\x51\x22\x08\x08\x43\x12\x02\x32\x00\x18\x01\x35", 22};
constexpr std::size_t kIdBytes = 4;

// What was sent, told by its bytes alone.
struct Sent {
  std::string what;
  double at_s = 0;
};

// A word for the frame, exact to the byte; anything else is spelled out and fits no list.
std::string name_of(const std::string& frame) {
  if (frame == kWantConfig) return "config";
  if (frame == kHeartbeat) return "beat";
  if (frame.size() == kAskStats.size() + kIdBytes && frame.starts_with(kAskStats) &&
      frame.substr(kAskStats.size()) != std::string(kIdBytes, '\0'))
    return "stats";
  const std::string packet = sim::test::bytes_of(frame.substr(4), 1);
  const std::string data = sim::test::bytes_of(packet, 4);
  constexpr std::uint64_t kAdmin = 6;
  if (sim::test::value_of(packet, 2) == kNode && sim::test::value_of(data, 1) == kAdmin) {
    const auto admin = sim::test::fields(sim::test::bytes_of(data, 2));
    return "admin " + std::to_string(admin.empty() ? 0 : admin.front().number);
  }
  std::string hex = "unknown";
  for (const char byte : frame) {
    char two[4];
    std::snprintf(two, sizeof two, " %02X", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    hex += two;
  }
  return hex;
}

// The frames of a board's clients, each with the second it came.
class Overheard {
 public:
  explicit Overheard(Board& board) {
    board.device().overhear([this](const sim::Port&, std::string_view bytes, Mono at) {
      bytes_ += bytes;
      while (bytes_.size() >= 4 && bytes_.size() >= length()) {
        sent.push_back(
            {name_of(bytes_.substr(0, length())), leakhunt::seconds(at - SteppedBench::kStart.mono)});
        bytes_.erase(0, length());
      }
    });
  }
  // "stats 30 x 60 s from 0": runs of the same at the same distance, in the order of their beginnings. What
  // was sent before is forgotten.
  [[nodiscard]] std::vector<std::string> runs();
  // What belongs to no frame.
  [[nodiscard]] const std::string& rest() const { return bytes_; }

  std::vector<Sent> sent;

 private:
  [[nodiscard]] std::size_t length() const {
    return 4 + static_cast<std::size_t>(static_cast<unsigned char>(bytes_[2])) * 256 +
           static_cast<unsigned char>(bytes_[3]);
  }
  std::string bytes_;
};

std::vector<std::string> Overheard::runs() {
  struct Run {
    std::string what;
    double first = 0;
    double last = 0;
    double every = 0;
    int count = 1;
  };
  std::vector<Run> all;
  for (const Sent& each : sent) {
    Run* run = nullptr;
    for (Run& earlier : all)
      if (earlier.what == each.what) run = &earlier;
    const double gap = run == nullptr ? 0 : each.at_s - run->last;
    const bool goes_on = run != nullptr && (run->count == 1 || std::abs(gap - run->every) < 0.5);
    if (!goes_on) {
      all.push_back({each.what, each.at_s, each.at_s, 0, 1});
      continue;
    }
    run->every = gap;
    run->last = each.at_s;
    ++run->count;
  }
  std::vector<std::string> told;
  for (const Run& run : all) {
    std::string one = run.what;
    if (run.count > 1)
      one += " " + std::to_string(run.count) + " x " + std::to_string(std::lround(run.every)) + " s";
    told.push_back(one + " from " + std::to_string(std::lround(run.first)));
  }
  sent.clear();
  return told;
}

class Modes : public ::testing::Test {
 protected:
  // A board of its own kind of port, recorded in this mode.
  Board& record(const std::string& mode, bool tcp, sim::Setup setup = {}) {
    setup.identity.node = kNode;
    BoardSpec spec{.setup = std::move(setup), .scenario = *sim::make_scenario("steady", {}), .tcp = tcp};
    if (!tcp) spec.pty = "ttyACM0";
    Board& board = bench.plug(std::move(spec));
    bench.record("bench1", {(tcp ? board.tcp_address() : board.pty_address()) + mode});
    return board;
  }
  // Half an hour of peace, a restart, a quarter of silence after an hour, a crash after an hour and a half.
  void live_two_hours(Board& board) {
    bench.start();
    bench.advance(minutes{30});
    board.command("reboot", bench.now());
    bench.advance(minutes{30});
    board.command("stall 900", bench.now());
    bench.advance(minutes{30});
    board.command("panic", bench.now());
    bench.advance(minutes{30});
    bench.stop();
  }
  // While the board is silent it is greeted now and then; nothing else is sent, and that is counted here
  // alone.
  static void expect_greetings_alone_in_silence(Overheard& heard) {
    constexpr double kGivenUp_s = 3'661;  // a heartbeat stayed without an answer for a minute
    constexpr double kSpeaks_s = 4'500;
    int greetings = 0;
    std::erase_if(heard.sent, [&](const Sent& each) {
      if (each.at_s < kGivenUp_s || each.at_s >= kSpeaks_s) return false;
      EXPECT_EQ(each.what, "config");
      ++greetings;
      return true;
    });
    EXPECT_GE(greetings, 8);
    EXPECT_LE(greetings, 40);
  }
  v1::Answer ask(const v1::Question& question, Duration patience) {
    std::optional<Result<v1::Answer>> got;
    bench.links().carry_out(question, [&](Result<v1::Answer> answer) { got = std::move(answer); });
    bench.settle();
    bench.advance(patience);
    EXPECT_TRUE(got && *got) << (got ? got->error().line() : "no answer");
    return got && *got ? **got : v1::Answer{};
  }

  SteppedBench bench;
};

TEST_F(Modes, Api) {
  Board& board = record("", true);
  Overheard heard{board};
  live_two_hours(board);
  expect_greetings_alone_in_silence(heard);
  EXPECT_THAT(heard.runs(), ElementsAre("config 2 x 1801 s from 0", "stats 62 x 60 s from 0",
                                        "beat 6 x 300 s from 300", "beat 6 x 300 s from 2101",
                                        "config 2 x 893 s from 4507", "stats 45 x 60 s from 4507",
                                        "beat 2 x 300 s from 4807", "beat 5 x 300 s from 5701"));
  EXPECT_THAT(heard.rest(), IsEmpty());
}

TEST_F(Modes, ApiOnASerialLine) {
  Board& board = record("", false);
  Overheard heard{board};
  live_two_hours(board);
  expect_greetings_alone_in_silence(heard);
  EXPECT_THAT(heard.runs(), ElementsAre("config 2 x 1802 s from 0", "stats 62 x 60 s from 0",
                                        "beat 6 x 300 s from 300", "beat 6 x 300 s from 2102",
                                        "config 2 x 902 s from 4500", "stats 45 x 60 s from 4500",
                                        "beat 3 x 300 s from 4800", "beat 5 x 300 s from 5702"));
  EXPECT_THAT(heard.rest(), IsEmpty());
}

TEST_F(Modes, ListenSendsNothing) {
  Board& board = record("#listen", false, {.debug_heap = true});
  Overheard heard{board};
  live_two_hours(board);
  EXPECT_THAT(heard.sent, IsEmpty());
  EXPECT_THAT(heard.rest(), IsEmpty());
  EXPECT_EQ(board.device().counters().boots, 3U);
}

TEST_F(Modes, AutoSpeaksOnceABoardHasPrintedItsHeap) {
  Board& board = record("#auto", false, {.debug_heap = true});
  Overheard heard{board};
  live_two_hours(board);
  expect_greetings_alone_in_silence(heard);
  EXPECT_THAT(
      heard.runs(),
      ElementsAre("config 2 x 1800 s from 2", "stats 61 x 60 s from 2", "beat 5 x 300 s from 302",
                  "beat 6 x 300 s from 2102", "config 2 x 902 s from 4500", "stats 15 x 60 s from 4500",
                  "beat 2 x 300 s from 4800", "stats 30 x 60 s from 5402", "beat 5 x 300 s from 5702"));
  EXPECT_THAT(heard.rest(), IsEmpty());
}

TEST_F(Modes, AutoSpeaksAfterTwentySecondsToOneThatDoesNot) {
  Board& board = record("#auto", false);
  Overheard heard{board};
  live_two_hours(board);
  expect_greetings_alone_in_silence(heard);
  EXPECT_THAT(
      heard.runs(),
      ElementsAre("config 2 x 1800 s from 20", "stats 61 x 60 s from 20", "beat 5 x 300 s from 320",
                  "beat 6 x 300 s from 2120", "config 2 x 920 s from 4500", "stats 15 x 60 s from 4500",
                  "beat 2 x 300 s from 4800", "stats 30 x 60 s from 5420", "beat 5 x 300 s from 5720"));
  EXPECT_THAT(heard.rest(), IsEmpty());
}

TEST_F(Modes, GentleAsksForNothing) {
  Board& board = record("#gentle", true);
  Overheard heard{board};
  live_two_hours(board);
  expect_greetings_alone_in_silence(heard);
  EXPECT_THAT(heard.runs(), ElementsAre("config 2 x 1801 s from 0", "beat 6 x 300 s from 300",
                                        "beat 6 x 300 s from 2101", "config 2 x 844 s from 4557",
                                        "beat 2 x 300 s from 4857", "beat 5 x 300 s from 5701"));
  EXPECT_THAT(heard.rest(), IsEmpty());
}

TEST_F(Modes, NothingIsSentWhileReleased) {
  Board& board = record("", true);
  Overheard heard{board};
  bench.start();
  bench.advance(minutes{10});
  EXPECT_THAT(heard.runs(),
              ElementsAre("config from 0", "stats 11 x 60 s from 0", "beat 2 x 300 s from 300"));
  v1::Question release;
  release.mutable_release()->set_for_s(1'800);
  ask(release, seconds{1});
  const auto opens = board.tcp().traffic().opens;
  board.command("reboot", bench.now());
  bench.advance(minutes{29});
  EXPECT_THAT(heard.sent, IsEmpty());
  EXPECT_EQ(board.tcp().traffic().opens, opens);
  bench.advance(minutes{10});
  EXPECT_THAT(heard.runs(), ElementsAre("config from 2400", "stats 10 x 60 s from 2400", "beat from 2700"));
  EXPECT_THAT(heard.rest(), IsEmpty());
}

TEST_F(Modes, DebugLogReadsChangesAndReadsBack) {
  sim::Setup setup;
  setup.security = {.public_key = "SIM-PUBLIC-KEY-00123456789abcdef",
                    .private_key = std::string{sim::kPrivateKey},
                    .debug_log_api_enabled = false};
  Board& board = record("", false, std::move(setup));
  Overheard heard{board};
  bench.start();
  bench.advance(minutes{1});
  EXPECT_THAT(heard.runs(), ElementsAre("config from 0", "stats from 0"));
  v1::Question question;
  question.mutable_debug_log()->set_on(true);
  const v1::Answer answer = ask(question, minutes{3});
  EXPECT_TRUE(answer.debug_log().is());
  EXPECT_TRUE(board.device().security().debug_log_api_enabled);
  EXPECT_THAT(heard.runs(), ElementsAre("admin 5 2 x 12 s from 60", "stats 3 x 60 s from 60",
                                        "admin 34 from 60", "config from 69"));
  EXPECT_THAT(heard.rest(), IsEmpty());
}

}  // namespace
}  // namespace leakhunt::daemon::testing
