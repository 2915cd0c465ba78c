// What the options of the command line write into, and how a question is made of it. For the files that read
// arguments; included by no other.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ctl/arguments.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace leakhunt::ctl {

struct Words {
  std::string socket, database, config, device, format = "table", rules = "leakhunt";
  bool json = false, brief = false, memory = false, companion_logs = false, open_only = false, yes = false;
  std::string window, start, end, field, variant, grep, note, data, at, label, from, metric, action, length;
  std::vector<std::string> sources, levels, threads, kinds, ports, files, ids, fail_on, names;
  std::vector<std::string> command;  // of release: the first `--` and what follows it
  int max_points = 0, max = 0;
  std::optional<double> reserve, limit;
};

using Build = std::function<Result<What>(const Words&)>;

struct Command {
  CLI::App* app;
  Build build;
};

// A question with what every question has: device and rules.
[[nodiscard]] v1::Question question_for(const Words& w);

// Lists are repeatable, comma-separated, and take A|B: the option, and its values with the bars split.
CLI::Option* add_list(CLI::App* app, const std::string& name, std::vector<std::string>& into,
                      const std::string& help);
[[nodiscard]] std::vector<std::string> split_alternatives(const std::vector<std::string>& values);

// status, report, timeline, logs, events, packets, verdicts.
void add_reading_commands(CLI::App& app, Words& w, std::vector<Command>& out);
// mark, alerts, classify, decode.
void add_other_commands(CLI::App& app, Words& w, std::vector<Command>& out);
// sql, db.
void add_file_commands(CLI::App& app, Words& w, std::vector<Command>& out);
// devices, device, release, resume, pause, debug-log, doctor.
void add_device_commands(CLI::App& app, Words& w, std::vector<Command>& out);

}  // namespace leakhunt::ctl
