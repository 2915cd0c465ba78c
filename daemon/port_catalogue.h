// The serial ports of this machine, what stands behind them, and when one is plugged in or out. Never opens
// one; does not know which port is whose (port_choice.h).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/loop.h"

namespace leakhunt::daemon {

// Texts that come from the device are without control characters and at most 128 bytes long.
struct PortInfo {
  std::string path;    // /dev/ttyACM0
  std::string by_id;   // /dev/serial/by-id/..., or empty
  int usb_vendor = 0;  // 0 = no USB port
  int usb_product = 0;
  std::string usb_serial;
  std::string usb_position;  // where the chip hangs, 1-1.2: the same for all ports of one chip
  std::string description;
  bool modem_manager_ignores = false;  // by ID_MM_DEVICE_IGNORE, which our udev rule and systemd's set
};

class PortCatalogue {
 public:
  virtual ~PortCatalogue() = default;

  // The ports plugged in now, ttyUSB2 before ttyUSB10. From any thread.
  [[nodiscard]] virtual std::vector<PortInfo> ports() const = 0;

  // As long as the loop runs calls `changed` on its thread after something was plugged in or out, also when
  // the catalogue is gone. To be called before the loop starts or on its thread. An error says why nothing
  // will be told: ports are then found when they are looked for.
  [[nodiscard]] virtual Outcome watch(Loop& loop, std::function<void()> changed) = 0;
};

// Enumerated with sd-device, virtual terminals and ptys left out; details of USB ports from libserialport.
[[nodiscard]] std::unique_ptr<PortCatalogue> system_catalogue();

// For tests: each `NAME -> /dev/pts/5` of the folder is a port as long as it leads somewhere. NAME.toml
// beside it, written before it, says what stands behind it: usb_vendor, usb_product (numbers), usb_serial,
// usb_position, description, by_id, modem_manager_ignores (a boolean); all may be absent.
[[nodiscard]] std::unique_ptr<PortCatalogue> folder_catalogue(std::filesystem::path folder);

// The folder's catalogue when there is one (--ports), else the system's.
[[nodiscard]] std::unique_ptr<PortCatalogue> make_catalogue(const std::filesystem::path& folder);

// Into the order of ports().
void sort_ports(std::vector<PortInfo>& ports);

}  // namespace leakhunt::daemon
