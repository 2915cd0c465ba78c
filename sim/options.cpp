// The arguments of leakhunt-sim. Knows nothing of what is done with them.
#include "sim/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

namespace leakhunt::sim {
namespace {

constexpr double kFastest = 600;
constexpr double kYear_s = 365.0 * 86400;
constexpr double kLongestUptime_s = 4294967295;  // what the device's 32-bit counter of seconds holds
constexpr double kLargestHeap_bytes = 4294967295;
constexpr double kLatest_us = 1e15;  // 31 years after the machine's start
constexpr double kSteepest_per_min = 1e9;

// Unlike CLI::Range it refuses what is no number at all, which would keep the device busy for ever.
CLI::Validator between(double low, double high) {
  const std::string range = fmt::format("{} to {}", low, high);
  return CLI::Validator(
      [low, high, range](std::string& text) {
        double value = 0;
        const bool number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        return number && value >= low && value <= high ? std::string{}
                                                       : fmt::format("{} is not in {}", text, range);
      },
      range);
}

std::string scenario_list() {
  std::string text;
  for (const ScenarioName& name : scenario_names())
    text += fmt::format("{:<14} {}\n", name.name, name.summary);
  return text;
}

template <class T>
CLI::Option* optional_number(CLI::App& app, const std::string& name, std::optional<T>& target,
                             const std::string& help) {
  return app.add_option_function<T>(
      name, [&target](const T& value) { target = value; }, help);
}

void add_device_options(CLI::App& app, Options& options, std::string& node) {
  Setup& setup = options.setup;
  app.add_flag("--debug-heap", setup.debug_heap, "A DEBUG_HEAP build: [heap N] in text lines, thread lines");
  app.add_flag("--text", setup.text_only, "Stay in text mode: no client can talk to it (pty only)");
  app.add_flag("--tcp-log", setup.tcp_log, "Log records over TCP too, as no released firmware has");
  app.add_flag("!--no-colour", setup.colour, "No colour codes in text lines");
  app.add_flag("!--no-log-api", setup.security.debug_log_api_enabled,
               "Start with the device's API log switched off");
  app.add_flag("--old-console", setup.old_console,
               "A build before July 2026: text goes on beside frames while the API log is off");
  app.add_flag("!--no-heap", setup.reports_heap, "LocalStats without heap fields, as a stock meshtasticd");
  app.add_option("--node", node, "Node number, decimal or 0x…");
  app.add_option("--name", setup.identity.long_name, "Long name");
  app.add_option("--pio-env", setup.identity.pio_env, "Build environment");
  app.add_option("--firmware", setup.identity.firmware, "Firmware version");
  app.add_option("--reboot-count", setup.reboot_count, "Boots before this run");
  app.add_option("--uptime", setup.uptime_s, "Seconds it has been running at the start")
      ->check(between(0, kLongestUptime_s));
  optional_number(app, "--reboot-at", setup.reboot_at_s, "One clean restart at this uptime, s")
      ->check(between(0, kLongestUptime_s));
  app.add_option("--line-every", setup.line_every_s, "Seconds between ordinary log lines (default 5)")
      ->check(between(0.001, kYear_s));
  app.add_option("--packet-every", setup.packet_every_s, "Seconds between other nodes' packets (default 25)")
      ->check(between(0.001, kYear_s));
}

void add_options(CLI::App& app, Options& options, std::string& node) {
  optional_number(app, "--tcp", options.tcp_port, "Listen on this port of 127.0.0.1; 0 takes a free one");
  app.add_option("--pty", options.pty_link, "Make a pseudo-terminal and a link to it at this path");
  app.add_option("--record", options.record_file,
                 "Write its serial text to a file as fast as possible (needs --duration)");
  app.add_option("--scenario", options.scenario, "What it does (--list-scenarios)");
  app.add_option("--seed", options.shape.seed, "Another run of the same scenario");
  optional_number(app, "--slope", options.shape.slope_per_min,
                  "Loss of the leaking scenarios, bytes per minute")
      ->check(between(-kSteepest_per_min, kSteepest_per_min));
  optional_number(app, "--heap-free", options.shape.heap_free_bytes, "Free bytes at boot")
      ->check(between(0, kLargestHeap_bytes));
  optional_number(app, "--heap-total", options.shape.heap_total_bytes, "Size of the heap")
      ->check(between(0, kLargestHeap_bytes));
  app.add_option("--speed", options.speed, "Virtual seconds per second, up to 600")
      ->check(between(0.001, kFastest));
  optional_number(app, "--time-origin", options.time_origin_us,
                  "Where virtual time begins: microseconds of CLOCK_BOOTTIME (default: now)")
      ->check(between(0, kLatest_us));
  optional_number(app, "--duration", options.duration_s, "End after so many virtual seconds")
      ->check(between(0, 10 * kYear_s));
  app.add_flag("--wait", options.wait, "Power on only when the port is opened");
  app.add_flag("--commands", options.commands, "Take commands from standard input (docs/simulator.md)");
  add_device_options(app, options, node);
}

Outcome finish(Options& options, const std::string& node) {
  const int ports =
      (options.tcp_port ? 1 : 0) + (options.pty_link.empty() ? 0 : 1) + (options.record_file.empty() ? 0 : 1);
  if (ports != 1)
    return Error{ErrorCode::usage, "give one of --tcp PORT, --pty LINK, --record FILE", "", "see --help"};
  if (!options.record_file.empty() && !options.duration_s)
    return Error{ErrorCode::usage, "--record needs an end", "--duration", "for example --duration 21600"};
  options.setup.serial = !options.tcp_port;
  if (!options.record_file.empty()) {
    options.setup.text_only = true;
    options.setup.says_rebooted = false;  // a text file holds no frame
  }
  if (options.setup.text_only && !options.setup.serial)
    return Error{ErrorCode::usage, "there is no text mode on TCP", "--text", "use it with --pty"};
  if (node.empty()) return Done{};
  try {
    std::size_t used = 0;
    const unsigned long number = std::stoul(node, &used, 0);
    if (used != node.size() || number > 0xFFFFFFFF) throw std::out_of_range{node};
    options.setup.identity.node = static_cast<std::uint32_t>(number);
  } catch (const std::logic_error&) {
    return Error{ErrorCode::usage, "not a node number: " + node, "--node", "decimal or 0x…, up to 32 bits"};
  }
  return Done{};
}

}  // namespace

Result<std::variant<Options, Print>> read_options(int argc, const char* const* argv) {
  using Read = std::variant<Options, Print>;
  CLI::App app{"A simulated Meshtastic device.", "leakhunt-sim"};
  Options options;
  options.setup.security.public_key = "SIM-PUBLIC-KEY-00123456789abcdef";
  options.setup.security.private_key = kPrivateKey;
  std::string node;
  bool list = false;
  add_options(app, options, node);
  app.set_version_flag("--version", "leakhunt-sim " LEAKHUNT_VERSION);
  app.add_flag("--list-scenarios", list, "Print the scenarios and exit");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Read{Print{app.help()}};
  } catch (const CLI::CallForVersion& version) {
    return Read{Print{std::string{version.what()} + "\n"}};
  } catch (const CLI::ParseError& error) {
    return Error{ErrorCode::usage, error.what(), "", "see --help"};
  }
  if (list) return Read{Print{scenario_list()}};
  if (Outcome sound = finish(options, node); !sound) return sound.error();
  return Read{std::move(options)};
}

}  // namespace leakhunt::sim
