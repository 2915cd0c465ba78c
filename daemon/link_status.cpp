// Words about links.
#include "daemon/link_status.h"

namespace leakhunt::daemon {

std::string_view word(LinkState state) {
  switch (state) {
    case LinkState::connecting:
      return "connecting";
    case LinkState::handshake:
      return "handshake";
    case LinkState::connected:
      return "connected";
    case LinkState::waiting:
      return "waiting";
    case LinkState::listening:
      return "listening";
    case LinkState::refused:
      return "refused";
    case LinkState::released:
      return "released";
    case LinkState::paused:
      return "paused";
    case LinkState::failed:
      break;
  }
  return "failed";
}

namespace {

bool only_listens(const LinkSnapshot& link) {
  return link.mode == LinkMode::listen ||
         (link.mode == LinkMode::automatic && link.state == LinkState::listening);
}

}  // namespace

std::string_view sees(const LinkSnapshot& link) {
  if (only_listens(link)) return "log lines, [heap N] of DEBUG_HEAP builds";
  if (!link.serial) return "LocalStats, telemetry, packets";
  return link.log_seen ? "LocalStats, telemetry, packets, log lines" : "LocalStats, telemetry, packets";
}

std::string cannot_see(const LinkSnapshot& link) {
  if (only_listens(link)) return "LocalStats: a second link in api mode, best over TCP, gives them";
  std::string lacks;
  if (link.mode == LinkMode::gentle) {
    lacks = "LocalStats more often than each 15 min: mode api asks for them each 60 s; ";
  } else if (link.poll == "off") {
    lacks = "LocalStats more often than each 15 min: poll = \"60s\" asks for them; ";
  }
  if (!link.serial) return lacks + "log lines: a serial link in listen mode gives them";
  if (link.log_seen) return lacks + "[heap N]: it is printed in text mode alone; listen mode gives it";
  return lacks + "log lines: leakhuntctl debug-log on gives them; [heap N]: listen mode gives it";
}

}  // namespace leakhunt::daemon
