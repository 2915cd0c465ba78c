// The arguments of leakhunt-sim. Knows nothing of what is done with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "sim/device.h"
#include "sim/scenarios.h"

namespace leakhunt::sim {

struct Options {
  std::optional<std::uint16_t> tcp_port = std::nullopt;
  std::string pty_link = {};
  std::string record_file = {};  // as fast as possible into a file, instead of a port
  std::string scenario = "steady";
  Shape shape = {};
  Setup setup = {};
  double speed = 1;
  std::optional<std::int64_t> time_origin_us = std::nullopt;  // CLOCK_BOOTTIME
  std::optional<double> duration_s = std::nullopt;            // virtual
  bool commands = false;
  bool wait = false;  // power on only when the port is opened
};

// Text to print instead of running: help, version, the list of scenarios.
struct Print {
  std::string text = {};
};

// What was asked for, or a usage error that says what is allowed.
[[nodiscard]] Result<std::variant<Options, Print>> read_options(int argc, const char* const* argv);

}  // namespace leakhunt::sim
