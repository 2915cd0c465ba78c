// Judgements over HostFacts, a function per check.
#include "daemon/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "daemon/port_choice.h"

namespace leakhunt::daemon {
namespace {

enum class State : std::uint8_t { ok, warning, failed, skipped };

std::string_view word(State state) {
  switch (state) {
    case State::warning:
      return "warning";
    case State::failed:
      return "failed";
    case State::skipped:
      return "skipped";
    case State::ok:
      break;
  }
  return "ok";
}

void add(v1::Doctor& doctor, std::string name, State state, std::string what, std::string remedy = "") {
  v1::Check& check = *doctor.add_checks();
  check.set_name(std::move(name));
  check.set_state(std::string{word(state)});
  check.set_what(std::move(what));
  check.set_remedy(std::move(remedy));
}

std::string join_group(const HostFacts& facts, const PortFacts& port) {
  constexpr unsigned kGroupReadsAndWrites = 0060;
  const std::string& group = port.group;
  if (group == "root" || (port.mode & kGroupReadsAndWrites) != kGroupReadsAndWrites)
    return "sudo install -m 644 systemd/60-leakhunt.rules /etc/udev/rules.d/ && sudo udevadm control "
           "--reload && "
           "replug: no group may open it as it is";
  return fmt::format("sudo usermod -aG {} {}, then log in again (a service: restart it)", group, facts.user);
}

// ---- ports ------------------------------------------------------------------------------------------------

void check_groups(const HostFacts& facts, v1::Doctor& doctor) {
  if (facts.is_root) return add(doctor, "groups", State::ok, "root needs no group to open a port");
  for (const PortFacts& port : facts.ports) {
    if (port.may_open || port.group == "root") continue;
    if (port.is_member) {
      return add(
          doctor, "groups", State::failed,
          fmt::format("{} is in the group {}, but this session began before that", facts.user, port.group),
          "log in again (a service: restart it)");
    }
    return add(doctor, "groups", State::failed,
               fmt::format("{} is not in the group {}, whose ports are here", facts.user, port.group),
               join_group(facts, port));
  }
  if (facts.ports.empty()) return add(doctor, "groups", State::skipped, "no port is plugged in to try it on");
  add(doctor, "groups", State::ok,
      fmt::format("the user {} may open each port ({})", facts.user, facts.ports.size()));
}

void check_port(const HostFacts& facts, const PortFacts& port, v1::Doctor& doctor) {
  const std::string name = "port " + port.port.path;
  if (!port.may_open) {
    return add(doctor, name, State::failed,
               fmt::format("{} may not open it (group {}, mode {:04o})", facts.user, port.group, port.mode),
               port.is_member ? "log in again (a service: restart it)" : join_group(facts, port));
  }
  if (port.holder.ends_with("(leakhuntd)"))
    return add(doctor, name, State::ok, "a recorder has it open: " + port.holder);
  if (!port.holder.empty()) {
    return add(doctor, name, State::warning, "another program has it open: " + port.holder,
               "end that program; to hand a port over and take it back: leakhuntctl release NAME");
  }
  add(doctor, name, State::ok, "can be opened, and no other program is seen to hold it");
}

void check_ports(const HostFacts& facts, v1::Doctor& doctor) {
  check_groups(facts, doctor);
  for (const PortFacts& port : facts.ports) check_port(facts, port, doctor);
}

// ---- other people's services ------------------------------------------------------------------------------

// USB ports that ModemManager is not told to leave alone.
std::string ports_for_modem_manager(const HostFacts& facts) {
  std::string open;
  for (const PortFacts& each : facts.ports) {
    if (each.port.usb_vendor != 0 && !each.port.modem_manager_ignores)
      open += (open.empty() ? "" : ", ") + each.port.path;
  }
  return open;
}

void check_udev_rule(const HostFacts& facts, v1::Doctor& doctor) {
  const std::string install = fmt::format(
      "sudo install -m 644 systemd/{} /etc/udev/rules.d/ && sudo udevadm control --reload && replug",
      kUdevRule);
  const std::string open = ports_for_modem_manager(facts);
  if (facts.has_udev_rule) {
    return open.empty() ? add(doctor, "udev rule", State::ok, "leakhunt's rule is installed")
                        : add(doctor, "udev rule", State::warning,
                              "leakhunt's rule is installed, but not applied to " + open,
                              "sudo udevadm control --reload, and replug the device");
  }
  if (open.empty()) {
    return add(doctor, "udev rule", State::ok,
               "leakhunt's rule is not installed; no port that is plugged in needs it");
  }
  add(doctor, "udev rule", State::warning, "no rule keeps ModemManager from " + open, install);
}

void check_others(const HostFacts& facts, v1::Doctor& doctor) {
  const std::string open = ports_for_modem_manager(facts);
  if (!facts.modem_manager_runs) {
    add(doctor, "ModemManager", State::ok, "does not run");
  } else if (open.empty()) {
    add(doctor, "ModemManager", State::ok, "runs, and leaves the ports here alone");
  } else {
    add(doctor, "ModemManager", State::warning,
        "runs, and sends modem commands to " + open + " when it is plugged in",
        "install the udev rule, or: sudo systemctl disable --now ModemManager");
  }
  if (!facts.brltty_runs) return add(doctor, "brltty", State::ok, "does not run");
  add(doctor, "brltty", State::warning, "runs, and takes CH34x, CP210x and FTDI bridges for braille displays",
      "sudo systemctl disable --now brltty, unless somebody reads braille here");
}

// ---- this machine -----------------------------------------------------------------------------------------

void check_clock(const HostFacts& facts, v1::Doctor& doctor) {
  constexpr Utc kEarliest{1'767'225'600'000'000};  // 2026
  constexpr Utc kLatest{4'102'444'800'000'000};    // 2100
  const std::string remedy = "sudo timedatectl set-ntp true, or set the clock by hand";
  if (facts.now < kEarliest || facts.now > kLatest)
    return add(doctor, "clock", State::failed, "its year cannot be right", remedy);
  if (!facts.clock_synchronised)
    return add(doctor, "clock", State::warning,
               "is not synchronised; slopes are unharmed, dates are as good as the clock", remedy);
  add(doctor, "clock", State::ok, "is synchronised");
}

void check_space(const HostFacts& facts, v1::Doctor& doctor) {
  constexpr double kMega = 1024.0 * 1024.0;
  constexpr double kLittle_mib = 1024;
  constexpr double kNone_mib = 100;
  const std::string where = facts.state_dir.string();
  const std::string remedy =
      "free some, or move the state folder: --state-dir, or state_dir in the configuration";
  if (!facts.may_write_state) {
    return add(doctor, "space", State::failed, fmt::format("{} may not write to {}", facts.user, where),
               "give the folder to that user, or name another with --state-dir");
  }
  if (!facts.free_bytes) return add(doctor, "space", State::skipped, "cannot be told for " + where);
  const double free_mib = static_cast<double>(*facts.free_bytes) / kMega;
  const std::string what = fmt::format("{:.0f} MiB are free in {}", free_mib, where);
  if (free_mib < kNone_mib) return add(doctor, "space", State::failed, what, remedy);
  if (free_mib < kLittle_mib) return add(doctor, "space", State::warning, what, remedy);
  add(doctor, "space", State::ok, what);
}

void check_unit(const HostFacts& facts, bool is_live, v1::Doctor& doctor) {
  const auto tell = [&](State state, std::string what, std::string remedy = "") {
    add(doctor, "unit", state, std::move(what), std::move(remedy));
  };
  if (facts.unit.empty()) return tell(State::skipped, "systemd does not run here");
  if (facts.unit == "active") return tell(State::ok, "leakhuntd.service is active");
  if (facts.unit == "failed")
    return tell(State::failed, "leakhuntd.service has failed", "see journalctl -u leakhuntd");
  if (facts.unit == "unknown") return tell(State::skipped, "the service manager does not answer");
  const std::string state = facts.unit == "not-found" ? "is not installed" : "is " + facts.unit;
  if (is_live) {
    return tell(State::warning,
                "a recorder runs, but leakhuntd.service " + state + ": a restart of the machine ends it",
                "install it as a service (README)");
  }
  tell(State::warning, "leakhuntd.service " + state,
       facts.unit == "not-found" ? "install it (README)" : "sudo systemctl enable --now leakhuntd");
}

// ---- devices ----------------------------------------------------------------------------------------------

struct Finding {
  State state;
  std::string what;
};

Finding finding_of(const v1::LinkStatus& link, double now) {
  constexpr double kLong_s = 300;
  if (link.state() == "released" || link.state() == "paused")
    return {State::skipped, link.address() + " is " + link.state()};
  const bool heard = link.has_last_received_ts() && now - link.last_received_ts() < kLong_s;
  if (link.state() == "connected" || (link.state() == "listening" && heard))
    return {State::ok, (link.state() == "connected" ? "answers over " : "is heard over ") + link.address()};
  if (link.state() == "listening")
    return {State::warning, "nothing was heard over " + link.address() + " for 5 min"};
  return {State::failed,
          link.address() + " is " + link.state() + (link.trouble().empty() ? "" : ": " + link.trouble())};
}

// One link that answers is enough; what is wrong with the others is a warning.
void check_device(const v1::DeviceStatus& device, double now, v1::Doctor& doctor) {
  std::string what;
  std::string advice;
  std::vector<State> states;
  for (const v1::LinkStatus& link : device.links()) {
    const Finding finding = finding_of(link, now);
    what += (what.empty() ? "" : "; ") + finding.what;
    if (advice.empty()) advice = link.advice();
    states.push_back(finding.state);
  }
  const auto has = [&](State state) {
    return std::find(states.begin(), states.end(), state) != states.end();
  };
  State state = has(State::failed) ? State::failed : has(State::warning) ? State::warning : State::skipped;
  if (has(State::ok))
    state = has(State::failed) || has(State::warning) || !advice.empty() ? State::warning : State::ok;
  std::string remedy = advice;
  if (remedy.empty() && state != State::ok && state != State::skipped) remedy = "leakhuntctl status";
  add(doctor, "device " + device.name(), state, what, std::move(remedy));
}

// Nobody talks to it: only whether its port is there can be told.
void check_device(const DeviceConfig& device, const std::vector<PortInfo>& ports, v1::Doctor& doctor) {
  for (const LinkSpec& link : device.links) {
    if (std::holds_alternative<TcpAddress>(link.address)) continue;
    const auto port = find_port(link.address, ports, nullptr);
    if (!port) {
      return add(doctor, "device " + device.name, State::failed,
                 port.error().what + ": " + port.error().where, port.error().hint);
    }
    if (std::string advice = link_advice(link.address, *port, ports); !advice.empty())
      return add(doctor, "device " + device.name, State::warning, "its link is not a stable name", advice);
  }
  add(doctor, "device " + device.name, State::skipped, "no recorder runs that could ask it");
}

void check_devices(const std::vector<DeviceConfig>& devices, const std::vector<PortInfo>& ports,
                   const v1::Status* live, v1::Doctor& doctor) {
  if (live != nullptr) {
    for (const v1::DeviceStatus& device : live->devices()) check_device(device, live->now(), doctor);
  } else {
    for (const DeviceConfig& device : devices) check_device(device, ports, doctor);
  }
  if (devices.empty() && (live == nullptr || live->devices().empty())) {
    add(doctor, "devices", State::warning, "none is configured",
        "leakhuntd --list-ports shows what to write; then --device NAME=LINK or a [[device]] block");
  }
}

std::vector<PortInfo> ports_to_look_at(const Config& config, const std::vector<PortInfo>& ports) {
  std::vector<PortInfo> chosen;
  const auto choose = [&](const PortInfo& port) {
    const auto same = [&](const PortInfo& other) { return other.path == port.path; };
    if (std::none_of(chosen.begin(), chosen.end(), same)) chosen.push_back(port);
  };
  for (const PortInfo& port : ports) {
    if (port.usb_vendor != 0) choose(port);
  }
  for (const DeviceConfig& device : config.devices) {
    for (const LinkSpec& link : device.links) {
      if (std::holds_alternative<TcpAddress>(link.address)) continue;
      if (const auto port = find_port(link.address, ports, nullptr)) choose(*port);
    }
  }
  return chosen;
}

}  // namespace

v1::Doctor judge(const HostFacts& facts, const std::vector<DeviceConfig>& devices,
                 const std::vector<PortInfo>& ports, const v1::Status* live) {
  v1::Doctor doctor;
  check_ports(facts, doctor);
  check_udev_rule(facts, doctor);
  check_others(facts, doctor);
  check_clock(facts, doctor);
  check_space(facts, doctor);
  check_unit(facts, live != nullptr, doctor);
  check_devices(devices, ports, live, doctor);
  return doctor;
}

v1::Doctor examine(const Config& config, const std::vector<PortInfo>& ports, const v1::Status* live) {
  const HostFacts facts = gather({}, ports_to_look_at(config, ports), config.state_dir);
  return judge(facts, config.devices, ports, live);
}

}  // namespace leakhunt::daemon
