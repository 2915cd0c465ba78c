// Makes stores of any size for measurements: one device, one boot, one slow leak. Knows nothing of what is
// measured.
#pragma once

#include <cstdint>
#include <string>

namespace leakhunt::bench {

// The newest record of such a store.
inline constexpr std::int64_t kStoreEnd_s = 1'764'500'000;

struct StoreShape {
  std::int64_t samples = 5'000'000;  // of source debug_heap, evenly over the days
  std::int64_t days = 7;             // ending at kStoreEnd_s
  double slope_per_min = -2;
  bool local_stats = false;  // LocalStats with its heap figures each 60 s beside them
  std::int64_t lines = 0;    // of the log, evenly over the days; they tell no heap
};

// Throws std::runtime_error.
void make_store(const std::string& path, const StoreShape& shape);

}  // namespace leakhunt::bench
