// When memory ends: from the level now at the slope found, above a reserve.
#pragma once

#include <optional>
#include <string>

#include "analysis/input.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis {

// Minutes until `level` reaches `reserve` at `slope` (per minute, falling), bounds from both intervals. A
// slope that may be none leaves the upper bound open; at or below the reserve nothing is left.
[[nodiscard]] Interval minutes_until(double level, double level_error, double reserve, const Interval& slope);

// The same for a level of a track: of free memory down to the reserve, of used memory up to its limit
// (`Question::total_bytes`, a container's) less the reserve. Nothing where used memory has no limit.
[[nodiscard]] std::optional<Interval> horizon(const Question& question, double track_level,
                                              double level_error, const Interval& track_slope);

// "15,000 B: chip esp32s3": the reserve and why it is that; the value alone where the question gives no
// reason.
[[nodiscard]] std::string reserve_words(const Question& question);

// "the reserve (15,000 B: esp32s3) is reached in about 18.8 h (95 %: 17.5 h to 20.2 h)".
[[nodiscard]] std::string horizon_sentence(const Question& question, const Interval& minutes);

}  // namespace leakhunt::analysis
