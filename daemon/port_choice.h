// Which of the ports an address means, and how a port is best written down. Looks at names (stat, readlink),
// opens nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/link_address.h"
#include "daemon/port_catalogue.h"
#include "recorder/rows.h"

namespace leakhunt::daemon {

// Whether boards that run Meshtastic use such a port. only: a chip's own USB that practically nothing else
// has here (Espressif 303a, Adafruit and Nordic 239a). often: bridges (CP210x, CH34x, FTDI) and RP2040, which
// are in many other things.
enum class MeshtasticUse : std::uint8_t { no, often, only };
[[nodiscard]] MeshtasticUse meshtastic_use(const PortInfo& port);
[[nodiscard]] std::string_view word(MeshtasticUse use);
// "Silicon Labs CP210x bridge"; empty for what is not known.
[[nodiscard]] std::string_view chip_name(const PortInfo& port);
// vendor:product in hex, 303a:1001; empty for no USB port.
[[nodiscard]] std::string usb_word(const PortInfo& port);

// The port that an address means now, to be opened under its `path`. `remembered`: where the device was last
// seen over this link, or null; for a device with several serial links null unless it is known to be of this
// one.
// - a path: that port, also when it is none of the catalogue (a pty) or a link to one. A numbered one
// (ttyUSBn,
//   ttyACMn) whose device was remembered with a serial number: the only port with that USB identity, whatever
//   its number now, as boards with their own USB come back under other numbers. Serial numbers that chips
//   leave the factory with ("0001") identify nothing.
// - usb: the port with that serial number, of several ports of one chip the first.
// - auto: the remembered one; else the only chip whose USB identity is Meshtastic's alone.
// The error lists what is plugged in. Not for TCP.
[[nodiscard]] Result<PortInfo> find_port(const Address& address, const std::vector<PortInfo>& ports,
                                         const recorder::PortRow* remembered);

// The link to write into the configuration to have this port found again: serial:/dev/serial/by-id/..., else
// usb:SERIAL, else serial:PATH.
[[nodiscard]] std::string stable_link(const PortInfo& port, const std::vector<PortInfo>& ports);

// One line on what would be better for this address (a numbered path) whose device is on `port`, or empty.
[[nodiscard]] std::string link_advice(const Address& address, const PortInfo& port,
                                      const std::vector<PortInfo>& ports);

// Whether the address, as find_port found it, is this port: by path, by-id link or real path.
[[nodiscard]] bool is_at(const PortInfo& port, const std::string& path);

}  // namespace leakhunt::daemon
