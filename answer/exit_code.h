// The exit code of a command that got this answer (INTERFACES, "Arguments"). Knows no arguments.
#pragma once

#include <set>

#include "leakhunt/v1/api.pb.h"

namespace leakhunt::answer {

// 0 answered; 4 answered, but the device is silent or there is nothing to judge; 5 something was skipped;
// 1 a check of the doctor failed; with a class in `fail_on` (what --fail-on named) 10 oom_imminent, 11
// slow_leak, 12 fragmentation_suspect, 13 reboot_mid_window, 14 insufficient_data. A class named outranks 4
// and 5.
[[nodiscard]] int exit_code(const v1::Answer& answer, const std::set<v1::VerdictClass>& fail_on);

}  // namespace leakhunt::answer
