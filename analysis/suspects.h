// What threads, parts of the firmware and places of the code hold of the loss, beside the slope.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/attribution.h"
#include "analysis/stretches.h"

namespace leakhunt::analysis {

// The threads' books of one boot in the time of that stretch's readings (give or take one cadence), so that
// their sum and the slope speak of the same loss. An event that does not tell its boot belongs to every one.
[[nodiscard]] Attribution attribute_stretch(const Question& question, const Stretch& stretch);

// Names who lost what of a leak and checks the sum against the slope. Nobody is suspected where nothing is
// lost. Fills suspects, lost, attributed and unexplained, growths, sites, with sentences.
void name_suspects(const Question& question, const Examined& chosen, Verdict& v);

// Parts that hold more at the end than at the beginning of that boot (medians of the first and the last
// quarter of their readings), the largest growth first.
[[nodiscard]] std::vector<Growth> growths(const std::vector<Holding>& holdings, std::int64_t boot_id);

// Where most bytes were taken, the most first, at most 5.
[[nodiscard]] std::vector<SiteSum> most_allocating(const std::vector<SiteAllocation>& allocations,
                                                   std::int64_t boot_id);

}  // namespace leakhunt::analysis
