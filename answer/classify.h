// `classify FILE...`: recorded files judged, without a daemon or a store. Knows how a recording becomes a
// question; what it says is the analysis's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "leakhunt/v1/api.pb.h"
#include "recorder/recording.h"

namespace leakhunt::answer {

struct ClassifySettings {
  v1::Rules rules = v1::RULES_LEAKHUNT;
  std::string config_path;            // a configuration with [[log_format]] entries, or empty
  std::optional<double> limit_bytes;  // what used memory may reach, where no column tells it
};

// Judges every file; one that cannot be read has its `error` set and the others go on. Fails (usage) on a bad
// configuration or when no file is named.
[[nodiscard]] Result<v1::Answer> classify(const v1::ClassifyQuestion& question,
                                          const ClassifySettings& settings);

// The [[log_format]] entries of a configuration file: `name`, `pattern`, and optionally `unit` and `event`
// (recorder/log_shapes.h).
[[nodiscard]] Result<std::vector<recorder::LogShape>> read_log_formats(const std::string& config_path);

}  // namespace leakhunt::answer
