// A TCP port of the loopback interface. Knows nothing of what the bytes mean.
#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "sim/descriptor.h"
#include "sim/ports.h"

namespace leakhunt::sim {
namespace {

constexpr Duration kDownWhileRestarting = std::chrono::milliseconds{200};
constexpr std::size_t kReadAtOnce = 4'096;

Error failure(std::string what, std::string where) {
  return {ErrorCode::failed, std::move(what) + ": " + std::generic_category().message(errno),
          std::move(where), ""};
}

Result<Descriptor> listen_on(std::uint16_t port) {
  const std::string where = "tcp:127.0.0.1:" + std::to_string(port);
  Descriptor fd{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!fd) return failure("cannot open a socket", where);
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failure("cannot bind", where);
  if (::listen(fd.get(), 4) != 0) return failure("cannot listen", where);
  return fd;
}

std::uint16_t port_of(const Descriptor& fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

class TcpPort final : public LivePort {
 public:
  explicit TcpPort(Descriptor listener) : listener_(std::move(listener)), port_(port_of(listener_)) {}

  PortKind kind() const override { return PortKind::tcp; }
  std::string greeting() const override { return "listening tcp:127.0.0.1:" + std::to_string(port_); }

  void add_to(std::vector<pollfd>& polled) const override {
    if (frozen()) return;
    if (listener_) polled.push_back({listener_.get(), POLLIN, 0});
    if (client_) polled.push_back({client_.get(), POLLIN, 0});
  }

  bool opened() const override {
    pollfd listener{listener_.get(), POLLIN, 0};
    return client_ || ::poll(&listener, 1, 0) > 0;
  }

  void write(std::string_view bytes, Mono) override {
    if (!client_ || frozen()) {
      traffic_.unheard_bytes += bytes.size();
      return;
    }
    const ssize_t sent = ::send(client_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    const std::size_t gone = sent < 0 ? 0 : static_cast<std::size_t>(sent);
    traffic_.sent_bytes += gone;
    if (gone == bytes.size()) return;
    // As the firmware does: a client that cannot keep up is closed.
    traffic_.dropped_bytes += bytes.size() - gone;
    hang_up();
  }

  std::size_t waiting_bytes(Mono) override { return 0; }
  void drop_unsent() override {}

  void hang_up() override {
    if (frozen()) return lose_sight();
    lost_ = lost_ || client_;
    client_.reset();
  }

  void restart(Mono at) override {
    // In this order: who sees the end of its connection and comes back at once is refused, not taken and
    // lost.
    listener_.reset();
    hang_up();
    reopen_at_ = at + kDownWhileRestarting;
  }

  void serve(Mono now, Device& device) override {
    forget_ghosts();
    if (reopen_at_ && now >= *reopen_at_) reopen(now);
    if (listener_ && !frozen()) accept_client(now, device);
    if (client_ && !frozen()) read_client_bytes(now, device);
    if (std::exchange(lost_, false)) device.closed(*this, now);
  }

  std::optional<Mono> next(Mono) const override { return reopen_at_; }
  Traffic traffic() const override { return traffic_; }

  bool all_taken() override {
    int unacknowledged = 0;
    return client_ && ::ioctl(client_.get(), SIOCOUTQ, &unacknowledged) == 0 && unacknowledged == 0;
  }

  void unplug() override {
    listener_.reset();
    hang_up();
  }
  Outcome plug() override {
    if (!listener_) reopen_at_ = Mono{0};
    return Done{};
  }
  Outcome replug(const std::string&) override {
    return Error{ErrorCode::usage, "a TCP port has no other name", greeting(), "replug is for --pty"};
  }
  Outcome vanish() override {
    lose_sight();
    return Done{};
  }
  Outcome reset() override {
    const linger at_once{1, 0};
    if (client_) ::setsockopt(client_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    hang_up();
    return Done{};
  }

 private:
  // The connection goes on for the client alone.
  void lose_sight() {
    if (!client_) return;
    ghosts_.push_back(std::move(client_));
    lost_ = true;
  }

  // Those whose clients have given up.
  void forget_ghosts() {
    const auto gone = [](const Descriptor& ghost) {
      pollfd end{ghost.get(), POLLRDHUP, 0};
      return ::poll(&end, 1, 0) > 0;
    };
    ghosts_.erase(std::remove_if(ghosts_.begin(), ghosts_.end(), gone), ghosts_.end());
  }

  void reopen(Mono now) {
    Result<Descriptor> again = listen_on(port_);
    reopen_at_.reset();
    if (again) {
      listener_ = std::move(*again);
    } else {
      reopen_at_ = now + kDownWhileRestarting;
    }
  }

  void accept_client(Mono now, Device& device) {
    for (;;) {
      Descriptor fresh{::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
      if (!fresh) return;
      const int on = 1;
      ::setsockopt(fresh.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      client_ = std::move(fresh);
      lost_ = false;
      ++traffic_.opens;
      device.opened(*this, now);
    }
  }

  void read_client_bytes(Mono now, Device& device) {
    std::array<char, kReadAtOnce> bytes;
    while (client_ && !frozen()) {
      const ssize_t got = ::recv(client_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (got <= 0) return hang_up();
      device.heard(*this, {bytes.data(), static_cast<std::size_t>(got)}, now);
    }
  }

  Descriptor listener_;
  Descriptor client_;
  std::vector<Descriptor> ghosts_;
  std::uint16_t port_;
  std::optional<Mono> reopen_at_;
  bool lost_ = false;
  Traffic traffic_;
};

}  // namespace

Result<std::unique_ptr<LivePort>> open_tcp(std::uint16_t port) {
  Result<Descriptor> listener = listen_on(port);
  if (!listener) return listener.error();
  return std::unique_ptr<LivePort>{std::make_unique<TcpPort>(std::move(*listener))};
}

}  // namespace leakhunt::sim
