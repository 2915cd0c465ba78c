// How a link stands, for `status`. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "daemon/link_address.h"
#include "recorder/device_live.h"

namespace leakhunt::daemon {

enum class LinkState : std::uint8_t {
  connecting,
  handshake,
  connected,
  waiting,  // for the next attempt
  listening,
  failed,    // left alone until replugged or asked for
  refused,   // another device's board is there
  released,  // handed over to another program
  paused,
};
[[nodiscard]] std::string_view word(LinkState state);

struct LinkSnapshot {
  std::string address;
  bool serial = false;
  LinkMode mode = LinkMode::api;
  LinkState state = LinkState::connecting;
  Utc since;
  std::optional<Utc> last_received;
  std::string trouble;  // why it is not connected, and what to do
  std::string sends;    // what the recorder sends there, with rates
  std::string poll;     // of a link that can ask: "every 60 s"
  std::string port;     // serial: the path it was opened under last
  std::string advice;   // what a person could set up better
  std::int64_t reconnects = 0;
  std::int64_t bytes_received = 0;
  std::int64_t frames = 0;
  std::int64_t bad_bytes = 0;
  bool log_seen = false;  // lines of log came over it
  Utc opened;             // last; 0 before
};

// A device that is handed over to another program.
struct Release {
  Utc since;
  std::optional<Utc> until;  // unset: until that program ends, or a person says so
};

struct DeviceSnapshot {
  recorder::DeviceLive live;
  std::vector<LinkSnapshot> links;
  std::optional<Release> released;
};

// How the whole recorder stands.
struct BenchSnapshot {
  std::vector<DeviceSnapshot> devices;
  std::optional<Release> paused;
};

// What a link of this kind can show, and what it cannot together with what would give it.
[[nodiscard]] std::string_view sees(const LinkSnapshot& link);
[[nodiscard]] std::string cannot_see(const LinkSnapshot& link);

}  // namespace leakhunt::daemon
