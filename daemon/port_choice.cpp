// Rules that map addresses to ports.
#include "daemon/port_choice.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <optional>

namespace leakhunt::daemon {
namespace {

namespace fs = std::filesystem;

struct Chip {
  int vendor;
  int product;  // 0 = any
  MeshtasticUse use;
  std::string_view name;
};

// facts/device-facts.md, "Serial ports".
constexpr std::array<Chip, 6> kChips{{
    {0x303a, 0, MeshtasticUse::only, "Espressif native USB"},
    {0x239a, 0, MeshtasticUse::only, "Adafruit or Nordic nRF52 native USB"},
    {0x10c4, 0xea60, MeshtasticUse::often, "Silicon Labs CP210x bridge"},
    {0x1a86, 0, MeshtasticUse::often, "WCH CH34x bridge"},
    {0x0403, 0, MeshtasticUse::often, "FTDI bridge"},
    {0x2e8a, 0, MeshtasticUse::often, "Raspberry Pi RP2040 native USB"},
}};

// Whether both names lead to one file. (fs::equivalent knows no device nodes.)
bool same_file(const std::string& a, const std::string& b) {
  struct stat of_a {};
  struct stat of_b {};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

const Chip* chip_of(const PortInfo& port) {
  const auto found = std::find_if(kChips.begin(), kChips.end(), [&](const Chip& chip) {
    return chip.vendor == port.usb_vendor && (chip.product == 0 || chip.product == port.usb_product);
  });
  return found != kChips.end() ? &*found : nullptr;
}

using Pointers = std::vector<const PortInfo*>;

template <class Predicate>
Pointers those(const std::vector<PortInfo>& ports, Predicate predicate) {
  Pointers found;
  for (const PortInfo& port : ports) {
    if (predicate(port)) found.push_back(&port);
  }
  return found;
}

bool on_one_chip(const PortInfo& a, const PortInfo& b) {
  return a.usb_vendor == b.usb_vendor && a.usb_product == b.usb_product && a.usb_serial == b.usb_serial &&
         a.usb_position == b.usb_position;
}

// Ports stand in their order: the first of a chip is its lowest.
bool all_on_one_chip(const Pointers& ports) {
  return !ports.empty() && std::all_of(ports.begin(), ports.end(), [&](const PortInfo* port) {
    return on_one_chip(*port, *ports.front());
  });
}

std::string shown(const PortInfo& port) {
  return (port.by_id.empty() ? port.path : port.by_id) + " (" + usb_word(port) +
         (port.usb_serial.empty() ? "" : ", " + port.usb_serial) +
         (port.description.empty() ? "" : ", " + port.description) + ")";
}

std::string list_of(const Pointers& ports) {
  std::string list;
  for (const PortInfo* port : ports) list += (list.empty() ? "" : ", ") + shown(*port);
  return list;
}

Pointers usb_ports(const std::vector<PortInfo>& ports) {
  return those(ports, [](const PortInfo& port) { return port.usb_vendor != 0; });
}

std::string plugged(const std::vector<PortInfo>& ports) {
  const std::string list = list_of(usb_ports(ports));
  return list.empty() ? "no USB serial port is plugged in" : "plugged in: " + list;
}

bool is_numbered(const std::string& path) {
  const std::string name = fs::path{path}.filename();
  if (!name.starts_with("ttyUSB") && !name.starts_with("ttyACM")) return false;
  const std::string_view number = std::string_view{name}.substr(6);
  return !number.empty() &&
         std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// What many chips of a kind have in common tells them not apart: "0001", "00000000", "1234567890".
bool identifies(std::string_view serial) {
  constexpr std::size_t kShortest = 6;
  return serial.size() >= kShortest && serial.find_first_not_of(serial.front()) != std::string_view::npos &&
         !std::string_view{"01234567890123456789"}.substr(serial.front() == '0' ? 0 : 1).starts_with(serial);
}

bool is_of(const PortInfo& port, const recorder::PortRow& remembered) {
  return port.usb_vendor == remembered.usb_vendor && port.usb_product == remembered.usb_product &&
         port.usb_serial == remembered.usb_serial;
}

const PortInfo* moved_to(const std::vector<PortInfo>& ports, const recorder::PortRow* remembered) {
  if (remembered == nullptr || remembered->usb_vendor == 0 || !identifies(remembered->usb_serial))
    return nullptr;
  const Pointers same = those(ports, [&](const PortInfo& port) { return is_of(port, *remembered); });
  return same.size() == 1 ? same.front() : nullptr;
}

Result<PortInfo> find(const SerialAddress& address, const std::vector<PortInfo>& ports,
                      const recorder::PortRow* remembered) {
  const Pointers here = those(ports, [&](const PortInfo& port) { return is_at(port, address.path); });
  const bool is_the_one = !here.empty() && remembered != nullptr && is_of(*here.front(), *remembered);
  if (is_numbered(address.path) && !is_the_one) {
    if (const PortInfo* moved = moved_to(ports, remembered)) return *moved;
  }
  if (!here.empty()) return *here.front();
  std::error_code error;
  if (!fs::exists(address.path, error)) {
    return Error{ErrorCode::unreachable, "no such port", address.path,
                 "plug the device in, or name another port; " + plugged(ports)};
  }
  PortInfo port;
  port.path = address.path;
  return port;
}

Result<PortInfo> find(const UsbAddress& address, const std::vector<PortInfo>& ports) {
  const Pointers found = those(ports, [&](const PortInfo& port) {
    return port.usb_vendor != 0 && port.usb_serial == address.serial_number;
  });
  if (all_on_one_chip(found)) return *found.front();
  if (found.empty()) {
    return Error{ErrorCode::unreachable, "no port has this USB serial number", word(Address{address}),
                 "plug the device in, or name another; " + plugged(ports)};
  }
  return Error{ErrorCode::unreachable, "several devices have this USB serial number", word(Address{address}),
               "name the path of one of them: " + list_of(found)};
}

// Without a serial number of its own a bridge is known by its kind and its place together.
Pointers remembered_among(const std::vector<PortInfo>& ports, const recorder::PortRow* remembered) {
  if (remembered == nullptr || remembered->usb_vendor == 0) return {};
  return those(ports, [&](const PortInfo& port) {
    return is_of(port, *remembered) &&
           (identifies(port.usb_serial) || port.path == remembered->path ||
            (!port.by_id.empty() && !port.usb_serial.empty() && port.by_id == remembered->by_id));
  });
}

Result<PortInfo> find_auto(const std::vector<PortInfo>& ports, const recorder::PortRow* remembered) {
  const Pointers known = remembered_among(ports, remembered);
  if (all_on_one_chip(known)) return *known.front();
  const Pointers sure =
      those(ports, [](const PortInfo& port) { return meshtastic_use(port) == MeshtasticUse::only; });
  if (all_on_one_chip(sure)) return *sure.front();
  const std::string candidates = list_of(usb_ports(ports));
  if (candidates.empty()) {
    return Error{ErrorCode::unreachable, "no USB serial port is plugged in", "auto",
                 "plug a device in, or name one with --device NAME=tcp:HOST or NAME=serial:PATH"};
  }
  return Error{ErrorCode::unreachable,
               sure.empty() ? "no port is surely a Meshtastic device" : "several ports may be the device",
               "auto", "choose one with --device NAME=serial:PATH from: " + candidates};
}

// Two chips that udev gives the same name to: the link is the one's that came last.
bool is_unambiguous(const PortInfo& port, const std::vector<PortInfo>& ports) {
  return std::none_of(ports.begin(), ports.end(), [&](const PortInfo& other) {
    return other.path != port.path && other.usb_vendor == port.usb_vendor &&
           other.usb_product == port.usb_product && other.usb_serial == port.usb_serial &&
           (other.by_id.empty() || other.by_id == port.by_id);
  });
}

}  // namespace

MeshtasticUse meshtastic_use(const PortInfo& port) {
  const Chip* chip = chip_of(port);
  return chip != nullptr ? chip->use : MeshtasticUse::no;
}

std::string_view word(MeshtasticUse use) {
  if (use == MeshtasticUse::only) return "only";
  return use == MeshtasticUse::often ? "often" : "no";
}

std::string_view chip_name(const PortInfo& port) {
  const Chip* chip = chip_of(port);
  return chip != nullptr ? chip->name : "";
}

std::string usb_word(const PortInfo& port) {
  if (port.usb_vendor == 0) return "";
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%04x:%04x", static_cast<unsigned>(port.usb_vendor),
                static_cast<unsigned>(port.usb_product));
  return text.data();
}

bool is_at(const PortInfo& port, const std::string& path) {
  if (path == port.path || (!port.by_id.empty() && path == port.by_id)) return true;
  return same_file(path, port.path);
}

Result<PortInfo> find_port(const Address& address, const std::vector<PortInfo>& ports,
                           const recorder::PortRow* remembered) {
  if (const auto* serial = std::get_if<SerialAddress>(&address)) return find(*serial, ports, remembered);
  if (const auto* usb = std::get_if<UsbAddress>(&address)) return find(*usb, ports);
  if (std::holds_alternative<AutoAddress>(address)) return find_auto(ports, remembered);
  return Error{ErrorCode::usage, "this is no serial link", word(address), ""};
}

std::string stable_link(const PortInfo& port, const std::vector<PortInfo>& ports) {
  if (!port.by_id.empty() && is_unambiguous(port, ports)) return word(Address{SerialAddress{port.by_id}});
  const UsbAddress usb{port.usb_serial};
  if (port.usb_vendor != 0 && identifies(port.usb_serial)) {
    const auto found = find(usb, ports);
    if (found && found->path == port.path) return word(Address{usb});
  }
  return word(Address{SerialAddress{port.path}});
}

std::string link_advice(const Address& address, const PortInfo& port, const std::vector<PortInfo>& ports) {
  const auto* serial = std::get_if<SerialAddress>(&address);
  if (serial == nullptr || !is_numbered(serial->path)) return "";
  const std::string link = stable_link(port, ports);
  if (link == word(Address{SerialAddress{port.path}})) return "";
  return serial->path + " may be another device after the next plug: write link = \"" + link + "\"";
}

}  // namespace leakhunt::daemon
