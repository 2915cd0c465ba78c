// Runs another program as flock(1) does: with the terminal, the signals and the exit code of its caller.
// Knows nothing of why.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace leakhunt::ctl {

// Runs the program (looked for in PATH) with this one's stdin, stdout and stderr, and waits for its end. What
// the terminal sends (Ctrl-C, Ctrl-\) reaches it, while this program stays; SIGTERM and SIGHUP sent to this
// program are passed on to it. Returns its exit code; 128 + n when signal n ended it; 127 when there is no
// such program, 126 when it cannot be run (told on stderr).
[[nodiscard]] int run_program(const std::vector<std::string>& command);

// Runs a program and returns what it writes to stdout; its exit code does not matter. An error when it cannot
// be run at all.
[[nodiscard]] Result<std::string> output_of(const std::vector<std::string>& command);

}  // namespace leakhunt::ctl
