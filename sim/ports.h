// Where a client finds the device: a TCP port or a pseudo-terminal of this machine. Knows nothing of what the
// bytes mean.
//
// A test runs devices in its own process, on any clock and with any number of them:
//
//   auto tcp = *open_tcp(0);                         // Result<std::unique_ptr<LivePort>>
//   auto tty = *open_pty(folder + "/tty0", 1);       // speed 1: the stepped clock is the reader's too
//   Device device{setup, *make_scenario("leak", {}), start, {tcp.get(), tty.get()}};
//   device.tap([&](const Port& port, std::string_view bytes, Mono at) { … });  // everything it writes
//   for (;;) {
//     device.run_until(now);                         // habits, answers, the script
//     for (auto* port : ports) port->serve(now, device);  // both directions; accepts, notices opens
//     … carry_out("tcp vanish", device, ports, now);      // sim/server.h: every command of docs/simulator.md
//     now = the earliest of device.next() and each port->next(now), once nobody has anything to do
//   }
//
// Nothing blocks and no thread is made; a device and its ports belong to one thread. While a program in the
// same process reads (a daemon's loop), call serve again after it has run: what it wrote is only then taken.
// To wait in real time, poll what add_to adds until a descriptor is ready or next() has come.
//
// Was a sample delivered? If waiting_bytes of traffic() is 0 and all_taken() is true, all that was written
// since the client came, less what dropped_bytes and unheard_bytes count, is with the other side: its kernel
// has acknowledged it (TCP), its program has read it (pty). Ask before the fault, never after: what was not
// yet taken then may have arrived or not. An acknowledgement can be 40 ms of real time behind the bytes;
// until then all_taken() is false, never wrongly true.
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
#include "sim/port.h"

namespace leakhunt::sim {

// What became of the bytes a device has written to a port, since the port was made.
struct Traffic {
  std::uint64_t sent_bytes = 0;     // given to the kernel, for a client or reader that was there
  std::uint64_t waiting_bytes = 0;  // not gone yet: a serial line takes its time
  std::uint64_t dropped_bytes = 0;  // lost because the other side stalled
  std::uint64_t unheard_bytes = 0;  // lost because nobody was there, or the line was frozen
  std::uint64_t opens = 0;          // connections accepted; how often others have opened the terminal
};

// A port of this machine. It never blocks: whoever runs it polls the descriptors and calls serve.
class LivePort : public Port {
 public:
  // One line for whoever waits for the device: "listening tcp:127.0.0.1:4403" or "pty PATH".
  [[nodiscard]] virtual std::string greeting() const = 0;
  // Somebody has it open.
  [[nodiscard]] virtual bool opened() const = 0;
  virtual void add_to(std::vector<pollfd>& polled) const = 0;
  // Passes on what came in and went out by `now`.
  virtual void serve(Mono now, Device& device) = 0;
  // When it wants to be served again even if no descriptor is ready.
  [[nodiscard]] virtual std::optional<Mono> next(Mono now) const = 0;
  [[nodiscard]] virtual Traffic traffic() const = 0;
  // The other side has all that was sent since it came; false if nobody is there. False on a pty too if it
  // cannot be known: the reader holds the terminal for itself (TIOCEXCL) and this process has no privilege.
  [[nodiscard]] virtual bool all_taken() = 0;

  // Takes the device off the bus or network, or puts it back.
  virtual void unplug() = 0;
  [[nodiscard]] virtual Outcome plug() = 0;
  // A pty alone: takes it off the bus and puts it back behind a link of another name in the same folder (or
  // at an absolute path).
  [[nodiscard]] virtual Outcome replug(const std::string& name) = 0;
  // From now on nothing is read and nothing sent, and no end of a connection is told; what the device writes
  // meanwhile is lost.
  void freeze() { frozen_ = true; }
  void thaw() { frozen_ = false; }
  // TCP alone: the connection stays open for the client, who is never answered again; the device knows
  // nothing of it any more and takes the next one.
  [[nodiscard]] virtual Outcome vanish() = 0;
  // TCP alone: ends the connection with a reset, not in good order.
  [[nodiscard]] virtual Outcome reset() = 0;

 protected:
  [[nodiscard]] bool frozen() const { return frozen_; }

 private:
  bool frozen_ = false;
};

// TCP on the loopback interface; port 0 takes a free one.
[[nodiscard]] Result<std::unique_ptr<LivePort>> open_tcp(std::uint16_t port);
// A pseudo-terminal behind a symbolic link at `link`, with a UART in front. The reader's buffer of 4 KB is
// `speed` times as large, since the reader lives in real time.
[[nodiscard]] Result<std::unique_ptr<LivePort>> open_pty(const std::string& link, double speed);

}  // namespace leakhunt::sim
