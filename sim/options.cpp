// The arguments of leakhunt-sim. Knows nothing of what is done with them.
#include "sim/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>

namespace leakhunt::sim {
namespace {

constexpr double kFastest = 600;
constexpr double kYear_s = 365.0 * 86400;
constexpr double kLongestUptime_s = 4294967295;  // what the device's 32-bit counter of seconds holds
constexpr double kLargestHeap_bytes = 4294967295;
constexpr double kLatest_us = 1e15;  // 31 years after the machine's start
constexpr double kSteepest_per_min = 1e9;
constexpr double kMostNodes = 10'000;
constexpr double kLargestPayload_bytes = 233;

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

// Each word with what it stands for.
const std::map<std::string, Answers>& answers_words() {
  static const std::map<std::string, Answers> kWords{
      {"all", Answers::all}, {"every-second", Answers::every_second}, {"none", Answers::none}};
  return kWords;
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

void add_odd_options(CLI::App& app, Setup& setup) {
  Oddities& odd = setup.odd;
  app.add_option_function<std::string>(
         "--answers", [&odd](const std::string& word) { odd.answers = answers_words().at(word); },
         "Requests for LocalStats that are answered: all, every-second, none")
      ->check(CLI::IsMember(answers_words()));
  app.add_option("--answer-after", odd.answer_after_s, "Seconds from such a request to its answer (0.1)")
      ->check(between(0, kYear_s));
  optional_number(app, "--nodes", odd.nodes,
                  "Other nodes it knows (3); given, all are told in every handshake, whatever its nonce")
      ->check(between(1, kMostNodes));
  app.add_flag("--endless-handshake", odd.endless_handshake,
               "Node infos for ever where a handshake should be complete");
  app.add_flag("--resets-when-opened", odd.resets_when_opened, "Restarts whenever its pty is opened");
  app.add_flag("--managed", setup.security.is_managed, "Its configuration is managed by others");
  app.add_flag("--hides-private-key", odd.hides_private_key, "Tells an empty private key");
  optional_number(app, "--security-cut", odd.security_answer_bytes,
                  "Its answer about the security config ends after so many bytes")
      ->check(between(0, kLargestPayload_bytes));
  app.add_flag("--ignores-config", odd.ignores_set_config, "Confirms a changed config and keeps the old one");
  app.add_flag_callback(
      "--unknown-config", [&setup] { setup.security.unknown_fields = kUnknownFields; },
      "Has fields in its security config that no schema knows yet");
  app.add_option("--clock-set", setup.clock_set_s, "Uptime at which its clock becomes real, s (20)")
      ->check(between(0, kLongestUptime_s));
  optional_number(app, "--stale", setup.stale_pair_s,
                  "Its first telemetry has waited so many seconds for a client")
      ->check(between(0, kLongestUptime_s));
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
  add_odd_options(app, options.setup);
}

Outcome finish(Options& options, const std::string& node) {
  const bool pty = !options.pty_link.empty();
  const bool record = !options.record_file.empty();
  if (record == (options.tcp_port || pty))
    return Error{ErrorCode::usage, "give --tcp PORT, --pty LINK or both, or --record FILE", "", "see --help"};
  if (!options.record_file.empty() && !options.duration_s)
    return Error{ErrorCode::usage, "--record needs an end", "--duration", "for example --duration 21600"};
  if (record) {
    options.setup.text_only = true;
    options.setup.says_rebooted = false;  // a text file holds no frame
  }
  if (options.setup.text_only && !record && !pty)
    return Error{ErrorCode::usage, "there is no text mode on TCP", "--text", "use it with --pty"};
  if (options.setup.odd.resets_when_opened && !pty)
    return Error{ErrorCode::usage, "only a serial port can reset it", "--resets-when-opened",
                 "use it with --pty"};
  if (options.setup.stale_pair_s.value_or(0) > options.setup.uptime_s)
    return Error{ErrorCode::usage, "that was before its boot", "--stale",
                 "give an --uptime at least as long"};
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
