// Runs a program between releasing a device and taking it back.
#pragma once

#include <string>
#include <vector>

#include "ctl/arguments.h"

namespace leakhunt::ctl {

// Asks the daemon behind the candidates for the device, runs the command, asks for it to be taken back. What
// is said goes to stderr: stdout is the command's. Returns the exit code: the command's own, or that of the
// error when the device was not released (then nothing is run).
[[nodiscard]] int release_and_run(const std::vector<std::string>& candidates, const ReleaseCommand& command);

}  // namespace leakhunt::ctl
