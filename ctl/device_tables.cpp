// The answers about devices, ports and the recorder itself as text or CSV.
#include "ctl/device_tables.h"

#include <fmt/format.h>

#include <vector>

#include "ctl/text.h"
#include "proto/printable.h"

namespace leakhunt::ctl {
namespace {

using proto::printable;
using Rows = std::vector<std::vector<std::string>>;

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string stamp(bool has, double epoch_s) {
  return has ? fmt::format("{:.6f}", epoch_s) : "";
}

std::string joined(const google::protobuf::RepeatedPtrField<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

// ---- devices

std::string board(const v1::DeviceStatus& d) {
  return d.long_name().empty() ? or_dash(d.hardware()) : d.long_name() + " (" + or_dash(d.hardware()) + ")";
}

// Where the link is open, if its address does not say so already.
std::string other_port(const v1::LinkStatus& link) {
  return link.address() == "serial:" + link.port() ? "" : link.port();
}

Rows device_rows(const v1::Devices& devices) {
  Rows rows = {{"device", "node", "board", "firmware"}};
  for (const v1::DeviceStatus& d : devices.devices())
    rows.push_back({d.name(), or_dash(d.node()), board(d), or_dash(d.firmware_version())});
  return rows;
}

// The address is as long as it likes, so it stands last.
Rows link_rows(const v1::Devices& devices) {
  Rows rows = {{"device", "state", "mode", "port", "link"}};
  for (const v1::DeviceStatus& d : devices.devices()) {
    for (const v1::LinkStatus& link : d.links())
      rows.push_back({d.name(), link.state(), link.mode(), or_dash(other_port(link)), link.address()});
  }
  return rows;
}

std::string troubles(const v1::Devices& devices) {
  std::string out;
  for (const v1::DeviceStatus& d : devices.devices()) {
    for (const v1::LinkStatus& link : d.links()) {
      if (!link.trouble().empty()) out += printable(d.name()) + ": " + printable(link.trouble()) + "\n";
      if (!link.advice().empty()) out += printable(d.name()) + ": " + printable(link.advice()) + "\n";
    }
  }
  return out;
}

Rows port_rows(const v1::Devices& devices) {
  Rows rows = {{"port", "usb", "serial", "meshtastic", "device", "chip"}};
  for (const v1::Port& p : devices.ports()) {
    rows.push_back({p.path(), or_dash(p.usb()), or_dash(p.usb_serial()), or_dash(p.meshtastic()),
                    or_dash(p.device()), or_dash(p.chip().empty() ? p.description() : p.chip())});
  }
  return rows;
}

// What is too long for the table of the ports: what to write down for one that a Meshtastic board may be
// behind and that no device has, else the name that stays the same.
std::string port_names(const v1::Devices& devices) {
  std::string out;
  for (const v1::Port& p : devices.ports()) {
    const bool fits = p.meshtastic() == "only" || p.meshtastic() == "often";
    if (fits && p.device().empty() && !p.link().empty()) {
      // Without spaces a narrow terminal does not part it, and it can be copied.
      out += fmt::format("to record {}: link=\"{}\"\n", printable(p.path()), printable(p.link()));
    } else if (!p.by_id().empty()) {
      out += fmt::format("{}: {}\n", printable(p.path()), printable(p.by_id()));
    }
  }
  return out;
}

std::string devices_text(const v1::Devices& devices) {
  std::string out =
      devices.offline() ? "recorder not asked (answered from the file): no links, no ports\n" : "";
  out += devices.devices().empty() ? "no device is configured\n" : table(device_rows(devices));
  if (const Rows links = link_rows(devices); links.size() > 1) out += "\n" + table(links);
  out += troubles(devices);
  if (!devices.offline()) {
    out += "\n";
    out += devices.ports().empty() ? "no serial port found\n" : table(port_rows(devices));
    out += port_names(devices);
  }
  if (!devices.unused().empty()) {
    out += fmt::format("\nrecorded once, no longer configured: {} (leakhuntctl device rename|merge|forget)\n",
                       printable(joined(devices.unused())));
  }
  return out;
}

Rows devices_csv_rows(const v1::Devices& devices) {
  Rows rows = {{"kind", "name", "address", "state", "mode", "node", "usb", "usb_serial", "chip", "meshtastic",
                "by_id", "device"}};
  for (const v1::DeviceStatus& d : devices.devices()) {
    for (const v1::LinkStatus& l : d.links())
      rows.push_back(
          {"link", d.name(), l.address(), l.state(), l.mode(), d.node(), "", "", "", "", "", d.name()});
    if (d.links().empty())
      rows.push_back({"device", d.name(), "", "", "", d.node(), "", "", "", "", "", d.name()});
  }
  for (const v1::Port& p : devices.ports()) {
    rows.push_back({"port", p.path(), p.link(), "", "", "", p.usb(), p.usb_serial(), p.chip(), p.meshtastic(),
                    p.by_id(), p.device()});
  }
  for (const std::string& name : devices.unused())
    rows.push_back({"unused", name, "", "", "", "", "", "", "", "", "", ""});
  return rows;
}

// ---- release, resume, pause, debug-log, device

std::string released_text(const v1::Released& r) {
  return released_line(r) + "to take it back: leakhuntctl resume " + printable(r.device()) + "\n";
}

std::string paused_text(const v1::Paused& p) {
  return fmt::format("paused, all devices are let go of{}\nto go on: leakhuntctl resume\n",
                     p.has_until() ? " until " + local_time(p.until()) : "");
}

std::string debug_log_text(const v1::DebugLog& d) {
  const auto word = [](bool on) { return on ? "on" : "off"; };
  if (!d.rebooted())
    return fmt::format("{}: the API log was {} already, nothing was changed\n", printable(d.device()),
                       word(d.is()));
  return fmt::format("{}: the API log was {}, the device has rebooted, and reads back {}\n",
                     printable(d.device()), word(d.was()), word(d.is()));
}

std::string changed_text(const v1::DeviceChanged& c) {
  std::string out = c.now().empty() ? printable(c.device()) + " and all that was recorded of it is gone\n"
                                    : printable(c.device()) + " is now " + printable(c.now()) + "\n";
  if (!c.hint().empty()) out += printable(c.hint()) + "\n";
  return out;
}

Rows resumed_rows(const v1::Resumed& r) {
  Rows rows = {{"device"}};
  for (const std::string& name : r.devices()) rows.push_back({name});
  return rows;
}

// ---- doctor

std::string doctor_text(const v1::Doctor& doctor) {
  std::string out;
  for (const v1::Check& check : doctor.checks()) {
    out += fmt::format("{:<8} {}: {}\n", printable(check.state()), printable(check.name()),
                       printable(check.what()));
    if (!check.remedy().empty()) out += fmt::format("{:<8} do: {}\n", "", printable(check.remedy()));
  }
  return out;
}

Rows doctor_rows(const v1::Doctor& doctor) {
  Rows rows = {{"name", "state", "what", "remedy"}};
  for (const v1::Check& check : doctor.checks())
    rows.push_back({check.name(), check.state(), check.what(), check.remedy()});
  return rows;
}

}  // namespace

std::string released_line(const v1::Released& r) {
  std::string out = printable(r.device()) + " is released";
  if (!r.links().empty()) out += ", given up: " + printable(joined(r.links()));
  return out + (r.has_until() ? ", until " + local_time(r.until()) + "\n" : "\n");
}

std::string resumed_line(const v1::Resumed& r, const std::string& asked) {
  std::string out;
  if (r.recorder()) out = "the pause has ended\n";
  if (!r.devices().empty()) out += "taken back: " + printable(joined(r.devices())) + "\n";
  if (!out.empty()) return out;
  return asked.empty() ? "nothing was released or paused\n"
                       : printable(asked) + " was not released; its links are looked at again at once\n";
}

std::string device_text_of(const v1::Answer& a) {
  switch (a.tell_case()) {
    case v1::Answer::kDevices:
      return devices_text(a.devices());
    case v1::Answer::kRelease:
      return released_text(a.release());
    case v1::Answer::kResume:
      return resumed_line(a.resume(), "");
    case v1::Answer::kPause:
      return paused_text(a.pause());
    case v1::Answer::kDebugLog:
      return debug_log_text(a.debug_log());
    case v1::Answer::kChangeDevice:
      return changed_text(a.change_device());
    case v1::Answer::kDoctor:
      return doctor_text(a.doctor());
    default:
      return "";
  }
}

std::string device_csv_of(const v1::Answer& a) {
  const auto yes = [](bool is) { return is ? "1" : "0"; };
  switch (a.tell_case()) {
    case v1::Answer::kDevices:
      return csv(devices_csv_rows(a.devices()));
    case v1::Answer::kRelease:
      return csv({{"device", "since", "until", "links"},
                  {a.release().device(), stamp(true, a.release().since()),
                   stamp(a.release().has_until(), a.release().until()), joined(a.release().links())}});
    case v1::Answer::kResume:
      return csv(resumed_rows(a.resume()));
    case v1::Answer::kPause:
      return csv({{"since", "until"},
                  {stamp(true, a.pause().since()), stamp(a.pause().has_until(), a.pause().until())}});
    case v1::Answer::kDebugLog:
      return csv({{"device", "was", "is", "rebooted"},
                  {a.debug_log().device(), yes(a.debug_log().was()), yes(a.debug_log().is()),
                   yes(a.debug_log().rebooted())}});
    case v1::Answer::kChangeDevice:
      return csv({{"device", "now", "hint"},
                  {a.change_device().device(), a.change_device().now(), a.change_device().hint()}});
    case v1::Answer::kDoctor:
      return csv(doctor_rows(a.doctor()));
    default:
      return "";
  }
}

}  // namespace leakhunt::ctl
