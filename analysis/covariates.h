// What explains a level besides a leak: the node database, the time of day, the load.
#pragma once

#include <optional>
#include <vector>

#include "analysis/envelope.h"

namespace leakhunt::analysis {

struct NodeCost {
  double bytes = 0;  // of one entry, 0..600 (nodedb and maps cost about 240 B)
  double inflation =
      1;  // of the standard error of a slope beside it: 1 / sqrt(1 - R^2(nodes, time)), at most 4
};
// What the node database explains of these levels; nothing where fewer than 3 nodes came or the data do not
// ask for it.
[[nodiscard]] NodeCost node_cost(const Values& x, const Values& y, const Values& nodes);

// The levels without their 24-hour sine, where one joint fit with a line at least halves what is left over.
[[nodiscard]] std::optional<Values> without_daily_cycle(const Values& x, const Values& y);

// The levels without a sine of some period, of which the window holds 2 to 10, where one leaves over less
// than 15 % of what a line does.
struct Cycle {
  Values y;
  double period_s = 0;
  double rss = 0;  // left over
};
[[nodiscard]] std::optional<Cycle> without_cycle(const Values& x, const Values& y);

// Time measured in received packets, scaled to the same span, where that describes a fall much better.
struct PacketClock {
  Values x;
  double bytes_per_packet = 0;
};
[[nodiscard]] std::optional<PacketClock> packet_clock(const Values& x, const Values& y,
                                                      const Values& packets);

struct Load {
  std::optional<double>
      correlation;             // level against smoothed packet rate; nothing where the rate is not known
  bool explains_fall = false;  // r < -0.7 and with the rate added less than 45 % of the slope is left
};
[[nodiscard]] Load load(const std::vector<Block>& blocks);

}  // namespace leakhunt::analysis
