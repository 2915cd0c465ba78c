// The published rules on figures that are already at hand.
#pragma once

#include "analysis/judge.h"
#include "analysis/slope.h"

namespace leakhunt::analysis {

// `slopes`: of all series of the question.
[[nodiscard]] Verdict judge_published(const Question& question, const SlopeSummary& slopes);

}  // namespace leakhunt::analysis
