// Where a device is reached, as a person writes it: tcp:HOST[:PORT], serial:PATH, usb:SERIALNUMBER, auto.
// Opens nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace leakhunt::daemon {

// Port of the client API on a networked device (firmware ServerAPI.cpp).
inline constexpr std::uint16_t kDevicePort = 4403;

struct TcpAddress {
  std::string host;  // name or number; without the brackets of an IPv6 address
  std::uint16_t port = kDevicePort;
  bool operator==(const TcpAddress&) const = default;
};
struct SerialAddress {
  std::string path;
  bool operator==(const SerialAddress&) const = default;
};
// The USB port with this serial number, under whatever name it comes (port_catalogue.h).
struct UsbAddress {
  std::string serial_number;
  bool operator==(const UsbAddress&) const = default;
};
// The one port that is surely a Meshtastic device (port_catalogue.h).
struct AutoAddress {
  bool operator==(const AutoAddress&) const = default;
};
using Address = std::variant<TcpAddress, SerialAddress, UsbAddress, AutoAddress>;

enum class LinkMode : std::uint8_t {
  api,        // the recorder takes part in the device's client API
  listen,     // it writes not one byte
  automatic,  // listens until a `[heap N]` has told of the build, at most 20 s; then api
  gentle,     // api without polls, a heartbeat each 300 s
};

struct LinkSpec {
  Address address;
  LinkMode mode = LinkMode::api;
  bool operator==(const LinkSpec&) const = default;
};

// Forms of a link, for messages.
inline constexpr std::string_view kLinkForms =
    "tcp:HOST[:PORT], serial:PATH, usb:SERIALNUMBER, auto; each also with #api, #listen, #auto or #gentle";

// A link in one of kLinkForms; `mode` holds where the text names none behind #. The error names the text.
[[nodiscard]] Result<LinkSpec> parse_link(std::string_view text, LinkMode mode);

// The address as it is written, port included: tcp:bench.local:4403, serial:/dev/ttyUSB0.
[[nodiscard]] std::string word(const Address& address);
[[nodiscard]] std::string_view word(LinkMode mode);

}  // namespace leakhunt::daemon
