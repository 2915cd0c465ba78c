// Memory that comes back again and again: the levels right after each recovery are where a leak under a
// sawtooth shows.
#pragma once

#include <optional>
#include <vector>

#include "analysis/envelope.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis {

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

struct TopSlope {
  Interval per_min;
  double p = 1;  // one-sided, for a fall
};
// At least 3 levels: t test of their least-squares slope, the scatter not below `floor`.
[[nodiscard]] TopSlope slope_of_tops(const std::vector<Top>& tops, double floor);
// Whether both halves of the levels fall at a fair part of `per_min`; fewer than 6 are taken to.
[[nodiscard]] bool keeps_falling(const std::vector<Top>& tops, double floor, double per_min);

}  // namespace leakhunt::analysis
