// Ports to messages and to a table.
#include "daemon/port_answer.h"

#include <algorithm>
#include <array>

#include "daemon/link_address.h"
#include "daemon/port_choice.h"

namespace leakhunt::daemon {
namespace {

bool uses(const v1::LinkStatus& link, const PortInfo& port, const std::vector<PortInfo>& ports) {
  if (!link.port().empty()) return is_at(port, link.port());
  const auto spec = parse_link(link.address(), LinkMode::api);
  if (!spec || std::holds_alternative<TcpAddress>(spec->address)) return false;
  const auto found = find_port(spec->address, ports, nullptr);
  return found && is_at(port, found->path);
}

std::string user_of(const PortInfo& port, const std::vector<PortInfo>& ports, const v1::Devices& devices) {
  for (const v1::DeviceStatus& device : devices.devices()) {
    for (const v1::LinkStatus& link : device.links()) {
      if (uses(link, port, ports)) return device.name();
    }
  }
  return "";
}

using Cells = std::array<std::string, 5>;

Cells cells_of(const v1::Port& port) {
  std::string what = port.description().empty() ? port.chip() : port.description();
  if (!port.description().empty() && !port.chip().empty()) what += ", " + port.chip();
  const std::string device = port.device().empty() ? "-" : port.device();
  return {port.path(), port.usb().empty() ? "-" : port.usb(), port.meshtastic(), device,
          port.link() + (what.empty() ? "" : "  (" + what + ")")};
}

}  // namespace

void add_ports(const std::vector<PortInfo>& ports, v1::Devices& out) {
  for (const PortInfo& port : ports) {
    v1::Port& told = *out.add_ports();
    told.set_path(port.path);
    told.set_by_id(port.by_id);
    told.set_usb(usb_word(port));
    told.set_usb_serial(port.usb_serial);
    told.set_description(port.description);
    told.set_chip(std::string{chip_name(port)});
    told.set_meshtastic(std::string{word(meshtastic_use(port))});
    told.set_device(user_of(port, ports, out));
    told.set_link(stable_link(port, ports));
  }
}

std::string ports_text(const v1::Devices& devices) {
  if (devices.ports().empty()) return "no serial port is plugged in\n";
  std::vector<Cells> rows{{"PORT", "USB", "MESHTASTIC", "DEVICE", "LINK TO WRITE"}};
  std::array<std::size_t, 4> widths{};
  for (const v1::Port& port : devices.ports()) rows.push_back(cells_of(port));
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      text += row[i] + std::string(widths[i] + 2 - row[i].size(), ' ');
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace leakhunt::daemon
