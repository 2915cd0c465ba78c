// Runs a device on its ports, in real or scaled time, until it is told to stop. Knows no arguments and no
// scenarios.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "sim/descriptor.h"
#include "sim/device.h"
#include "sim/ports.h"

namespace leakhunt::sim {

struct RunLimits {
  std::optional<Mono> until = std::nullopt;
  bool commands = false;  // lines of standard input, one command each
};

// From here on SIGTERM and SIGINT do not end the program but make this descriptor readable.
[[nodiscard]] Descriptor catch_stop_signals();

using LivePorts = std::vector<LivePort*>;

// Waits until somebody opens a port; false if a stop signal came first.
[[nodiscard]] bool wait_for_reader(const LivePorts& ports, const Descriptor& stop);

// Serves until a stop signal, the command `quit`, or the limit.
[[nodiscard]] Outcome serve(Device& device, const LivePorts& ports, const Clock& clock,
                            const RunLimits& limits, const Descriptor& stop);

// What it has sent, heard and lost so far, in one line.
[[nodiscard]] std::string summary(const Device& device, const LivePorts& ports);

// Carries out one command (docs/simulator.md) on all of the device's ports, or with `tcp` or `pty` before it
// on that one. An unknown command is an error that lists the known. `quit` is not among them.
[[nodiscard]] Outcome carry_out(const std::string& command, Device& device, const LivePorts& ports, Mono now);

}  // namespace leakhunt::sim
