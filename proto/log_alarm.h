// Signs of trouble and of restarts in the message of a log line. Private to proto/.
#pragma once

#include <string_view>

#include "proto/log_line.h"

namespace leakhunt::proto {

// Sets line.alarm, boot, announces_reboot and routing_nak from `message`.
void read_signs(std::string_view message, LogLine& line);

}  // namespace leakhunt::proto
