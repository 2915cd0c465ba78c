// pidfd_open(2), which the C library of Debian 12 declares for C alone.
#include "daemon/holder_watch.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace leakhunt::daemon {

std::optional<HolderWatch> HolderWatch::on(pid_t pid) {
  if (pid <= 0) return std::nullopt;
  const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));  // closed on exec by itself
  if (fd < 0) return std::nullopt;
  return HolderWatch{fd, pid};
}

HolderWatch::HolderWatch(HolderWatch&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), pid_(other.pid_) {}

HolderWatch& HolderWatch::operator=(HolderWatch&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(pid_, other.pid_);
  return *this;
}

HolderWatch::~HolderWatch() {
  if (fd_ >= 0) ::close(fd_);
}

bool HolderWatch::runs() const {
  pollfd ended{fd_, POLLIN, 0};
  return ::poll(&ended, 1, 0) == 0;
}

}  // namespace leakhunt::daemon
