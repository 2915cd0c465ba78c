// The stepped bench itself: real sockets and terminals, hours in a moment, the same run each time.
#include "tests/daemon/stepped.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace leakhunt::daemon::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

sim::Scenario scenario(const std::string& name) {
  return *sim::make_scenario(name, {});
}

std::int64_t samples(const SteppedBench& bench, const std::string& source) {
  return bench.store().integer(
      "SELECT count(*) FROM sample_view WHERE field = 'heap_free_bytes' AND source = '" + source + "'");
}

TEST(SteppedBench, RecordsAnHourOfABoardOnTheNetwork) {
  SteppedBench bench;
  Board& board = bench.plug({.setup = {.uptime_s = 200}, .scenario = scenario("leak"), .tcp = true});
  bench.record("bench1", {board.tcp_address()});
  bench.start();
  bench.advance(hours{1} - seconds{1});
  bench.stop();
  EXPECT_EQ(samples(bench, "poll"), 60);
  EXPECT_EQ(bench.store().integer("SELECT count(*) FROM boot"), 1);
  EXPECT_EQ(board.device().counters().stats_answered, 60U);
}

TEST(SteppedBench, RecordsAnHourOfASerialLine) {
  SteppedBench bench;
  Board& board = bench.plug(
      {.setup = {.debug_heap = true, .text_only = true}, .scenario = scenario("steady"), .pty = "ttyUSB0"});
  bench.record("bench1", {board.pty_address() + "#listen"});
  bench.start();
  bench.advance(hours{1});
  bench.stop();
  EXPECT_GT(samples(bench, "debug_heap"), 700);
  EXPECT_EQ(bench.store().integer("SELECT count(*) FROM boot"), 1);
  EXPECT_EQ(board.pty().traffic().dropped_bytes, 0U);
}

// All that stands in the store of a bench whose two boards lose their links and restart.
std::string eventful_hour(std::uint32_t seed) {
  SteppedBench bench{{.seed = seed}};
  Board& net =
      bench.plug({.setup = {.identity = {.node = 11}}, .scenario = scenario("garbage"), .tcp = true});
  Board& usb = bench.plug({.setup = {.identity = {.node = 12}},
                           .scenario = scenario("leak"),
                           .pty = "ttyACM0",
                           .usb_serial = "STEP-12"});
  bench.record("net", {net.tcp_address()});
  bench.record("usb", {"usb:STEP-12"});
  bench.start();
  bench.advance(minutes{10});
  net.command("reset", bench.now());
  usb.command("panic", bench.now());
  bench.advance(minutes{10});
  usb.replug("ttyACM1");
  net.command("vanish", bench.now());
  bench.advance(minutes{40});
  bench.stop();
  std::string all;
  const auto db = bench.store();
  for (const char* sql :
       {"SELECT device || source || boot || ' ' || t_boot || '=' || value FROM sample_view ORDER BY device, "
        "boot, t_boot, source",
        "SELECT device || kind || utc_us || label || note FROM event ORDER BY device, utc_us, kind",
        "SELECT device || ' ' || boot || ' ' || t_boot || text FROM log_view ORDER BY device, boot, "
        "t_boot"}) {
    auto rows = db.prepare(sql);
    while (rows.step()) (all += rows.text(0)) += '\n';
  }
  return all;
}

TEST(SteppedBench, TheSameSeedGivesTheSameRun) {
  const std::string first = eventful_hour(7);
  EXPECT_GT(first.size(), 50'000U);
  EXPECT_EQ(first, eventful_hour(7));
  EXPECT_NE(first, eventful_hour(8));
}

}  // namespace
}  // namespace leakhunt::daemon::testing
