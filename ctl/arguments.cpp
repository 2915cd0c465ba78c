// The command line by CLI11. Knows the words and their order, not their meaning: times and fields are
// resolved where `now` and the store are known.
#include "ctl/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "ctl/words.h"

namespace leakhunt::ctl {
namespace {

constexpr std::array kValueOptions = {
    "socket",  "db",     "device",     "format",  "rules", "fail-on", "window", "start", "end",  "field",
    "variant", "source", "max-points", "grep",    "level", "thread",  "max",    "kind",  "from", "port",
    "note",    "data",   "at",         "reserve", "limit", "metric",  "config", "for"};

bool takes_value(std::string_view name) {
  return std::find(kValueOptions.begin(), kValueOptions.end(), name) != kValueOptions.end();
}

std::string dashed(std::string_view key) {
  std::string out{key};
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

void add_global_options(CLI::App& app, Words& w) {
  app.add_option("--socket", w.socket, "control socket of the daemon");
  app.add_option("--db", w.database, "answer from this database file, without a daemon");
  app.add_option("--device", w.device, "which device, default the only one");
  app.add_flag("--json", w.json, "same as --format json");
  app.add_option("--format", w.format, "table, csv or json")->check(CLI::IsMember({"table", "csv", "json"}));
  app.add_option("--rules", w.rules, "rule set of verdicts")->check(CLI::IsMember({"leakhunt", "published"}));
  add_list(&app, "--fail-on", w.fail_on, "exit with 10..14 when the verdict is one of these classes");
}

Result<std::vector<v1::VerdictClass>> fail_classes(const Words& w) {
  std::vector<v1::VerdictClass> out;
  for (std::string name : split_alternatives(w.fail_on)) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
    v1::VerdictClass found{};
    const bool known = v1::VerdictClass_Parse("VERDICT_CLASS_" + dashed(name), &found) ||
                       v1::VerdictClass_Parse("VERDICT_CLASS_" + name, &found);
    if (!known) {
      return Error{ErrorCode::usage, "unknown class '" + name + "'", "--fail-on",
                   "oom_imminent, slow_leak, fragmentation_suspect, reboot_mid_window, insufficient_data"};
    }
    out.push_back(found);
  }
  return out;
}

// The first word that is no option must be a command; CLI11 would only say that one is missing.
std::optional<Error> unknown_command(const std::vector<std::string>& tied, const CLI::App& app) {
  const auto word =
      std::find_if(tied.begin(), tied.end(), [](const std::string& w) { return !w.starts_with("-"); });
  if (word == tied.end()) return std::nullopt;
  std::string known;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->check_name(*word)) return std::nullopt;
    known += (known.empty() ? "" : " ") + command->get_name();
  }
  return Error{ErrorCode::usage, "unknown command '" + *word + "'", "leakhuntctl", "one of: " + known};
}

std::optional<std::string> given(const std::string& word) {
  return word.empty() ? std::nullopt : std::optional{word};
}

bool gives_a_verdict(const What& what) {
  const auto* question = std::get_if<v1::Question>(&what);
  return question != nullptr && (question->has_report() || question->has_classify());
}

Result<Invocation> assemble(const Words& w, const Build& build) {
  Invocation out;
  out.socket = given(w.socket);
  out.database = given(w.database);
  out.config = given(w.config);
  out.limit = w.limit;
  out.brief = w.brief;
  out.yes = w.yes;
  if (w.json || w.format == "json") {
    out.format = Format::json;
  } else if (w.format == "csv") {
    out.format = Format::csv;
  }
  if (out.socket && out.database) {
    return Error{ErrorCode::usage, "--socket and --db exclude each other", "", "give one of them"};
  }
  auto classes = fail_classes(w);
  if (!classes) return classes.error();
  out.fail_on = *classes;
  auto what = build(w);
  if (!what) return what.error();
  out.what = std::move(*what);
  if (!out.fail_on.empty() && !gives_a_verdict(out.what)) {
    return Error{ErrorCode::usage, "only report and classify end with the exit code of a verdict",
                 "--fail-on", "leakhuntctl report --fail-on CLASS"};
  }
  return out;
}

// What follows the first `--` of a release is another program's: taken away before anything here reads it.
std::vector<std::string> take_command(std::vector<std::string>& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return {};
  const std::vector<std::string> tied = tie_values(std::vector<std::string>{words.begin(), dashes});
  const auto is_option = [](const std::string& w) { return w.starts_with("-"); };
  const auto first = std::find_if_not(tied.begin(), tied.end(), is_option);
  if (first == tied.end() || *first != "release") return {};
  std::vector<std::string> command{dashes, words.end()};
  words.erase(dashes, words.end());
  return command;
}

Invocation notice(std::string text) {
  Invocation out;
  out.what = Notice{std::move(text)};
  return out;
}

}  // namespace

v1::Question question_for(const Words& w) {
  v1::Question q;
  q.set_device(w.device);
  q.set_rules(w.rules == "published" ? v1::RULES_PUBLISHED : v1::RULES_LEAKHUNT);
  return q;
}

std::vector<std::string> tie_values(std::span<const std::string> arguments) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") {
      out.insert(out.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
      break;
    }
    const std::size_t equals = word.find('=');
    const bool is_option = word.starts_with("--");
    if (is_option && equals == std::string::npos && takes_value(dashed(word.substr(2))) &&
        i + 1 < arguments.size()) {
      out.push_back("--" + dashed(word.substr(2)) + "=" + arguments[++i]);
    } else if (!is_option && equals != std::string::npos && takes_value(dashed(word.substr(0, equals)))) {
      out.push_back("--" + dashed(word.substr(0, equals)) + word.substr(equals));
    } else {
      out.push_back(word);
    }
  }
  return out;
}

Result<Invocation> parse_arguments(std::span<const std::string> arguments) {
  Words words;
  CLI::App app{"Ask a leakhunt recorder: is the device leaking, since when, who, how long is left.",
               "leakhuntctl"};
  app.fallthrough();
  app.require_subcommand(1);
  app.set_version_flag("--version", "leakhuntctl " LEAKHUNT_VERSION);
  add_global_options(app, words);
  std::vector<Command> commands;
  add_reading_commands(app, words, commands);
  add_other_commands(app, words, commands);
  add_device_commands(app, words, commands);
  add_file_commands(app, words, commands);

  std::vector<std::string> own{arguments.begin(), arguments.end()};
  words.command = take_command(own);
  std::vector<std::string> tied = tie_values(own);
  if (auto error = unknown_command(tied, app)) return *error;
  std::reverse(tied.begin(), tied.end());  // CLI11 takes its words from the back
  try {
    app.parse(tied);
  } catch (const CLI::CallForHelp&) {
    for (const Command& command : commands) {
      if (command.app->parsed()) return notice(command.app->help("leakhuntctl"));
    }
    return notice(app.help());
  } catch (const CLI::CallForVersion& version) {
    return notice(std::string{version.what()} + "\n");
  } catch (const CLI::ParseError& error) {
    return Error{ErrorCode::usage, error.what(), "leakhuntctl",
                 "leakhuntctl --help lists commands and options"};
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return assemble(words, command.build);
  }
  return Error{ErrorCode::usage, "no command given", "leakhuntctl", "leakhuntctl --help lists them"};
}

}  // namespace leakhunt::ctl
