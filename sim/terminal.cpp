// A pseudo-terminal seen from its master. Knows nothing of devices.
#include "sim/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace leakhunt::sim {
namespace {

constexpr std::size_t kReadAtOnce = 4'096;

Error failure(std::string what, std::string where) {
  return {ErrorCode::failed, std::move(what) + ": " + std::generic_category().message(errno),
          std::move(where), ""};
}

}  // namespace

Result<Terminal> Terminal::make() {
  Descriptor master{::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
  std::array<char, 128> path{};
  if (!master || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0 ||
      ::ptsname_r(master.get(), path.data(), path.size()) != 0)
    return failure("cannot open a pseudo-terminal", "/dev/ptmx");
  termios settings{};
  ::tcgetattr(master.get(), &settings);
  ::cfmakeraw(&settings);
  ::cfsetspeed(&settings, B115200);
  ::tcsetattr(master.get(), TCSANOW, &settings);
  // A master knows that nobody reads only after somebody has stopped reading.
  Descriptor{::open(path.data(), O_RDWR | O_NOCTTY | O_CLOEXEC)}.reset();
  Descriptor watch{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
  if (!watch || ::inotify_add_watch(watch.get(), path.data(), IN_OPEN | IN_CLOSE) < 0)
    return failure("cannot watch the pseudo-terminal", path.data());
  return Terminal{std::move(master), std::move(watch), path.data()};
}

void Terminal::read_events() {
  alignas(inotify_event) std::array<char, kReadAtOnce> bytes;
  for (ssize_t got = 0; (got = ::read(watch_.get(), bytes.data(), bytes.size())) > 0;) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, bytes.data() + at, sizeof event);
      at += sizeof event + event.len;
      const bool open = (event.mask & IN_OPEN) != 0;
      unsigned& own = open ? own_opens_ : own_closes_;
      if (own > 0) {
        --own;
      } else if (open) {
        ++changes_.opens;
      } else {
        changes_.closed = true;
      }
    }
  }
}

Terminal::Changes Terminal::changes() {
  read_events();
  return std::exchange(changes_, {});
}

bool Terminal::has_reader() const {
  pollfd master{master_.get(), POLLIN, 0};
  return ::poll(&master, 1, 0) >= 0 && (master.revents & POLLHUP) == 0;
}

Descriptor Terminal::open_other_side() {
  // Equal events that follow each other unread become one: others' are read first.
  read_events();
  Descriptor side{::open(path_.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
  if (!side) return side;
  ++own_opens_;
  ++own_closes_;
  return side;
}

std::optional<std::size_t> Terminal::unread_bytes() {
  const Descriptor side = open_other_side();
  // Bytes on their way through the kernel are counted by nothing; poll pushes them to where they are.
  pollfd readable{side.get(), POLLIN, 0};
  int count = 0;
  if (!side || ::poll(&readable, 1, 0) < 0 || ::ioctl(side.get(), FIONREAD, &count) != 0) return std::nullopt;
  return static_cast<std::size_t>(count);
}

void Terminal::forget_unread() {
  if (const Descriptor side = open_other_side()) ::tcflush(side.get(), TCIFLUSH);
}

std::size_t Terminal::write(std::string_view bytes) {
  const ssize_t sent = ::write(master_.get(), bytes.data(), bytes.size());
  return sent < 0 ? 0 : static_cast<std::size_t>(sent);
}

std::string Terminal::read() {
  std::array<char, kReadAtOnce> bytes;
  const ssize_t got = ::read(master_.get(), bytes.data(), bytes.size());
  return got <= 0 ? std::string{} : std::string{bytes.data(), static_cast<std::size_t>(got)};
}

}  // namespace leakhunt::sim
