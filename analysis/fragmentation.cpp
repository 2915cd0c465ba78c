// The trend of the largest free block against its own past and the free memory.
#include "analysis/fragmentation.h"

#include "analysis/examine.h"
#include "analysis/trend.h"

namespace leakhunt::analysis {
namespace {

constexpr double kUsableBlock = 4096;  // a TLS record, a file buffer, a task's stack
constexpr double kTimesAsMuch = 5;
constexpr double kHeld_s = 60;

bool in_pieces(const Point& p) {
  return present(p.largest_block) && p.largest_block > 0 && p.largest_block < kUsableBlock &&
         p.value >= kTimesAsMuch * p.largest_block;
}

}  // namespace

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

std::optional<BlockFall> no_usable_block(const Stretch& stretch) {
  const std::vector<Point>& points = stretch.points;
  std::size_t from = points.size();
  while (from > 0 && in_pieces(points[from - 1])) --from;
  if (from == points.size() || points.back().x_s - points[from].x_s < kHeld_s) return std::nullopt;
  const Point& before = points[from > 0 && present(points[from - 1].largest_block) ? from - 1 : from];
  return BlockFall{before.largest_block, points.back().largest_block, points.back().value, 0};
}

}  // namespace leakhunt::analysis
