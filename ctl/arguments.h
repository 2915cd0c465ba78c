// What the person typed, made a question. Knows the words of the command line; asks nobody.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl {

enum class Format { table, csv, json };

// Decodes recorded files line by line; needs neither daemon nor store.
struct DecodeCommand {
  std::vector<std::string> files;
  std::string config;  // with [[log_format]] entries; may be empty
};

// Text to print instead of asking anything: help or the version. Ends with exit code 0.
struct Notice {
  std::string text;
};

// Hands a device over to a program, runs it, and takes the device back.
struct ReleaseCommand {
  v1::Question question;             // a ReleaseRequest, without the holder
  std::vector<std::string> command;  // the program and its arguments
};

// Asks each line of stdin as a statement of its own.
struct SqlLines {
  v1::Question question;  // a SqlQuestion, without the statement
};

using What = std::variant<v1::Question, DecodeCommand, ReleaseCommand, SqlLines, Notice>;

struct Invocation {
  std::optional<std::string> socket;    // --socket
  std::optional<std::string> database;  // --db
  std::optional<std::string> config;    // --config: a file with [[log_format]] entries
  std::optional<double> limit;          // --limit of classify, bytes
  Format format = Format::table;
  bool brief = false;  // status in one line
  bool yes = false;    // what must be confirmed is
  std::vector<v1::VerdictClass> fail_on;
  What what;
};

// Reads the arguments after the program's name. A usage error says what, where and what is allowed.
// What follows the first `--` of `release` is left as it is.
[[nodiscard]] Result<Invocation> parse_arguments(std::span<const std::string> arguments);

// `key=value` words of known keys become `--key=value`, and an option's value is tied to it with `=`, so that
// `--window -3d` is a window and not another option. What follows `--` stays as it is.
[[nodiscard]] std::vector<std::string> tie_values(std::span<const std::string> arguments);

}  // namespace leakhunt::ctl
