// Where a client finds the device: a TCP port or a pseudo-terminal. Knows nothing of what the bytes mean.
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "sim/device.h"
#include "sim/uart.h"

namespace leakhunt::sim {

// An open file descriptor, closed with its owner. -1 is none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { reset(); }
  void reset();
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// A port of this machine. It never blocks: whoever runs it polls the descriptors and calls serve.
class LivePort : public Port {
 public:
  // One line for whoever waits for the device: "listening tcp:127.0.0.1:4403" or "pty PATH".
  [[nodiscard]] virtual std::string greeting() const = 0;
  // Somebody has opened it.
  [[nodiscard]] virtual bool opened() const = 0;
  virtual void add_to(std::vector<pollfd>& polled) const = 0;
  // Passes on what came in and went out by `now`.
  virtual void serve(Mono now, Device& device) = 0;
  // When it wants to be served again even if no descriptor is ready.
  [[nodiscard]] virtual std::optional<Mono> next(Mono now) const = 0;
  // Takes the device off the bus, or puts it back, if the port can.
  virtual void unplug() {}
  virtual void plug() {}
  // Bytes that reached nobody because the reader stalled, and because there was no reader.
  [[nodiscard]] virtual std::uint64_t dropped_bytes() const = 0;
  [[nodiscard]] virtual std::uint64_t unheard_bytes() const = 0;
};

// TCP on the loopback interface; port 0 takes a free one.
[[nodiscard]] Result<std::unique_ptr<LivePort>> open_tcp(std::uint16_t port);
// A pseudo-terminal behind a symbolic link at `link`, with a UART in front. The reader's buffer of 4 KB is
// `speed` times as large, since the reader lives in real time.
[[nodiscard]] Result<std::unique_ptr<LivePort>> open_pty(const std::string& link, double speed);

}  // namespace leakhunt::sim
