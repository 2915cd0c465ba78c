// `decode FILE`: what recorded bytes or text hold, one JSON record a line in the order of the bytes. Knows
// nothing of boots, series or verdicts.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace leakhunt::answer {

using LineSink = std::function<void(const std::string& json_line)>;

// Calls `sink` with one JSON object (without newline) for each frame's records and each line of text. Keys,
// message texts and positions never get out. Fails where the file cannot be read.
[[nodiscard]] Outcome decode_file(const std::string& path, const LineSink& sink);

// The same for bytes at hand.
void decode_bytes(std::string_view bytes, const LineSink& sink);

}  // namespace leakhunt::answer
