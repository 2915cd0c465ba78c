// What a simulated device writes to: a TCP connection or a serial line. Knows nothing of what the bytes mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace leakhunt::sim {

enum class PortKind : std::uint8_t {
  tcp,     // a client connects; frames alone
  serial,  // always there; the text console until a client has sent a frame
};

class Port {
 public:
  virtual ~Port() = default;
  [[nodiscard]] virtual PortKind kind() const = 0;
  // Bytes written at virtual time `at`, in order.
  virtual void write(std::string_view bytes, Mono at) = 0;
  // Written by `at`, but not gone yet: a console waits when these are many.
  [[nodiscard]] virtual std::size_t waiting_bytes(Mono at) = 0;
  // Forgets bytes that have not left yet: the console fell silent in the middle of a line.
  virtual void drop_unsent() = 0;
  // Ends the client's connection, if the port has connections.
  virtual void hang_up() = 0;
  // The device restarts: connections end, and it listens again a moment later.
  virtual void restart(Mono at) = 0;
};

}  // namespace leakhunt::sim
