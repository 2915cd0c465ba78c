// The level at rest: for free memory the upper envelope (packets in flight only push it down), by blocks of
// time or as the levels right after each recovery of a sawtooth.
#pragma once

#include <optional>
#include <vector>

#include "analysis/track.h"

namespace leakhunt::analysis {

inline constexpr std::size_t kBlocks = 48;

struct Block {
  double x = 0;        // mean time of its readings
  double level = 0;    // 80 % quantile
  double begin_x = 0;  // first and last reading
  double end_x = 0;
  double nodes = absent;  // 20 % quantile: what was known when the level was read
  double packets_first = absent;
  double packets_last = absent;
  double largest = absent;  // median of the largest free block
};

// n blocks of one reading below 24 readings, else max(12, min(48, n / 4)) blocks of equal time; empty ones
// left out.
[[nodiscard]] std::vector<Block> blocks(const Track& track);
[[nodiscard]] Values times(const std::vector<Block>& blocks);
[[nodiscard]] Values levels(const std::vector<Block>& blocks);

struct Top {
  double x = 0;
  double level = 0;
};

struct Cycles {
  std::vector<Top> tops;     // the level after each recovery
  double sampling_step = 0;  // what sampling a falling edge costs
  bool sawtooth = true;      // memory falls between the recoveries (noise and square waves do not)
  double largest_recovery = 0;
};
// Nothing where no lasting low level is followed by a recovery. `floor`: the least rise that counts.
[[nodiscard]] std::optional<Cycles> find_cycles(const Track& track, double floor);

// At most kBlocks tops, the highest of each group.
[[nodiscard]] std::vector<Top> thin_tops(const std::vector<Top>& tops);

}  // namespace leakhunt::analysis
