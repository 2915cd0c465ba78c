// Clocks that jump, sleep, wrap or are not set: the slope stays, no boot is invented, the order of arrival
// holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "answer/engine.h"
#include "storage/reader.h"
#include "tests/daemon/stepped.h"

namespace leakhunt::daemon::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr double kLeak_per_min = 324;
// Readings in four undisturbed hours: one a minute, and one a line.
constexpr std::int64_t kPolls = 240;
constexpr std::int64_t kLines = 4'000;

// What befalls a bench in the middle of its four hours.
using Trouble = std::function<void(SteppedBench&, Board&)>;

struct Life {
  double slope_per_min = 0;
  std::int64_t samples = 0;
  std::int64_t boots = 0;
  std::int64_t clock_steps = 0;
  std::int64_t disorders = 0;  // rows that stand before one that came earlier
};

v1::Timeline timeline_of(const std::string& store, const std::string& source) {
  auto reader = storage::open_for_reading(store);
  answer::Engine engine{*reader, {}};
  v1::Question question;
  auto& timeline = *question.mutable_timeline();
  timeline.mutable_window()->set_window("all");
  timeline.add_sources(source);
  const auto reply = engine.answer(question, {.now = SteppedBench::kStart.utc, .offline = true});
  EXPECT_TRUE(reply) << reply.error().line();
  return reply ? reply->answer.timeline() : v1::Timeline{};
}

Life four_hours(bool tcp, sim::Setup setup, const Trouble& trouble) {
  SteppedBench bench;
  setup.debug_heap = setup.text_only = !tcp;
  BoardSpec spec{.setup = std::move(setup), .scenario = *sim::make_scenario("leak", {}), .tcp = tcp};
  // Its own boot is not what this is about.
  if (spec.setup.uptime_s == 0) spec.setup.uptime_s = 5'000;
  // What it has lost before.
  spec.scenario.heap.base_bytes += kLeak_per_min * spec.setup.uptime_s / 60;
  if (!tcp) spec.pty = "ttyUSB0";
  Board& board = bench.plug(std::move(spec));
  bench.record("bench1", {tcp ? board.tcp_address() : board.pty_address() + "#listen"});
  bench.start();
  bench.advance(hours{2});
  trouble(bench, board);
  bench.advance(hours{2});
  bench.stop();
  const std::string source = tcp ? "poll" : "debug_heap";
  const auto db = bench.store();
  Life life;
  life.samples = db.integer(
      "SELECT count(*) FROM sample_view WHERE field = 'heap_free_bytes' AND source = '" + source + "'");
  const v1::Timeline timeline = timeline_of(bench.store_path(), source);
  life.slope_per_min = timeline.slope_per_min();
  // Wherever the clock was, all of it is seen.
  EXPECT_EQ(timeline.samples(), life.samples);
  life.boots = db.integer("SELECT count(*) FROM boot");
  life.clock_steps = db.integer("SELECT count(*) FROM event WHERE kind = 'clock_step'");
  // Events are numbered as they come; lines tell the second they were printed in, until it wraps.
  life.disorders = db.integer(
                       "SELECT count(*) FROM event a JOIN event b ON a.id < b.id AND (a.boot, a.t_boot) > "
                       "(b.boot, b.t_boot)") +
                   db.integer(
                       "SELECT count(*) FROM (SELECT uptime_us - lag(uptime_us) OVER (ORDER BY boot, "
                       "t_boot) AS d FROM log) "
                       "WHERE d < 0 AND d > -4000000000000");
  return life;
}

// As if nothing had happened: what an undisturbed life gives is tested below.
void expect_unharmed(const Life& life, bool tcp) {
  EXPECT_NEAR(life.slope_per_min, -kLeak_per_min, kLeak_per_min * 0.01);
  EXPECT_EQ(life.boots, 1);
  EXPECT_EQ(life.disorders, 0);
  EXPECT_GT(life.samples, (tcp ? kPolls : kLines) * 3 / 4);
}

// Over TCP with polls, and on a line that is listened to.
class Clocks : public ::testing::TestWithParam<bool> {
 protected:
  void expect_unharmed_by(const Trouble& trouble, std::int64_t clock_steps = 0, sim::Setup setup = {}) {
    const Life life = four_hours(GetParam(), std::move(setup), trouble);
    expect_unharmed(life, GetParam());
    EXPECT_EQ(life.clock_steps, clock_steps);
  }
  static Trouble set_by(Duration d) {
    return [d](SteppedBench& bench, Board&) { bench.clock().set_by(d); };
  }
};

INSTANTIATE_TEST_SUITE_P(Links, Clocks, ::testing::Bool(),
                         [](const auto& tcp) { return tcp.param ? "Tcp" : "Listen"; });

TEST_P(Clocks, UndisturbedTheLeakIsFound) {
  const Life life = four_hours(GetParam(), {}, [](SteppedBench&, Board&) {});
  EXPECT_NEAR(life.slope_per_min, -kLeak_per_min, 0.5);
  EXPECT_GE(life.samples, GetParam() ? kPolls : kLines);
  EXPECT_EQ(life.boots, 1);
  EXPECT_EQ(life.clock_steps, 0);
  EXPECT_EQ(life.disorders, 0);
}

TEST_P(Clocks, TheHostsClockIsSetAnHourOn) {
  expect_unharmed_by(set_by(hours{1}), 1);
}

TEST_P(Clocks, TheHostsClockIsSetAnHourBack) {
  expect_unharmed_by(set_by(-hours{1}), 1);
}

TEST_P(Clocks, TheHostsClockIsSetFiftyYearsBack) {
  expect_unharmed_by(set_by(-hours{50 * 365 * 24}), 1);
}

TEST_P(Clocks, TheHostSleeps) {
  expect_unharmed_by([](SteppedBench& bench, Board&) { bench.clock().suspend(minutes{40}); });
}

TEST_P(Clocks, TheHostSleepsAndItsClockIsSetWhenItWakes) {
  expect_unharmed_by(
      [](SteppedBench& bench, Board&) {
        bench.clock().suspend(minutes{40});
        bench.clock().set_by(seconds{-90});
      },
      1);
}

TEST_P(Clocks, TheDevicesClockBecomesReal) {
  expect_unharmed_by(
      [](SteppedBench&, Board& board) { board.device().set_clock(SteppedBench::kStart.mono + hours{2}); }, 0,
      {.clock_set_s = 1e9});
}

TEST_P(Clocks, TheUptimeOfTextWraps) {
  expect_unharmed_by([](SteppedBench&, Board&) {}, 0, {.uptime_s = 4'294'967 - 7'000});
}

class StalePairs : public ::testing::TestWithParam<double> {};

INSTANTIATE_TEST_SUITE_P(Ages, StalePairs, ::testing::Values(300.0, 7'200.0, 3 * 86'400.0));

TEST_P(StalePairs, NeitherBootNorBend) {
  const Life life = four_hours(true, {.uptime_s = 400'000, .stale_pair_s = GetParam()},
                               [](SteppedBench&, Board& board) { board.tcp().hang_up(); });
  expect_unharmed(life, true);
}

}  // namespace
}  // namespace leakhunt::daemon::testing
