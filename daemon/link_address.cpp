// Reading and writing of link addresses. Opens nothing.
#include "daemon/link_address.h"

#include <charconv>
#include <optional>
#include <utility>

namespace leakhunt::daemon {
namespace {

Error bad_link(std::string_view text, std::string why) {
  return {ErrorCode::usage, "the link \"" + std::string{text} + "\" " + std::move(why), "",
          "allowed: " + std::string{kLinkForms}};
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<std::uint16_t> port_number(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

// Takes a mode behind # off the end of the text; false when there is a # without one.
bool take_mode(std::string_view& text, LinkMode& mode) {
  const auto hash = text.rfind('#');
  if (hash == std::string_view::npos) return true;
  for (const LinkMode each : {LinkMode::api, LinkMode::listen, LinkMode::automatic, LinkMode::gentle}) {
    if (text.substr(hash + 1) != word(each)) continue;
    mode = each;
    text = text.substr(0, hash);
    return true;
  }
  return false;
}

// HOST, HOST:PORT, [V6], [V6]:PORT, or a bare IPv6 address, which has more than one colon.
Result<LinkSpec> parse_tcp(std::string_view text, std::string_view rest, LinkMode mode) {
  if (mode == LinkMode::listen || mode == LinkMode::automatic)
    return bad_link(text, "cannot listen: a device says nothing over TCP unasked");
  std::string_view host = rest;
  std::string_view port;
  if (rest.starts_with('[')) {
    const auto close = rest.find(']');
    if (close == std::string_view::npos) return bad_link(text, "has no closing bracket");
    host = rest.substr(1, close - 1);
    port = rest.substr(close + 1);
  } else if (const auto colon = rest.find(':'); colon != std::string_view::npos && colon == rest.rfind(':')) {
    host = rest.substr(0, colon);
    port = rest.substr(colon);
  }
  if (host.empty()) return bad_link(text, "names no host");
  if (host.find_first_of("#/@ \t") != std::string_view::npos) return bad_link(text, "names no host");
  if (port.empty()) return LinkSpec{TcpAddress{std::string{host}, kDevicePort}, mode};
  const auto number = port.starts_with(':') ? port_number(port.substr(1)) : std::nullopt;
  if (!number) return bad_link(text, "has no port from 1 to 65535 behind the host");
  return LinkSpec{TcpAddress{std::string{host}, *number}, mode};
}

}  // namespace

Result<LinkSpec> parse_link(std::string_view text, LinkMode mode) {
  std::string_view rest = text;
  if (!take_mode(rest, mode)) return bad_link(text, "has an unknown word behind #");
  if (take_prefix(rest, "tcp:")) return parse_tcp(text, rest, mode);
  if (rest == "auto") return LinkSpec{AutoAddress{}, mode};
  if (take_prefix(rest, "usb:")) {
    if (rest.empty()) return bad_link(text, "names no serial number");
    return LinkSpec{UsbAddress{std::string{rest}}, mode};
  }
  if (!take_prefix(rest, "serial:")) return bad_link(text, "is of no known form");
  if (rest.empty()) return bad_link(text, "names no port");
  return LinkSpec{SerialAddress{std::string{rest}}, mode};
}

std::string word(const Address& address) {
  if (const auto* tcp = std::get_if<TcpAddress>(&address)) {
    const bool v6 = tcp->host.find(':') != std::string::npos;
    return "tcp:" + (v6 ? "[" + tcp->host + "]" : tcp->host) + ":" + std::to_string(tcp->port);
  }
  if (const auto* serial = std::get_if<SerialAddress>(&address)) return "serial:" + serial->path;
  if (const auto* usb = std::get_if<UsbAddress>(&address)) return "usb:" + usb->serial_number;
  return "auto";
}

std::string_view word(LinkMode mode) {
  switch (mode) {
    case LinkMode::listen:
      return "listen";
    case LinkMode::automatic:
      return "auto";
    case LinkMode::gentle:
      return "gentle";
    case LinkMode::api:
      break;
  }
  return "api";
}

}  // namespace leakhunt::daemon
