// The level at rest: for free memory the upper envelope (packets in flight only push it down), by blocks of
// time.
#pragma once

#include <vector>

#include "analysis/clean.h"
#include "analysis/steps.h"

namespace leakhunt::analysis {

inline constexpr std::size_t kBlocks = 48;

// Readings [from, to) of a track.
struct Range {
  std::size_t from = 0;
  std::size_t to = 0;
};
// The readings of each of k bins of equal time, in order; empty bins left out.
[[nodiscard]] std::vector<Range> bins(const Values& x, std::size_t k);
[[nodiscard]] Values slice(const Values& v, Range r);

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
[[nodiscard]] std::vector<Block> blocks(const Track& track, const Steps& steps = {});
// The blocks at rest: without those in a dip from which the level comes back within an eighth of the window,
// if that leaves two thirds of them, at least 12. `least`: the depth from which one counts.
[[nodiscard]] std::vector<std::size_t> at_rest(const Values& y, double least);
[[nodiscard]] Values times(const std::vector<Block>& blocks);
[[nodiscard]] Values levels(const std::vector<Block>& blocks);

}  // namespace leakhunt::analysis
