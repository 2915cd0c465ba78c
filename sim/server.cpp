// Runs a device on its ports, in real or scaled time. Knows no arguments and no scenarios.
#include "sim/server.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>

namespace leakhunt::sim {
namespace {

constexpr std::size_t kReadAtOnce = 4'096;

// Whole lines of standard input.
class CommandReader {
 public:
  // The lines that have come; `ended` becomes true at the end of the input.
  std::vector<std::string> lines(bool& ended) {
    std::array<char, kReadAtOnce> bytes;
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got <= 0) {
      ended = got == 0;
      return {};
    }
    pending_.append(bytes.data(), static_cast<std::size_t>(got));
    std::vector<std::string> out;
    for (std::size_t end = 0; (end = pending_.find('\n')) != std::string::npos; pending_.erase(0, end + 1))
      out.push_back(pending_.substr(0, end));
    return out;
  }

 private:
  std::string pending_;
};

struct Words {
  double number(double otherwise) {
    double value = otherwise;
    return (stream >> value) ? value : otherwise;
  }
  std::string rest() {
    std::string text;
    std::getline(stream >> std::ws, text);
    return text;
  }
  std::istringstream stream;
};

// What a command acts on.
struct Hand {
  Words& words;
  Device& device;
  const LivePorts& ports;
  Mono now;
};

LivePorts of_kind(const LivePorts& ports, PortKind kind) {
  LivePorts chosen;
  std::copy_if(ports.begin(), ports.end(), std::back_inserter(chosen),
               [kind](const LivePort* port) { return port->kind() == kind; });
  return chosen;
}

Error no_such_port(const std::string& kind) {
  return {ErrorCode::usage, "this device has no such port", kind, "see --tcp and --pty"};
}

using Command = std::function<Outcome(Hand&)>;

// A command that cannot fail.
template <class Act>
Command does(Act act) {
  return [act](Hand& hand) {
    act(hand);
    return Outcome{Done{}};
  };
}

// The same for each of the ports.
template <class Act>
Command does_each(Act act) {
  return does([act](Hand& hand) {
    for (LivePort* port : hand.ports) act(*port);
  });
}

// For ports of one kind, of which there must be one.
template <class Act>
Command does_on(PortKind kind, Act act) {
  return [kind, act](Hand& hand) -> Outcome {
    const LivePorts ports = of_kind(hand.ports, kind);
    if (ports.empty()) return no_such_port(kind == PortKind::tcp ? "tcp" : "pty");
    return act(hand, *ports.front());
  };
}

using Commands = std::map<std::string, Command>;

Commands device_commands() {
  return {{"reboot", does([](Hand& h) { h.device.reboot(Restart::planned, h.now); })},
          {"panic", does([](Hand& h) { h.device.reboot(Restart::panic, h.now); })},
          {"watchdog", does([](Hand& h) { h.device.reboot(Restart::watchdog, h.now); })},
          {"line", does([](Hand& h) {
             h.device.say({Level::warn, "Router", h.words.rest()}, h.now);
           })},
          {"text", does([](Hand& h) { h.device.hear_text(h.words.rest(), h.now); })},
          {"stall", does([](Hand& h) { h.device.stall(from_seconds(h.words.number(60)), h.now); })},
          {"silent", does([](Hand& h) { h.device.fall_silent(true); })},
          {"speak", does([](Hand& h) { h.device.fall_silent(false); })},
          {"heap", does([](Hand& h) { h.device.set_free(h.words.number(0), h.now); })},
          {"dip", does([](Hand& h) {
             const double bytes = h.words.number(8'192);
             h.device.dip(bytes, h.words.number(120), h.now);
           })},
          {"stats", does([](Hand& h) { h.device.send_stats(h.now); })},
          {"nodes", does([](Hand& h) { h.device.send_nodes(h.now); })},
          {"clock", does([](Hand& h) { h.device.set_clock(h.now); })},
          {"counters", does([](Hand& h) {
             std::printf("%s\n", summary(h.device, h.ports).c_str());
             std::fflush(stdout);
           })},
          {"node", does([](Hand& h) { h.device.become(static_cast<std::uint32_t>(h.words.number(1))); })},
          {"flash", does([](Hand& h) { h.device.flash(h.words.rest(), h.now); })}};
}

Commands port_commands() {
  return {{"raw", does([](Hand& h) {
             const std::string bytes = h.words.rest() + "\r\n";
             for (const LivePort* port : h.ports) h.device.write_raw(*port, bytes, h.now);
           })},
          {"garbage", does([](Hand& h) {
             const auto bytes = static_cast<std::size_t>(h.words.number(100));
             for (const LivePort* port : h.ports) h.device.junk(*port, bytes, h.now);
           })},
          {"drop", does_each([](LivePort& port) { port.hang_up(); })},
          {"unplug", does_each([](LivePort& port) { port.unplug(); })},
          {"plug",
           [](Hand& h) {
             Outcome all = Done{};
             for (LivePort* port : h.ports)
               if (Outcome done = port->plug(); !done) all = std::move(done);
             return all;
           }},
          {"replug",
           does_on(PortKind::serial, [](Hand& h, LivePort& port) { return port.replug(h.words.rest()); })},
          {"freeze", does_each([](LivePort& port) { port.freeze(); })},
          {"thaw", does_each([](LivePort& port) { port.thaw(); })},
          {"vanish", does_on(PortKind::tcp, [](Hand&, LivePort& port) { return port.vanish(); })},
          {"reset", does_on(PortKind::tcp, [](Hand&, LivePort& port) { return port.reset(); })}};
}

const Commands& commands() {
  static const Commands kCommands = [] {
    Commands all = device_commands();
    all.merge(port_commands());
    return all;
  }();
  return kCommands;
}

timespec real_wait(const Clock& clock, Mono now, std::optional<Mono> until) {
  constexpr std::chrono::nanoseconds kLongest = std::chrono::seconds{1};
  const auto wait = until ? std::min(kLongest, clock.real(*until - now)) : kLongest;
  return {wait.count() / 1'000'000'000, wait.count() % 1'000'000'000};
}

std::optional<Mono> earlier(std::optional<Mono> a, std::optional<Mono> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

bool ready(const std::vector<pollfd>& polled, int fd) {
  return std::any_of(polled.begin(), polled.end(),
                     [fd](const pollfd& one) { return one.fd == fd && one.revents != 0; });
}

}  // namespace

Descriptor catch_stop_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  ::sigaddset(&set, SIGINT);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return Descriptor{::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
}

std::string summary(const Device& device, const LivePorts& ports) {
  Traffic all;
  for (const LivePort* port : ports) {
    const Traffic one = port->traffic();
    all.opens += one.opens;
    all.dropped_bytes += one.dropped_bytes;
    all.unheard_bytes += one.unheard_bytes;
  }
  const Counters& n = device.counters();
  return fmt::format(
      "sent frames {}, log records {}, text lines {}; heard frames {}, for other nodes {}; stats asked {}, "
      "answered "
      "{}; boots {}; opened {} times; dropped bytes {}, unheard bytes {}",
      n.frames_sent, n.log_records, n.text_lines, n.frames_heard, n.to_others, n.stats_asked,
      n.stats_answered, n.boots, all.opens, all.dropped_bytes, all.unheard_bytes);
}

bool wait_for_reader(const LivePorts& ports, const Descriptor& stop) {
  // The opening of a pseudo-terminal makes nothing readable: it has to be looked for.
  constexpr int kLookEvery_ms = 5;
  for (;;) {
    if (std::any_of(ports.begin(), ports.end(), [](const LivePort* port) { return port->opened(); }))
      return true;
    pollfd signal{stop.get(), POLLIN, 0};
    if (::poll(&signal, 1, kLookEvery_ms) > 0) return false;
  }
}

Outcome carry_out(const std::string& command, Device& device, const LivePorts& ports, Mono now) {
  Words words{std::istringstream{command}};
  std::string name;
  words.stream >> name;
  LivePorts chosen = ports;
  if (name == "tcp" || name == "pty") {
    chosen = of_kind(ports, name == "tcp" ? PortKind::tcp : PortKind::serial);
    if (chosen.empty()) return no_such_port(name);
    words.stream >> name;
  }
  if (const auto known = commands().find(name); known != commands().end()) {
    Hand hand{words, device, chosen, now};
    return known->second(hand);
  }
  std::string names = "quit";
  for (const auto& [each, unused] : commands()) names += ", " + each;
  return Error{ErrorCode::usage, "no command \"" + name + "\"", "standard input", "one of: " + names};
}

Outcome serve(Device& device, const LivePorts& ports, const Clock& clock, const RunLimits& limits,
              const Descriptor& stop) {
  CommandReader reader;
  bool listening = limits.commands;
  for (;;) {
    const Mono now = clock.now().mono;
    device.run_until(now);
    for (LivePort* port : ports) port->serve(now, device);
    if (limits.until && now >= *limits.until) return Done{};
    std::vector<pollfd> polled{{stop.get(), POLLIN, 0}};
    if (listening) polled.push_back({STDIN_FILENO, POLLIN, 0});
    std::optional<Mono> next = earlier(device.next(), limits.until);
    for (const LivePort* port : ports) {
      port->add_to(polled);
      next = earlier(next, port->next(now));
    }
    const timespec wait = real_wait(clock, now, next);
    if (::ppoll(polled.data(), polled.size(), &wait, nullptr) < 0 && errno != EINTR)
      return Error{ErrorCode::failed, "cannot wait for the ports", "ppoll", ""};
    if (ready(polled, stop.get())) return Done{};
    if (!listening || !ready(polled, STDIN_FILENO)) continue;
    bool ended = false;
    for (const std::string& line : reader.lines(ended)) {
      if (line == "quit") return Done{};
      const Mono then = clock.now().mono;
      device.run_until(then);
      if (const Outcome done = carry_out(line, device, ports, then); !done)
        std::fprintf(stderr, "leakhunt-sim: %s\n", done.error().line().c_str());
    }
    listening = !ended;
  }
}

}  // namespace leakhunt::sim
