// Asks the daemon over its control socket: blocking, one question, then the connection ends.
#include "ctl/conversation.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>

namespace leakhunt::ctl {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMostBytes = 4U << 20;
constexpr std::chrono::seconds kPatience{15};
constexpr std::chrono::seconds kRebootPatience{180};
constexpr std::chrono::seconds kFilePatience{3600};
constexpr std::chrono::seconds kOnTheWay{5};  // an answer that comes at the last moment

std::chrono::seconds patience_for(const v1::Question& question) {
  if (question.has_database()) return kFilePatience;
  return question.has_debug_log() ? kRebootPatience : kPatience;
}

class Socket {
 public:
  Socket() : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

Error unreachable(std::string what, std::string where) {
  return {ErrorCode::unreachable, std::move(what), std::move(where),
          "start leakhuntd, name its socket with --socket, or read the file with --db"};
}

void wait_at_most(const Socket& socket, std::chrono::seconds patience) {
  const timeval limit{patience.count(), 0};
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

// 0 or an errno.
int connect_to(const Socket& socket, const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return ENAMETOOLONG;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  // NOLINTNEXTLINE: the socket interface asks for this cast
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(socket.fd(), where, sizeof(address)) == 0 ? 0 : errno;
}

bool send_all(const Socket& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool receive_all(const Socket& socket, std::span<char> into) {
  while (!into.empty()) {
    const ssize_t got = ::recv(socket.fd(), into.data(), into.size(), 0);
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

std::string framed(const v1::Envelope& envelope) {
  const std::string body = envelope.SerializeAsString();
  const auto size = static_cast<std::uint32_t>(body.size());
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift & 0xFFU);
  return out + body;
}

Result<v1::Envelope> receive(const Socket& socket, const std::string& path) {
  std::array<char, 4> header{};
  if (!receive_all(socket, header))
    return unreachable("the daemon closed the connection or did not answer in time", path);
  std::uint32_t size = 0;
  for (const char c : header) size = size << 8 | static_cast<unsigned char>(c);
  if (size > kMostBytes)
    return Error{ErrorCode::failed, "the answer is longer than 4 MiB", path, "is that a leakhunt socket?"};
  std::string body(size, '\0');
  v1::Envelope envelope;
  if (!receive_all(socket, body) || !envelope.ParseFromString(body)) {
    return Error{ErrorCode::failed, "the answer is cut or not leakhunt's", path,
                 "are both of the same version?"};
  }
  return envelope;
}

Result<v1::Answer> talk(const Socket& socket, const std::string& path, const v1::Question& question) {
  v1::Envelope ask;
  ask.set_version(kVersion);
  ask.set_id(1);
  if (const auto patience = patience_for(question); patience > kPatience) {
    wait_at_most(socket, patience + kOnTheWay);
    ask.set_deadline_ms(static_cast<std::uint32_t>(std::chrono::milliseconds{patience}.count()));
  }
  *ask.mutable_question() = question;
  // A daemon that is busy says so and closes before it has read the question: its words are still there.
  static_cast<void>(send_all(socket, framed(ask)));
  v1::Answer whole;
  while (true) {
    auto envelope = receive(socket, path);
    if (!envelope) return envelope.error();
    if (envelope->has_error()) {
      const v1::Error& e = envelope->error();
      return Error{static_cast<ErrorCode>(e.code()), e.what(), e.where(), e.hint()};
    }
    whole.MergeFrom(envelope->answer());
    if (envelope->last()) return whole;
  }
}

std::string state_home() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0') return state;
  const char* home = std::getenv("HOME");
  return std::string{home == nullptr ? "" : home} + "/.local/state";
}

}  // namespace

std::vector<std::string> socket_candidates(const std::optional<std::string>& given) {
  if (given) return {*given};
  std::vector<std::string> out;
  if (const char* named = std::getenv("LEAKHUNT_SOCKET"); named != nullptr && *named != '\0')
    out.emplace_back(named);
  out.emplace_back("/run/leakhunt/control.sock");
  out.push_back(state_home() + "/leakhunt/control.sock");
  return out;
}

Result<v1::Answer> ask_daemon(const std::vector<std::string>& candidates, const v1::Question& question) {
  std::string tried;
  for (const std::string& path : candidates) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      tried += (tried.empty() ? "" : ", ") + path;
      continue;
    }
    const Socket socket;
    if (socket.fd() < 0) return Error{ErrorCode::failed, std::strerror(errno), "socket", ""};
    wait_at_most(socket, kPatience);
    if (const int error = connect_to(socket, path); error != 0)
      return unreachable("cannot connect to the daemon: " + std::string{std::strerror(error)}, path);
    return talk(socket, path, question);
  }
  return unreachable("no daemon found", "tried " + tried);
}

int connect_error(const std::string& path) {
  const Socket socket;
  if (socket.fd() < 0) return errno;
  wait_at_most(socket, kPatience);
  return connect_to(socket, path);
}

}  // namespace leakhunt::ctl
