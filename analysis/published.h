// The published rules on figures that are already at hand.
#pragma once

#include "analysis/judge.h"
#include "analysis/slope.h"

namespace leakhunt::analysis {

// `slopes`: of all series of the question.
[[nodiscard]] Verdict judge_published(const Question& question, const SlopeSummary& slopes);

// Whether the published rules take a line for the end of memory: "Alloc an err=" or "out of memory" in it.
[[nodiscard]] bool is_published_oom(const EvidenceLine& line);

}  // namespace leakhunt::analysis
