// Aborts and panics that are the consequence of a failed allocation. Knows nothing of figures.
#pragma once

#include <cstddef>
#include <vector>

#include "recorder/recording.h"
#include "recorder/text_times.h"

namespace leakhunt::recorder {

// Makes an abort or panic next to a failed allocation an allocation_abort, and gives its item the cause.
// `line_items`: for each of `lines` the index of its item.
void mark_allocation_aborts(std::vector<RecordedLine>& lines, const std::vector<std::size_t>& line_items,
                            std::vector<TextItem>& items);

}  // namespace leakhunt::recorder
