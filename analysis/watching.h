// Whether watching changes the device: does it lose more where it is polled more, or where clients are
// connected?
#pragma once

#include <optional>

#include "analysis/stretches.h"

namespace leakhunt::analysis {

// The loss between successive levels of the stretch against what was done to the device meanwhile, by rank
// correlation (Spearman, with ties; p < 0.01). Asked only where there is much and little of it, at least four
// intervals each, twice as much in the one as in the other; the difference must make a loss that matters.
// Constant polling decides nothing.
[[nodiscard]] std::optional<Watching> watching(const Question& question, const Examined& e);

// Fills `watching` with its sentence; where the polling was constant and the leak is slow, the advice to
// compare with it off.
void tell_watching(const Question& question, const Examined& chosen, Verdict& v);

}  // namespace leakhunt::analysis
