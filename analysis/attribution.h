// Which thread lost the memory: net of what it leaked and freed, transfers between threads set off.
#pragma once

#include <vector>

#include "analysis/input.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis {

struct Attribution {
  std::vector<Suspect> threads;  // worst net first
  double attributed_bytes = 0;   // sum of net losses after transfers, positive
  double net_bytes = 0;          // plain sum of all deltas
  double span_s = 0;             // from the first to the last event
};

// A thread that nets positive pays for threads that net negative: one allocates, another frees.
[[nodiscard]] Attribution attribute(const std::vector<HeapEvent>& events);

// The published suspect: the lowest sum of `leaked` deltas over the newest 200 such lines; empty without any.
[[nodiscard]] std::vector<Suspect> published_suspects(const std::vector<HeapEvent>& events);

}  // namespace leakhunt::analysis
