// What the message of a log line says: figures, events, alarms. Knows nothing of prefixes; private to proto/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "proto/log_line.h"

namespace leakhunt::proto {

// Reads line.message() into the line's figures, heap event, alarm, boot sign and marks.
void read_body(LogLine& line);

// A heap figure as printed, or nothing: 4294967295 means "none on this platform", and anything above 2 GiB on
// these chips is a negative number printed as unsigned.
[[nodiscard]] std::optional<std::int64_t> plausible_heap(std::int64_t printed);

// How many bytes the escape sequence at the front of `text` takes.
[[nodiscard]] std::size_t escape_length(std::string_view text);

}  // namespace leakhunt::proto
