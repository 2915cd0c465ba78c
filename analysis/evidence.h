// What log lines prove about memory: failed allocations weighed against what was left, kinds that never
// count.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/input.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis {

// A survived failed allocation with less left than this is the end of memory; with more it is fragmentation.
inline constexpr double kLowMemory = 8192;
// A reading this old still tells what was left.
inline constexpr double kNear_s = 180;

struct Evidence {
  std::size_t out_of_memory = 0;     // out of memory, abort by allocation: whatever was free
  std::size_t low_memory = 0;        // the firmware's own guard
  std::size_t failures_low = 0;      // survived failures with little left
  std::size_t failures_high = 0;     // with enough left
  std::size_t failures_unknown = 0;  // no reading tells
  std::size_t naks = 0;
  std::size_t panics = 0;  // panic, abort, watchdog: no evidence of memory
  std::vector<Finding> findings;
  std::vector<std::string> ruled_out;

  [[nodiscard]] bool exhausted() const { return out_of_memory + low_memory + failures_low > 0; }
};

// Lines with begin_s <= t < end_s (UTC seconds).
[[nodiscard]] Evidence weigh(const Question& question, double begin_s, double end_s);

// A line for a sentence: in quotes, cut after 120 bytes, control bytes left out.
[[nodiscard]] std::string quoted(const std::string& line);

}  // namespace leakhunt::analysis
