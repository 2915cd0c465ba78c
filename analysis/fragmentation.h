// Memory that is there but in pieces: the largest free block falls while the level at rest holds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/envelope.h"
#include "analysis/input.h"

namespace leakhunt::analysis {

struct BlockFall {
  double from = 0;  // largest free block at the beginning and the end
  double to = 0;
  double free_at_end = 0;
  double p = 1;
};
// Nothing unless the block lost a fifth of its size, ends below 60 % of the free memory, and the fall is no
// chance.
[[nodiscard]] std::optional<BlockFall> falling_block(const std::vector<Block>& blocks);

// However few the readings: no block of 4 KB is left though five times the largest is free, and that for the
// last minute or longer.
[[nodiscard]] std::optional<BlockFall> no_usable_block(const Stretch& stretch);

}  // namespace leakhunt::analysis
