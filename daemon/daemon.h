// The recorder as a whole: opens the store, starts the threads, waits for a signal, ends cleanly.
#pragma once

#include <optional>

#include "base/time.h"
#include "daemon/config.h"

namespace leakhunt::daemon {

// Said at the start and by --check when it is so.
inline constexpr const char* kNoDevice =
    "no device is configured, nothing will be recorded: name one with --device NAME=LINK or in a file with "
    "--config";

// Time that runs `scale` times as fast from a host moment on; for tests and demonstrations.
struct VirtualTime {
  double scale = 1;
  Mono origin;
};

// Runs until SIGTERM, SIGINT or SIGHUP. The exit code: 0, or the one of an Error, which is told in one line
// on stderr.
[[nodiscard]] int run(const Config& config, std::optional<VirtualTime> virtual_time);

}  // namespace leakhunt::daemon
