// Something a person asked to be done with a device, beside recording. Told what is heard and what time it
// is, it tells what to send. Knows no link, socket or clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "proto/secret_bytes.h"

namespace leakhunt::daemon {

class Errand {
 public:
  Errand() = default;
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;
  Errand(Errand&&) = delete;
  Errand& operator=(Errand&&) = delete;
  virtual ~Errand() = default;

  // The handshake is complete: told at once if it is, and again after each later one.
  virtual void live(std::uint32_t own_node, Mono now) = 0;
  // The link was lost, or the device restarts.
  virtual void lost(Mono now) = 0;
  // The payload of each frame, before or after anybody else has seen it.
  virtual void heard(std::span<const std::uint8_t> from_radio, Mono now) = 0;
  // Whole frames to send now, in order. Once sent they are to be destroyed; nothing of them is logged.
  [[nodiscard]] virtual std::vector<proto::SecretBytes> due(Mono now) = 0;
  // When due() is wanted next, unless something is heard; a time gone by means at once.
  [[nodiscard]] virtual std::optional<Mono> next() const = 0;
  // Nothing more is wanted or sent; it can be destroyed, though not from within a call to it.
  [[nodiscard]] virtual bool ended() const = 0;
};

}  // namespace leakhunt::daemon
