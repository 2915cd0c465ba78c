// Which of several sources is believed, and what the others say against it.
#pragma once

#include <vector>

#include "analysis/stretches.h"

namespace leakhunt::analysis {

struct Sources {
  std::vector<Candidate> all;  // not empty
  std::size_t best = 0;
  [[nodiscard]] const Candidate& chosen() const { return all[best]; }
};

// The source with the smallest minimum detectable slope; of those within a tenth of it (the demands on a loss
// rule, not the noise) the one that covers most time, then the one with most readings. Nothing without
// readings.
[[nodiscard]] std::optional<Sources> examine_sources(const Question& question, const Steps& steps = {});

// A sentence for each other source whose interval excludes the slope of the chosen one.
[[nodiscard]] std::vector<Finding> contradictions(const Question& question, const Sources& sources);

}  // namespace leakhunt::analysis
