// Finds the boots in a text recording and why each of them came. Knows nothing of the host's clock but that a
// device's own starts at midnight.
#pragma once

#include <vector>

#include "recorder/text_times.h"

namespace leakhunt::recorder {

// Sets boot and uptime_s (its wrap undone) of every item, and placed.boots and wraps.
void find_boots(std::vector<TextItem>& items, PlacedTimes& placed);

}  // namespace leakhunt::recorder
