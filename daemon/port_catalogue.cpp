// sd-device and libserialport's details. sp_list_ports is never called: it opens 8250 ports.
#include "daemon/port_catalogue.h"

#include <libserialport.h>
#include <systemd/sd-device.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

namespace leakhunt::daemon {
namespace {

namespace fs = std::filesystem;

struct Unref {
  void operator()(sd_device_enumerator* enumerator) const { ::sd_device_enumerator_unref(enumerator); }
  void operator()(sp_port* port) const { ::sp_free_port(port); }
};

std::string text(const char* value) {
  return value != nullptr ? value : "";
}

void add_usb_details(PortInfo& port) {
  sp_port* raw = nullptr;
  if (::sp_get_port_by_name(port.path.c_str(), &raw) != SP_OK) return;
  const std::unique_ptr<sp_port, Unref> details{raw};
  port.description = text(::sp_get_port_description(raw));
  if (::sp_get_port_transport(raw) != SP_TRANSPORT_USB) return;
  static_cast<void>(::sp_get_port_usb_vid_pid(raw, &port.usb_vendor, &port.usb_product));
  port.usb_serial = text(::sp_get_port_usb_serial(raw));
}

std::string by_id_of(const std::string& path) {
  std::error_code error;
  for (fs::directory_iterator link{"/dev/serial/by-id", error}, end; !error && link != end;
       link.increment(error)) {
    std::error_code other;
    if (fs::equivalent(link->path(), path, other)) return link->path();
  }
  return "";
}

std::string candidate(const PortInfo& port) {
  char usb[16] = "";
  std::snprintf(usb, sizeof usb, "%04x:%04x", static_cast<unsigned>(port.usb_vendor),
                static_cast<unsigned>(port.usb_product));
  return (port.by_id.empty() ? port.path : port.by_id) + " (" + usb +
         (port.description.empty() ? "" : ", " + port.description) + ")";
}

}  // namespace

std::vector<PortInfo> list_ports() {
  std::vector<PortInfo> ports;
  sd_device_enumerator* raw = nullptr;
  if (::sd_device_enumerator_new(&raw) < 0) return ports;
  const std::unique_ptr<sd_device_enumerator, Unref> enumerator{raw};
  // Without udevd, as in a container, no device counts as initialized.
  ::sd_device_enumerator_allow_uninitialized(raw);
  ::sd_device_enumerator_add_match_subsystem(raw, "tty", 1);
  for (sd_device* device = ::sd_device_enumerator_get_device_first(raw); device != nullptr;
       device = ::sd_device_enumerator_get_device_next(raw)) {
    const char* syspath = nullptr;
    const char* name = nullptr;
    if (::sd_device_get_syspath(device, &syspath) < 0 || ::sd_device_get_devname(device, &name) < 0) continue;
    if (std::string_view{syspath}.find("/virtual/") != std::string_view::npos) continue;
    PortInfo port;
    port.path = name;
    add_usb_details(port);
    port.by_id = by_id_of(port.path);
    ports.push_back(std::move(port));
  }
  std::sort(ports.begin(), ports.end(), [](const PortInfo& a, const PortInfo& b) { return a.path < b.path; });
  return ports;
}

bool is_meshtastic_only(const PortInfo& port) {
  return port.usb_vendor == 0x303a || port.usb_vendor == 0x239a;
}

Result<std::string> choose_port(const std::vector<PortInfo>& ports) {
  const PortInfo* sure = nullptr;
  int sure_count = 0;
  std::string candidates;
  for (const PortInfo& port : ports) {
    if (port.usb_vendor == 0) continue;
    candidates += (candidates.empty() ? "" : ", ") + candidate(port);
    if (!is_meshtastic_only(port)) continue;
    sure = &port;
    ++sure_count;
  }
  if (sure_count == 1) return sure->by_id.empty() ? sure->path : sure->by_id;
  if (candidates.empty()) {
    return Error{ErrorCode::unreachable, "no USB serial port is plugged in", "auto",
                 "plug a device in, or name one with --device NAME=tcp:HOST or NAME=serial:PATH"};
  }
  return Error{ErrorCode::unreachable,
               sure_count > 1 ? "several ports may be the device" : "no port is surely a Meshtastic device",
               "auto", "choose one with --device NAME=serial:PATH from: " + candidates};
}

}  // namespace leakhunt::daemon
