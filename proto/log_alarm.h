// Signs of trouble and of restarts in the message of a log line. Private to proto/.
#pragma once

#include <string_view>

#include "proto/log_line.h"

namespace leakhunt::proto {

// Sets line.alarm, boot, announces_reboot and routing_nak from `message`.
void read_signs(std::string_view message, LogLine& line);

// The words in `message` by which read_signs knows an alarm, as part of it; empty when there are none.
[[nodiscard]] std::string_view words_of_trouble(std::string_view message);

// The date at which a boot ROM was built: `Jul 29 2019 12:21:46`, `Jan  8 2013`.
[[nodiscard]] bool starts_with_month(std::string_view text);

}  // namespace leakhunt::proto
