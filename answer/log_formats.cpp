// The [[log_format]] entries of a configuration, for a command that has no daemon.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "answer/classify.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace leakhunt::answer {
namespace {

Error refused(const std::string& path, const toml::node& at, std::string what) {
  return {ErrorCode::usage, std::move(what), path + ":" + std::to_string(at.source().begin.line),
          "a [[log_format]] has a name and a pattern, and may have unit, event and last"};
}

Result<recorder::LogShape> shape_of(const std::string& path, const toml::table& entry) {
  recorder::LogShape shape;
  for (const auto& [key, value] : entry) {
    const auto text = value.value<std::string>();
    if (key == "name" && text) {
      shape.name = *text;
    } else if (key == "pattern" && text) {
      shape.pattern = *text;
    } else if (key == "unit" && text) {
      shape.unit = *text;
    } else if (key == "event" && text) {
      shape.event = *text;
    } else if (key == "last" && value.is_boolean()) {
      shape.last = value.value_or(false);
    } else {
      return refused(path, value, "log_format." + std::string{key.str()} + " is not allowed");
    }
  }
  if (shape.name.empty() || shape.pattern.empty()) {
    return refused(path, entry, "a log_format without name or pattern");
  }
  return shape;
}

}  // namespace

Result<std::vector<recorder::LogShape>> read_log_formats(const std::string& config_path) {
  const auto parsed = toml::parse_file(config_path);
  if (!parsed) {
    return Error{ErrorCode::usage, std::string{parsed.error().description()},
                 config_path + ":" + std::to_string(parsed.error().source().begin.line), "it must be TOML"};
  }
  std::vector<recorder::LogShape> shapes;
  const auto* entries = parsed.table().get_as<toml::array>("log_format");
  if (entries == nullptr) return shapes;
  for (const auto& entry : *entries) {
    const auto* table = entry.as_table();
    if (table == nullptr) return refused(config_path, entry, "log_format is no list of tables");
    auto shape = shape_of(config_path, *table);
    if (!shape) return shape.error();
    shapes.push_back(std::move(*shape));
  }
  return shapes;
}

}  // namespace leakhunt::answer
