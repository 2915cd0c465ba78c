// `decode FILE`: what recorded bytes or text hold, one JSON record a line in the order of the bytes. Knows
// nothing of boots, series or verdicts.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "recorder/log_shapes.h"

namespace leakhunt::answer {

using LineSink = std::function<void(const std::string& json_line)>;

// Calls `sink` with one JSON object (without newline) for each frame's records, each line of text and each
// row of a CSV. Keys, message texts and positions never get out. `config_path` names a configuration with
// [[log_format]] entries, or is empty. Fails where a file cannot be read or an entry is no log format.
[[nodiscard]] Outcome decode_file(const std::string& path, const std::string& config_path,
                                  const LineSink& sink);

// The same for bytes at hand; `user_shapes` are tried before the built-in ones.
[[nodiscard]] Outcome decode_bytes(std::string_view bytes, std::span<const recorder::LogShape> user_shapes,
                                   const LineSink& sink);

}  // namespace leakhunt::answer
