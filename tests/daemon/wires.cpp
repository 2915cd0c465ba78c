// Descriptors of this process, what the kernel tells of each, and which belong together.
#include "tests/daemon/wires.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace leakhunt::daemon::testing {
namespace {

// States of a connection as TCP_INFO tells them (include/net/tcp_states.h).
constexpr int kEstablished = 1;
constexpr int kListening = 10;

struct End {
  int fd = -1;
  std::uint16_t port = 0;
  std::uint16_t peer = 0;  // 0: not connected
  int state = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
};

std::vector<int> descriptors() {
  std::vector<int> fds;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir("/proc/self/fd"), ::closedir};
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr)
    if (entry->d_name[0] != '.') fds.push_back(std::atoi(entry->d_name));
  return fds;
}

bool ready(int fd) {
  // Also has the kernel pass on what is on its way to a terminal.
  pollfd one{fd, POLLIN | POLLRDHUP, 0};
  return ::poll(&one, 1, 0) > 0;
}

bool is_terminal(const struct stat& status) {
  constexpr unsigned kFirstPtyMajor = 136;
  constexpr unsigned kLastPtyMajor = 143;
  return S_ISCHR(status.st_mode) && major(status.st_rdev) >= kFirstPtyMajor &&
         major(status.st_rdev) <= kLastPtyMajor;
}

template <class Ask>
std::uint16_t port_by(Ask ask, int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (ask(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 || address.sin_family != AF_INET) return 0;
  return ntohs(address.sin_port);
}

std::optional<End> tcp_end(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  End end;
  end.fd = fd;
  end.port = port_by(::getsockname, fd);
  end.peer = port_by(::getpeername, fd);
  end.state = info.tcpi_state;
  end.sent_bytes = info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes;
  end.received_bytes = info.tcpi_bytes_received;
  return end;
}

using Ends = std::map<std::pair<std::uint16_t, std::uint16_t>, End>;

// Whether all that one end of a standing connection has sent is with the other.
bool under_way(const End& end, const Ends& ends, const std::map<std::uint16_t, int>& listeners) {
  if (end.state != kEstablished) return false;
  if (const auto other = ends.find({end.peer, end.port}); other != ends.end())
    return other->second.state == kEstablished && end.sent_bytes != other->second.received_bytes;
  // Nobody has taken the connection yet, or its end is on the way.
  const auto listener = listeners.find(end.peer);
  return listener == listeners.end() || !ready(listener->second);
}

}  // namespace

bool wires_busy(const std::set<std::uint16_t>& device_ports) {
  Ends ends;
  std::map<std::uint16_t, int> listeners;
  for (const int fd : descriptors()) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) continue;
    if (is_terminal(status) && ready(fd)) return true;
    if (!S_ISSOCK(status.st_mode)) continue;
    const auto end = tcp_end(fd);
    if (!end) continue;
    if (end->state == kListening) {
      listeners[end->port] = fd;
    } else if (end->peer == 0 || (device_ports.count(end->peer) > 0 && ready(fd))) {
      return true;
    } else {
      ends[{end->port, end->peer}] = *end;
    }
  }
  for (const auto& [ports, end] : ends)
    if (under_way(end, ends, listeners)) return true;
  return false;
}

}  // namespace leakhunt::daemon::testing
