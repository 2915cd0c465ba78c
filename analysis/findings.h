// The sentences of a verdict, in the order of the reasoning.
#pragma once

#include "analysis/sources.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis {

// What the level at rest does where nothing is lost.
void tell_calm(const Question& question, const Examined& chosen, Verdict& v);
// What is left now, against what the firmware, the reserve and the user demand. Fills level_bytes,
// below_floor.
void tell_level(const Question& question, const Examined& now, Verdict& v);
// When memory ends. Fills minutes_to_oom.
void tell_horizon(const Question& question, const Candidate& c, Verdict& v);
// The largest free block and the low-water mark; external memory in the figures. Fills reserve_reason's
// caution.
void tell_pieces(const Examined& now, Verdict& v);
void tell_evidence(const Candidate& c, Verdict& v);
// What could not have been seen, now and after 6 h more (up to 36 h where only the daily cycle limits it).
// Fills mds_per_min, mds_later_per_min.
void tell_detectability(const Examined& chosen, Verdict& v);

// What would be enough; of nothing at all without a candidate.
[[nodiscard]] std::string what_is_needed(const Candidate* c);

}  // namespace leakhunt::analysis
