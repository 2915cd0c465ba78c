// See fake_daemon.h.
#include "tests/ctl/fake_daemon.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace leakhunt::ctl::testing {
namespace {

bool read_all(int fd, char* into, std::size_t n) {
  while (n > 0) {
    const ssize_t got = ::recv(fd, into, n, 0);
    if (got <= 0) return false;
    into += got;
    n -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

FakeDaemon::FakeDaemon(Answers answers) : answers_(std::move(answers)) {
  std::string pattern = (std::filesystem::temp_directory_path() / "leakhunt-ctl-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for the test");
  folder_ = pattern;
  path_ = folder_ + "/control.sock";
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.c_str(), path_.size() + 1);
  // NOLINTNEXTLINE: the socket interface asks for this cast
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listener_, 8) != 0)
    throw std::runtime_error("no socket for the test");
  thread_ = std::thread([this] { serve(); });
}

FakeDaemon::~FakeDaemon() {
  ::eventfd_write(stop_, 1);
  thread_.join();
  ::close(listener_);
  ::close(stop_);
  std::filesystem::remove_all(folder_);
}

std::vector<v1::Envelope> FakeDaemon::asked() const {
  const std::scoped_lock lock(mutex_);
  return asked_;
}

void FakeDaemon::serve() {
  std::array<pollfd, 2> waits{{{listener_, POLLIN, 0}, {stop_, POLLIN, 0}}};
  while (::poll(waits.data(), waits.size(), -1) > 0 && (waits[1].revents & POLLIN) == 0) {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    converse(client);
    ::close(client);
  }
}

void FakeDaemon::converse(int client) {
  std::array<char, 4> header{};
  if (!read_all(client, header.data(), header.size())) return;
  std::uint32_t size = 0;
  for (const char c : header) size = size << 8 | static_cast<unsigned char>(c);
  std::string body(size, '\0');
  v1::Envelope question;
  if (!read_all(client, body.data(), body.size()) || !question.ParseFromString(body)) return;
  {
    const std::scoped_lock lock(mutex_);
    asked_.push_back(question);
  }
  v1::Envelope reply = answers_(question);
  reply.set_last(true);
  const std::string out = reply.SerializeAsString();
  const auto length = static_cast<std::uint32_t>(out.size());
  for (std::size_t i = 0; i < header.size(); ++i)
    header.at(i) = static_cast<char>(length >> (24 - 8 * i) & 0xFFU);
  static_cast<void>(::send(client, header.data(), header.size(), MSG_NOSIGNAL));
  static_cast<void>(::send(client, out.data(), out.size(), MSG_NOSIGNAL));
}

}  // namespace leakhunt::ctl::testing
