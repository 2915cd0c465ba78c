// Where a client finds the device: a TCP port or a pseudo-terminal. Knows nothing of what the bytes mean.
#include "sim/ports.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace leakhunt::sim {
namespace {

constexpr Duration kDownWhileRestarting = std::chrono::milliseconds{200};
constexpr std::size_t kTtyBuffer = 4'096;
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

  std::string greeting() const override { return "listening tcp:127.0.0.1:" + std::to_string(port_); }

  void add_to(std::vector<pollfd>& polled) const override {
    if (listener_) polled.push_back({listener_.get(), POLLIN, 0});
    if (client_) polled.push_back({client_.get(), POLLIN, 0});
  }

  bool opened() const override {
    pollfd listener{listener_.get(), POLLIN, 0};
    return client_ || ::poll(&listener, 1, 0) > 0;
  }

  void write(std::string_view bytes, Mono) override {
    if (!client_) {
      unheard_bytes_ += bytes.size();
      return;
    }
    const ssize_t sent = ::send(client_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    const std::size_t gone = sent < 0 ? 0 : static_cast<std::size_t>(sent);
    if (gone == bytes.size()) return;
    // As the firmware does: a client that cannot keep up is closed.
    dropped_bytes_ += bytes.size() - gone;
    hang_up();
  }

  void drop_unsent() override {}

  void hang_up() override {
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
    if (reopen_at_ && now >= *reopen_at_) reopen(now);
    if (listener_) accept_client(now, device);
    if (client_) read_client_bytes(now, device);
    if (std::exchange(lost_, false)) device.closed();
  }

  std::optional<Mono> next(Mono) const override { return reopen_at_; }
  void unplug() override {
    listener_.reset();
    hang_up();
  }
  void plug() override { reopen_at_ = Mono{0}; }
  std::uint64_t dropped_bytes() const override { return dropped_bytes_; }
  std::uint64_t unheard_bytes() const override { return unheard_bytes_; }

 private:
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
      if (client_) device.closed();
      client_ = std::move(fresh);
      lost_ = false;
      device.opened(now);
    }
  }

  void read_client_bytes(Mono now, Device& device) {
    std::array<char, kReadAtOnce> bytes;
    while (client_) {
      const ssize_t got = ::recv(client_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (got <= 0) return hang_up();
      device.heard({bytes.data(), static_cast<std::size_t>(got)}, now);
    }
  }

  Descriptor listener_;
  Descriptor client_;
  std::uint16_t port_;
  std::optional<Mono> reopen_at_;
  bool lost_ = false;
  std::uint64_t dropped_bytes_ = 0;
  std::uint64_t unheard_bytes_ = 0;
};

// A pseudo-terminal that echoes nothing and changes no byte.
struct Pty {
  Descriptor master;
  std::string path;
};

Result<Pty> make_pty() {
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
  return Pty{std::move(master), path.data()};
}

Outcome put_link(const std::string& link, const std::string& target) {
  struct stat there {};
  if (::lstat(link.c_str(), &there) == 0) {
    if (!S_ISLNK(there.st_mode))
      return Error{ErrorCode::usage, "something else is there already", link, "give another path to --pty"};
    ::unlink(link.c_str());
  }
  if (::symlink(target.c_str(), link.c_str()) != 0) return failure("cannot make the link", link);
  return Done{};
}

class SerialPort final : public LivePort {
 public:
  SerialPort(Pty pty, std::string link, double speed)
      : pty_(std::move(pty)),
        link_(std::move(link)),
        buffer_(static_cast<std::size_t>(static_cast<double>(kTtyBuffer) * std::max(1.0, speed))) {}
  ~SerialPort() override { ::unlink(link_.c_str()); }

  std::string greeting() const override { return "pty " + link_; }

  void add_to(std::vector<pollfd>& polled) const override {
    // Without a reader the master is always ready with POLLHUP: it is looked at by the clock instead.
    if (pty_.master && has_reader()) polled.push_back({pty_.master.get(), POLLIN, 0});
  }

  bool opened() const override { return has_reader(); }
  void write(std::string_view bytes, Mono at) override { uart_.write(bytes, at); }
  void drop_unsent() override { uart_.drop_unsent(); }
  void hang_up() override {}
  void restart(Mono) override { uart_.drop_unsent(); }

  void serve(Mono now, Device& device) override {
    if (!pty_.master || !has_reader()) {
      unheard_bytes_ += uart_.leave(now, std::string::npos).size() + pending_.size();
      pending_.clear();
      unread_ = 0;
      return;
    }
    if (const std::size_t left = uart_.left(now); left > 0) pending_ += uart_.leave(now, room_for(left));
    flush();
    read_bytes(now, device);
  }

  std::optional<Mono> next(Mono now) const override {
    constexpr Duration kLookForReader = std::chrono::milliseconds{50};
    if (!pty_.master || !has_reader()) return now + kLookForReader;
    if (!pending_.empty()) return now + kLookForReader;
    return uart_.next(now);
  }

  void unplug() override {
    ::unlink(link_.c_str());
    pty_.master.reset();
  }
  void plug() override {
    if (Result<Pty> fresh = make_pty(); fresh && put_link(link_, fresh->path)) pty_ = std::move(*fresh);
  }

  std::uint64_t dropped_bytes() const override { return uart_.dropped_bytes(); }
  std::uint64_t unheard_bytes() const override { return unheard_bytes_; }

 private:
  bool has_reader() const {
    pollfd master{pty_.master.get(), POLLIN, 0};
    return ::poll(&master, 1, 0) >= 0 && (master.revents & POLLHUP) == 0;
  }

  // The room in the reader's buffer for `more` bytes. What lies unread in the kernel is asked for only when
  // it matters.
  std::size_t room_for(std::size_t more) {
    if (unread_ + pending_.size() + more > buffer_) unread_ = unread_in_kernel();
    const std::size_t taken = unread_ + pending_.size();
    return taken >= buffer_ ? 0 : buffer_ - taken;
  }

  std::size_t unread_in_kernel() const {
    const Descriptor reader{::open(pty_.path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
    int count = 0;
    // An exclusive reader shuts us out: then the kernel's own limit, about 16 KB, is the buffer.
    if (!reader || ::ioctl(reader.get(), FIONREAD, &count) != 0) return 0;
    return static_cast<std::size_t>(count);
  }

  void flush() {
    while (!pending_.empty()) {
      const ssize_t sent = ::write(pty_.master.get(), pending_.data(), pending_.size());
      if (sent <= 0) return;
      unread_ += static_cast<std::size_t>(sent);
      pending_.erase(0, static_cast<std::size_t>(sent));
    }
  }

  void read_bytes(Mono now, Device& device) {
    std::array<char, kReadAtOnce> bytes;
    for (;;) {
      const ssize_t got = ::read(pty_.master.get(), bytes.data(), bytes.size());
      if (got <= 0) return;
      device.heard({bytes.data(), static_cast<std::size_t>(got)}, now);
    }
  }

  Pty pty_;
  std::string link_;
  Uart uart_;
  std::size_t buffer_;
  std::string pending_;     // has left the device, does not fit into the kernel yet
  std::size_t unread_ = 0;  // at most this many bytes lie unread in the kernel
  std::uint64_t unheard_bytes_ = 0;
};

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    std::swap(fd_, other.fd_);
  }
  return *this;
}

void Descriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Result<std::unique_ptr<LivePort>> open_tcp(std::uint16_t port) {
  Result<Descriptor> listener = listen_on(port);
  if (!listener) return listener.error();
  return std::unique_ptr<LivePort>{std::make_unique<TcpPort>(std::move(*listener))};
}

Result<std::unique_ptr<LivePort>> open_pty(const std::string& link, double speed) {
  Result<Pty> pty = make_pty();
  if (!pty) return pty.error();
  if (Outcome linked = put_link(link, pty->path); !linked) return linked.error();
  return std::unique_ptr<LivePort>{std::make_unique<SerialPort>(std::move(*pty), link, speed)};
}

}  // namespace leakhunt::sim
