// One board on a network, with its serial console listened to: one timeline of boots, and each line once.
#include <gtest/gtest.h>

#include <string>

#include "tests/daemon/stepped.h"

namespace leakhunt::daemon::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class TwoLinks : public ::testing::Test {
 protected:
  void start(sim::Setup setup) {
    // No board is on the network before its console has begun to speak.
    setup.uptime_s = 200;
    board = &bench.plug({.setup = std::move(setup),
                         .scenario = *sim::make_scenario("steady", {}),
                         .tcp = true,
                         .pty = "ttyUSB0"});
    bench.record("bench1", {board->tcp_address(), board->pty_address() + "#listen"});
    bench.start();
  }
  void say(const std::string& text) {
    board->device().say({sim::Level::info, "Router", text}, bench.now());
    bench.advance(seconds{1});
  }
  [[nodiscard]] std::int64_t number(const std::string& sql) const { return bench.store().integer(sql); }
  [[nodiscard]] std::int64_t lines(const std::string& text) const {
    return number("SELECT count(*) FROM log WHERE text LIKE '%" + text + "%'");
  }

  SteppedBench bench;
  Board* board = nullptr;
};

TEST_F(TwoLinks, HaveOneTimelineOfBoots) {
  start({.debug_heap = true});
  for (const char* how : {"reboot", "panic", "watchdog"}) {
    bench.advance(minutes{5});
    board->command(how, bench.now());
  }
  bench.advance(minutes{5});
  bench.stop();
  EXPECT_EQ(number("SELECT count(*) FROM boot"), 4);
  EXPECT_EQ(number("SELECT count(*) FROM event WHERE kind = 'boot' AND label = 'panic'"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM event WHERE kind = 'boot' AND label = 'watchdog'"), 1);
  // Each boot has the lines of the one link and the polls of the other.
  EXPECT_EQ(number("SELECT count(DISTINCT boot) FROM sample_view WHERE source = 'poll'"), 4);
  EXPECT_EQ(number("SELECT count(DISTINCT boot) FROM sample_view WHERE source = 'debug_heap'"), 4);
}

TEST_F(TwoLinks, AnEqualLineOnBothIsStoredOnceAndTwoOnOneAreTwo) {
  start({.tcp_log = true});
  bench.advance(minutes{1});
  say("once on each");
  board->device().say({sim::Level::info, "Router", "twice on each"}, bench.now());
  say("twice on each");
  bench.advance(minutes{1});
  bench.stop();
  EXPECT_EQ(lines("once on each"), 1);
  EXPECT_EQ(lines("twice on each"), 2);
}

TEST_F(TwoLinks, ALostLinkIsNoBootAndTheOtherGoesOn) {
  start({.debug_heap = true});
  // Away from the full minutes, when requests are under way.
  bench.advance(minutes{10} + seconds{30});
  for (int i = 0; i < 5; ++i) {
    board->command("tcp reset", bench.now());
    bench.advance(minutes{1});
    board->command("pty unplug", bench.now());
    bench.advance(minutes{1});
    board->command("pty plug", bench.now());
    bench.advance(minutes{1});
  }
  bench.stop();
  EXPECT_EQ(number("SELECT count(*) FROM boot"), 1);
  EXPECT_GE(number("SELECT count(*) FROM sample_view WHERE source = 'poll'"), 24);
}

}  // namespace
}  // namespace leakhunt::daemon::testing
