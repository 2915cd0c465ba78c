// What was done to a device while it was recorded: the recorder's own requests, and itself as a client.
#pragma once

#include <vector>

#include "analysis/input.h"
#include "answer/record.h"

namespace leakhunt::answer {

// By boot and time, from the answered polls and from when links over the network came and went (each is a
// client to the device; whether a serial link is one, its events do not tell). Empty where no such link came
// or went: then the readings of "poll" tell all there is.
[[nodiscard]] std::vector<analysis::Activity> activity_of(const Record& record);

}  // namespace leakhunt::answer
