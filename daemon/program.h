// Runs another program for a limited time. Knows nothing of alerts or devices.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace leakhunt::daemon {

struct Program {
  std::vector<std::string> words;        // the program, looked up in PATH, and its arguments
  std::vector<std::string> environment;  // NAME=value, beside and before those of this process
  std::string input;                     // on its standard input, which then ends
  std::chrono::milliseconds limit{30'000};
};

// Runs it and waits for its end; it inherits no descriptor, its output is let go. After the limit, or soon
// after `stop_fd` became readable (-1: never), it and its children get SIGTERM, then SIGKILL. The error says
// how it failed and what it wrote first to its standard error. For a thread that may wait; SIGPIPE must be
// ignored.
[[nodiscard]] Outcome run_program(const Program& program, int stop_fd);

}  // namespace leakhunt::daemon
