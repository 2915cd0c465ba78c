// The words a chip, its boot ROM or its SDK prints without the firmware's prefix. For proto/ and the readers of
// files; knows nothing of the lines around.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proto/log_line.h"

namespace leakhunt::proto {

// What certainly is the device's own of a line without prefix: a panic, a reset, a boot, memory that is gone.
// The whole line must have the exact shape; what may vary in it is `…`, but for numbers and words of the
// device. Nothing for any other line, however it begins.
[[nodiscard]] std::optional<std::string> own_words(std::string_view line);

// `E (12345) tag: ...` or `[ 53100][E][file.cpp:353] ...`: a line of the SDK.
[[nodiscard]] bool is_sdk_line(const LogLine& line);

// The same for a line of the SDK: its header and its words of trouble. Nothing when the header is not exact.
[[nodiscard]] std::optional<std::string> own_sdk_words(const LogLine& line);

}  // namespace leakhunt::proto
