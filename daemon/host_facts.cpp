// /proc, the user database, the system bus, and a few system calls.
#include "daemon/host_facts.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <memory>

#include "daemon/holder.h"

namespace leakhunt::daemon {
namespace {

namespace fs = std::filesystem;

// Of the service manager's answer, so that a hung one does not hang the doctor.
constexpr std::uint64_t kBusPatience_us = 2'000'000;

std::string user_name() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(::geteuid());
}

bool is_member(const std::string& user, gid_t group) {
  const passwd* entry = ::getpwnam(user.c_str());
  if (entry == nullptr) return false;
  std::vector<gid_t> groups(256);
  int count = static_cast<int>(groups.size());
  if (::getgrouplist(user.c_str(), entry->pw_gid, groups.data(), &count) < 0) return false;
  groups.resize(static_cast<std::size_t>(count));
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

// The folder, or the one it would be made in.
fs::path existing_part(fs::path folder) {
  std::error_code error;
  while (folder.has_relative_path() && !fs::exists(folder, error)) folder = folder.parent_path();
  return folder.empty() ? fs::path{"."} : folder;
}

bool is_clock_synchronised() {
  timex clock{};
  return ::adjtimex(&clock) >= 0 && (clock.status & STA_UNSYNC) == 0;
}

struct Unref {
  void operator()(sd_bus* bus) const { ::sd_bus_flush_close_unref(bus); }
  void operator()(sd_bus_message* message) const { ::sd_bus_message_unref(message); }
};

std::string property(sd_bus* bus, const char* path, const char* name) {
  char* raw = nullptr;
  if (::sd_bus_get_property_string(bus, "org.freedesktop.systemd1", path, "org.freedesktop.systemd1.Unit",
                                   name, nullptr, &raw) < 0)
    return "unknown";
  const std::unique_ptr<char, decltype(&std::free)> value{raw, &std::free};
  return value.get();
}

std::string unit_state(const fs::path& run) {
  std::error_code error;
  if (!fs::exists(run / "systemd" / "system", error)) return "";
  sd_bus* raw = nullptr;
  if (::sd_bus_open_system(&raw) < 0) return "unknown";
  const std::unique_ptr<sd_bus, Unref> bus{raw};
  ::sd_bus_set_method_call_timeout(raw, kBusPatience_us);
  sd_bus_message* reply = nullptr;
  const char* path = nullptr;
  const int asked = ::sd_bus_call_method(raw, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
                                         "org.freedesktop.systemd1.Manager", "LoadUnit", nullptr, &reply, "s",
                                         "leakhuntd.service");
  const std::unique_ptr<sd_bus_message, Unref> owned{reply};
  if (asked < 0 || ::sd_bus_message_read(reply, "o", &path) < 0) return "unknown";
  const std::string loaded = property(raw, path, "LoadState");
  return loaded == "loaded" ? property(raw, path, "ActiveState") : loaded;
}

}  // namespace

bool is_running(const fs::path& proc, const std::string& name) {
  std::error_code error;
  for (fs::directory_iterator process{proc, error}, end; !error && process != end; process.increment(error)) {
    std::string comm;
    if (std::getline(std::ifstream{process->path() / "comm"}, comm) && comm == name) return true;
  }
  return false;
}

PortFacts look_at(const PortInfo& port, const fs::path& proc) {
  PortFacts facts;
  facts.port = port;
  struct stat status {};
  if (::stat(port.path.c_str(), &status) != 0) return facts;
  facts.may_open = ::access(port.path.c_str(), R_OK | W_OK) == 0;
  facts.mode = status.st_mode & 07777U;
  const group* entry = ::getgrgid(status.st_gid);
  facts.group = entry != nullptr ? entry->gr_name : std::to_string(status.st_gid);
  facts.is_member = is_member(user_name(), status.st_gid);
  facts.holder = holder_of(port.path, proc);
  return facts;
}

bool has_udev_rule(const HostRoots& roots) {
  return std::any_of(roots.udev_rules.begin(), roots.udev_rules.end(), [](const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder / kUdevRule, error);
  });
}

HostFacts gather(const HostRoots& roots, const std::vector<PortInfo>& ports, const fs::path& state_dir) {
  HostFacts facts;
  facts.user = user_name();
  facts.is_root = ::geteuid() == 0;
  for (const PortInfo& port : ports) facts.ports.push_back(look_at(port, roots.proc));
  facts.has_udev_rule = has_udev_rule(roots);
  facts.modem_manager_runs = is_running(roots.proc, "ModemManager");
  facts.brltty_runs = is_running(roots.proc, "brltty");
  facts.clock_synchronised = is_clock_synchronised();
  facts.now = Utc{std::chrono::duration_cast<std::chrono::microseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count()};
  facts.state_dir = state_dir;
  const fs::path existing = existing_part(state_dir);
  facts.may_write_state = ::access(existing.c_str(), W_OK) == 0;
  struct statvfs space {};
  if (::statvfs(existing.c_str(), &space) == 0)
    facts.free_bytes = static_cast<std::int64_t>(space.f_bavail * space.f_frsize);
  facts.unit = unit_state(roots.run);
  return facts;
}

}  // namespace leakhunt::daemon
