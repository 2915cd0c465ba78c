// What a device knows about the client on one of its ports. Knows nothing of what is said.
#pragma once

#include <cstdint>

#include "sim/framer.h"
#include "sim/port.h"

namespace leakhunt::sim {

struct Session {
  explicit Session(Port& at) : port(at) {}

  [[nodiscard]] bool serial() const { return port.kind() == PortKind::serial; }
  // Another client, or none: whatever was meant for the last one is void.
  void begin(bool client_is_there, Mono now) {
    open = client_is_there;
    api = configured = idle = false;
    last_heard = now;
    ++number;
    reader.reset();
  }

  Port& port;
  FrameReader reader = {};
  bool open = false;        // a client is there (always, on a serial line)
  bool api = false;         // it has sent a frame
  bool configured = false;  // it has had its config_complete_id
  bool idle = false;        // it said goodbye, or nothing for too long, on a line that cannot hang up
  Mono last_heard = {};
  Mono deaf_until = {};         // the boot loader hears nothing
  std::uint64_t number = 0;     // of the client
  std::uint64_t greetings = 0;  // handshakes begun
};

}  // namespace leakhunt::sim
