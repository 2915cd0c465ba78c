// What the daemon is told to do: values of leakhuntd.toml and of the command line. Reads files, opens nothing
// else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "daemon/hook.h"
#include "daemon/link_address.h"
#include "recorder/device_recorder.h"
#include "recorder/log_shapes.h"
#include "storage/retention.h"

namespace leakhunt::daemon {

inline constexpr Duration kDefaultPoll{60'000'000};
inline constexpr Duration kShortestPoll{
    10'000'000};  // a device asked each 5 s leaves every second unanswered

struct DeviceConfig {
  std::string name;
  std::vector<LinkSpec> links;
  std::optional<Duration> poll = kDefaultPoll;  // unset: "off"
  std::optional<std::int64_t> reserve_bytes;    // memory that counts as gone; unset: as the judge sets it
  std::optional<std::int64_t> min_free_bytes;   // a level below is an alert
};

// Limits of INTERFACES "Alerts".
struct AlertLimits {
  Duration warn_horizon{24 * 3'600'000'000LL};   // time to OOM, its lower bound
  Duration critical_horizon{3'600'000'000LL};    // below this: critical
  Duration imminent_horizon{40 * 60'000'000LL};  // below this: OOM-IMMINENT
  double steep_slope_bytes_per_min = 50;         // losing more than this over 1 h ...
  std::int64_t steep_range_bytes = 1'000;        // ... within a range of more than this
};

struct Config {
  std::filesystem::path state_dir;
  std::filesystem::path runtime_dir;   // of a service; empty: there is none
  std::filesystem::path ports_folder;  // that stands for this machine's ports in tests; empty: there is none
  Duration durable_interval{60'000'000};
  std::size_t queue_bytes = 16 * 1024 * 1024;
  storage::Retention retention;
  recorder::RecordOthers record_others = recorder::RecordOthers::counts;
  std::vector<DeviceConfig> devices;
  std::vector<recorder::LogShape> log_formats;  // of the user, for the readers of recorded files
  AlertLimits alerts;
  HookConfig hook;

  [[nodiscard]] std::filesystem::path database() const { return state_dir / "leakhunt.db"; }
  // In the runtime folder of a service ($RUNTIME_DIRECTORY), else beside the database.
  [[nodiscard]] std::filesystem::path socket() const {
    return (runtime_dir.empty() ? state_dir : runtime_dir) / "control.sock";
  }
};

// Reads a config file. Anything malformed, unknown or out of range is an error of code usage whose line names
// file, line, key, value and what is allowed. `state_dir` stays empty when the file does not set it.
[[nodiscard]] Result<Config> load_config(const std::filesystem::path& file);
// The same for text; `name` stands for the file in errors.
[[nodiscard]] Result<Config> parse_config(std::string_view text, std::string_view name);

// Adds a device given as NAME=LINK on the command line, or replaces the links of one of that name.
[[nodiscard]] Outcome add_device_argument(Config& config, std::string_view argument);

// $STATE_DIRECTORY, $XDG_STATE_HOME/leakhunt or ~/.local/state/leakhunt; an error when none can be told.
[[nodiscard]] Result<std::filesystem::path> default_state_dir();
// $RUNTIME_DIRECTORY, which systemd sets for a unit with RuntimeDirectory=; empty elsewhere.
[[nodiscard]] std::filesystem::path service_runtime_dir();

}  // namespace leakhunt::daemon
