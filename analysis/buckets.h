// Readings that stand for many: what is judged of a window whose samples are too many, or gone. Knows nothing
// of where they come from.
#pragma once

#include <cstddef>

#include "analysis/input.h"

namespace leakhunt::analysis {

// What is known of the free memory over a minute or an hour.
struct LevelBucket {
  double x_s = 0;  // mean time of its readings, as in Point
  double t_s = 0;
  std::size_t n = 0;
  double min = 0;
  double max = 0;
  double p80 = absent;  // 80 % quantile; only of minutes
};

// The level at rest within the bucket: its 80 % quantile, as `Block` has it, else its highest reading.
[[nodiscard]] Point level_of(const LevelBucket& bucket);

}  // namespace leakhunt::analysis
