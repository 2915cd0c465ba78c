// Runs a device on a port, in real or scaled time. Knows no arguments and no scenarios.
#include "sim/server.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <functional>
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

using Command = std::function<void(Words&, Device&, LivePort&, Mono)>;

const std::map<std::string, Command>& commands() {
  static const std::map<std::string, Command> kCommands{
      {"reboot", [](Words&, Device& d, LivePort&, Mono now) { d.reboot(Restart::planned, now); }},
      {"panic", [](Words&, Device& d, LivePort&, Mono now) { d.reboot(Restart::panic, now); }},
      {"watchdog", [](Words&, Device& d, LivePort&, Mono now) { d.reboot(Restart::watchdog, now); }},
      {"line",
       [](Words& w, Device& d, LivePort&, Mono now) {
         d.say({Level::warn, "Router", w.rest()}, now);
       }},
      {"raw", [](Words& w, Device& d, LivePort&, Mono now) { d.write_raw(w.rest() + "\r\n", now); }},
      {"text", [](Words& w, Device& d, LivePort&, Mono now) { d.hear_text(w.rest(), now); }},
      {"garbage", [](Words& w, Device& d, LivePort&,
                     Mono now) { d.junk(static_cast<std::size_t>(w.number(100)), now); }},
      {"drop", [](Words&, Device&, LivePort& p, Mono) { p.hang_up(); }},
      {"unplug", [](Words&, Device&, LivePort& p, Mono) { p.unplug(); }},
      {"plug", [](Words&, Device&, LivePort& p, Mono) { p.plug(); }},
      {"stall", [](Words& w, Device& d, LivePort&, Mono now) { d.stall(from_seconds(w.number(60)), now); }},
      {"silent", [](Words&, Device& d, LivePort&, Mono) { d.fall_silent(true); }},
      {"speak", [](Words&, Device& d, LivePort&, Mono) { d.fall_silent(false); }},
      {"heap", [](Words& w, Device& d, LivePort&, Mono now) { d.set_free(w.number(0), now); }},
      {"dip",
       [](Words& w, Device& d, LivePort&, Mono now) {
         const double bytes = w.number(8'192);
         d.dip(bytes, w.number(120), now);
       }},
      {"stats", [](Words&, Device& d, LivePort&, Mono now) { d.send_stats(now); }},
      {"node",
       [](Words& w, Device& d, LivePort&, Mono) { d.become(static_cast<std::uint32_t>(w.number(1))); }},
      {"flash", [](Words& w, Device& d, LivePort&, Mono now) { d.flash(w.rest(), now); }}};
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

bool wait_for_reader(const LivePort& port, const Descriptor& stop) {
  // The opening of a pseudo-terminal makes nothing readable: it has to be looked for.
  constexpr int kLookEvery_ms = 5;
  for (;;) {
    if (port.opened()) return true;
    pollfd signal{stop.get(), POLLIN, 0};
    if (::poll(&signal, 1, kLookEvery_ms) > 0) return false;
  }
}

Outcome carry_out(const std::string& command, Device& device, LivePort& port, Mono now) {
  Words words{std::istringstream{command}};
  std::string name;
  words.stream >> name;
  const auto known = commands().find(name);
  if (known != commands().end()) {
    known->second(words, device, port, now);
    return Done{};
  }
  std::string names = "quit";
  for (const auto& [each, unused] : commands()) names += ", " + each;
  return Error{ErrorCode::usage, "no command \"" + name + "\"", "standard input", "one of: " + names};
}

Outcome serve(Device& device, LivePort& port, const Clock& clock, const RunLimits& limits,
              const Descriptor& stop) {
  CommandReader reader;
  bool listening = limits.commands;
  for (;;) {
    const Mono now = clock.now().mono;
    device.run_until(now);
    port.serve(now, device);
    if (limits.until && now >= *limits.until) return Done{};
    std::vector<pollfd> polled{{stop.get(), POLLIN, 0}};
    if (listening) polled.push_back({STDIN_FILENO, POLLIN, 0});
    port.add_to(polled);
    const std::optional<Mono> next = earlier(earlier(device.next(), port.next(now)), limits.until);
    const timespec wait = real_wait(clock, now, next);
    if (::ppoll(polled.data(), polled.size(), &wait, nullptr) < 0 && errno != EINTR)
      return Error{ErrorCode::failed, "cannot wait for the port", "ppoll", ""};
    if (ready(polled, stop.get())) return Done{};
    if (!listening || !ready(polled, STDIN_FILENO)) continue;
    bool ended = false;
    for (const std::string& line : reader.lines(ended)) {
      if (line == "quit") return Done{};
      const Mono then = clock.now().mono;
      device.run_until(then);
      if (const Outcome done = carry_out(line, device, port, then); !done)
        std::fprintf(stderr, "leakhunt-sim: %s\n", done.error().line().c_str());
    }
    listening = !ended;
  }
}

}  // namespace leakhunt::sim
