// The trend of the largest free block against its own past and the free memory.
#include "analysis/fragmentation.h"

#include "analysis/examine.h"
#include "analysis/trend.h"

namespace leakhunt::analysis {

std::optional<BlockFall> falling_block(const std::vector<Block>& blocks) {
  if (blocks.size() < 8) return std::nullopt;
  Values y;
  for (const Block& b : blocks) {
    if (!present(b.largest)) return std::nullopt;
    y.push_back(b.largest);
  }
  const Values x = times(blocks);
  const Trend t = trend(x, y);
  const double drop = -t.per_min * (x.back() - x.front()) / 60;
  const double free_at_end = blocks.back().level;
  if (t.p_fall >= kAlpha || drop <= 0.2 * y.front() || y.back() >= 0.6 * free_at_end) return std::nullopt;
  return BlockFall{y.front(), y.back(), free_at_end, t.p_fall};
}

}  // namespace leakhunt::analysis
