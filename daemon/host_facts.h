// What `doctor` looks at on this machine. Gathers, does not judge; never opens a port.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "daemon/port_catalogue.h"

namespace leakhunt::daemon {

// Where the machine's own files are; tests have others.
struct HostRoots {
  std::filesystem::path proc = "/proc";
  std::filesystem::path run = "/run";
  std::vector<std::filesystem::path> udev_rules{"/etc/udev/rules.d", "/run/udev/rules.d",
                                                "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d",
                                                "/lib/udev/rules.d"};
};

inline constexpr const char* kUdevRule = "60-leakhunt.rules";

struct PortFacts {
  PortInfo port;
  bool may_open = false;   // by access(2), for reading and writing
  std::string group;       // of the node: "dialout", or its number
  unsigned mode = 0;       // of the node: 0660
  bool is_member = false;  // the user database has this user in that group
  std::string holder;      // "4711 (minicom)", or empty
};

struct HostFacts {
  std::string user;
  bool is_root = false;
  std::vector<PortFacts> ports;
  bool has_udev_rule = false;
  bool modem_manager_runs = false;
  bool brltty_runs = false;
  bool clock_synchronised = false;
  Utc now;
  std::filesystem::path state_dir;
  bool may_write_state = false;            // or make the folder
  std::optional<std::int64_t> free_bytes;  // for this user
  std::string unit;                        // active, inactive, failed, not-found, ...; empty: no systemd
};

// `ports`: those to look at, also ones of no catalogue. May take seconds.
[[nodiscard]] HostFacts gather(const HostRoots& roots, const std::vector<PortInfo>& ports,
                               const std::filesystem::path& state_dir);

// Parts of it.
[[nodiscard]] bool is_running(const std::filesystem::path& proc, const std::string& name);
[[nodiscard]] PortFacts look_at(const PortInfo& port, const std::filesystem::path& proc);
[[nodiscard]] bool has_udev_rule(const HostRoots& roots);

}  // namespace leakhunt::daemon
