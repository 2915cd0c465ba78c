// The serial ports of this machine and what stands behind them. Never opens one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace leakhunt::daemon {

struct PortInfo {
  std::string path;    // /dev/ttyACM0
  std::string by_id;   // /dev/serial/by-id/..., or empty
  int usb_vendor = 0;  // 0 = no USB port
  int usb_product = 0;
  std::string usb_serial;
  std::string description;
};

// Enumerated with sd-device, virtual terminals and ptys left out; details of USB ports from libserialport.
[[nodiscard]] std::vector<PortInfo> list_ports();

// A USB identity that practically only boards running Meshtastic have here: a chip's own USB (Espressif 303a,
// Adafruit and Nordic 239a). Bridges (CP210x, CH34x, FTDI) and 2e8a are in many other things.
[[nodiscard]] bool is_meshtastic_only(const PortInfo& port);

// The one port that is surely a Meshtastic device: its by-id path where it has one. Else an error that lists
// the candidates and says how to choose.
[[nodiscard]] Result<std::string> choose_port(const std::vector<PortInfo>& ports);

}  // namespace leakhunt::daemon
