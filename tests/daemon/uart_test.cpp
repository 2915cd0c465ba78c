// A serial line that is full all the time, with a store or a reader that stalls for seconds: what is lost
// where, and that it is told. The model of the line: sim/uart.h.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/daemon/stepped.h"

namespace leakhunt::daemon::testing {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kLineBytes_per_s = 11'520;

class FullLine : public ::testing::Test {
 protected:
  explicit FullLine(std::size_t queue_bytes = std::size_t{64} << 20) : bench({.queue_bytes = queue_bytes}) {
    board = &bench.plug({.setup = {.debug_heap = true, .text_only = true, .line_every_s = 0.001},
                         .scenario = *sim::make_scenario("steady", {}),
                         .pty = "ttyUSB0"});
    bench.record("bench1", {board->pty_address() + "#listen"});
    bench.start();
  }
  // A minute in which `stall` holds for two seconds, and two seconds are given to recover, by turns.
  template <class Stall>
  void live_a_minute(Stall stall) {
    for (int i = 0; i < 15; ++i) {
      stall(true);
      bench.advance(seconds{2});
      stall(false);
      bench.advance(seconds{2});
    }
    traffic = board->pty().traffic();
    bench.stop();
  }
  [[nodiscard]] std::int64_t number(const std::string& sql) const { return bench.store().integer(sql); }
  // Lines of the board's own log; those of the boot loader are no LogLine of it.
  [[nodiscard]] std::int64_t lines_stored() const {
    return number("SELECT count(*) FROM log WHERE text LIKE '% | %'");
  }
  // Written in whole, but not given to the reader.
  [[nodiscard]] std::int64_t lines_written() const {
    return static_cast<std::int64_t>(board->device().counters().text_lines);
  }

  // Times at which a line that is always full brought nothing for long.
  [[nodiscard]] std::int64_t silent_stretches() const {
    return number(
        "SELECT count(*) FROM (SELECT t_boot - lag(t_boot) OVER (PARTITION BY boot ORDER BY t_boot) AS d "
        "FROM log) "
        "WHERE d > 1500000");
  }

  SteppedBench bench;
  Board* board = nullptr;
  sim::Traffic traffic;
};

TEST_F(FullLine, AStoreThatStallsCostsNothing) {
  live_a_minute([this](bool stalled) { bench.stall_store(stalled); });
  EXPECT_EQ(traffic.dropped_bytes, 0U);
  EXPECT_GT(traffic.sent_bytes, 60 * kLineBytes_per_s * 95 / 100);
  // The console waits while more than 256 bytes have not left: so much of the last lines may be under way.
  EXPECT_GE(lines_stored(), lines_written() - 8);
  EXPECT_LE(lines_stored(), lines_written());
  EXPECT_EQ(number("SELECT count(*) FROM gap"), 0);
  EXPECT_EQ(silent_stretches(), 1);  // the board's own, right after its start
}

class FullLineSmallQueue : public FullLine {
 protected:
  FullLineSmallQueue() : FullLine(32 * 1024) {}
};

TEST_F(FullLineSmallQueue, WhatTheQueueCannotHoldIsCounted) {
  live_a_minute([this](bool stalled) { bench.stall_store(stalled); });
  EXPECT_EQ(traffic.dropped_bytes, 0U);
  const std::int64_t counted = number("SELECT coalesce(sum(lines), 0) FROM gap");
  EXPECT_GT(counted, 0);
  EXPECT_GE(lines_stored() + counted, lines_written() - 8);
  // Of the text alone: the readings of the lines are there, but for the few lines of a boot that have none.
  EXPECT_GE(number("SELECT count(*) FROM sample_view WHERE source = 'debug_heap'"),
            lines_stored() + counted - 32);
}

TEST_F(FullLine, AReaderThatStallsLosesBytesAndItShows) {
  live_a_minute([this](bool stalled) { bench.stall_reader(stalled); });
  // Two seconds are 23 040 bytes; what the kernel holds of them beside the line's 4 KB differs from run to run.
  EXPECT_GT(traffic.dropped_bytes, 0U);
  EXPECT_LT(lines_stored(), lines_written());
  EXPECT_GE(silent_stretches(), 14);  // the first of 15 stands before all lines
}

}  // namespace
}  // namespace leakhunt::daemon::testing
