// What `classify` says of recorded files: for a person, for benchmarks, and what could not be judged.
#pragma once

#include <string>

#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl {

[[nodiscard]] std::string classified_text(const v1::Classified& classified);

// `id,verdict,leak,slope_bpm,slope_lo,slope_hi,tte_min,tte_lo,tte_hi,mds_bpm`, a row per file that could be
// read: a figure that there is none of is empty, one without bound `inf`. By the published rules the slope is
// the plain one and the time that to zero, without intervals.
[[nodiscard]] std::string classified_csv(const v1::Classified& classified);

// A row is known by its id: of files with the same stem only the first is kept, the others get an error.
void refuse_twins(v1::Classified& classified);

// A line for each file that could not be read, and with `unjudged` for each that told nothing; to be told
// apart from the answer.
[[nodiscard]] std::string skipped_lines(const v1::Classified& classified, bool unjudged);

}  // namespace leakhunt::ctl
