// Asio's sockets and ports as awaitable streams.
#include "daemon/stream.h"

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <utility>
#include <vector>

#include "daemon/serial_port.h"
#include "daemon/timer.h"

namespace leakhunt::daemon {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace asio::experimental::awaitable_operators;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

Error ended(const error_code& error) {
  const bool closed = error == asio::error::eof || error == asio::error::connection_reset;
  return {ErrorCode::unreachable, closed ? "closed by the device" : error.message(), "", ""};
}

Error no_connection(const TcpAddress& address, const std::string& why) {
  return {ErrorCode::unreachable, why, word(Address{address}),
          "check host and port, and that the device is on"};
}

std::string why_not(const error_code& error) {
  if (error == asio::error::host_not_found) return "the host name is not known";
  if (error == asio::error::connection_refused) return "the connection was refused";
  return error.message();
}

void set_option(int fd, int level, int name, int value) {
  // A socket without one of these works as well; the heartbeat finds what keepalive would have.
  static_cast<void>(::setsockopt(fd, level, name, &value, sizeof value));
}

// A dead peer is noticed by the kernel within about a minute, with or without data on the way.
void keep_alive(int fd) {
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}

// Made here and not by Asio, which would leave the socket open across exec.
bool open_socket(Stream::Socket& socket, const asio::ip::tcp& protocol) {
  const int fd = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  error_code error;
  socket.assign(protocol, fd, error);
  keep_alive(fd);
  return !error;
}

asio::awaitable<error_code> connect_one(Stream::Socket& socket, asio::ip::tcp::endpoint endpoint) {
  if (!open_socket(socket, endpoint.protocol())) co_return error_code{asio::error::no_descriptors};
  const auto [error] = co_await socket.async_connect(endpoint, kTuple);
  co_return error;
}

// A number needs no lookup; a name may have several addresses, the first that answers is taken.
asio::awaitable<Result<Stream>> connect_any(TcpAddress address) {
  const auto executor = co_await asio::this_coro::executor;
  std::vector<asio::ip::tcp::endpoint> endpoints;
  error_code no_number;
  if (const auto number = asio::ip::make_address(address.host, no_number); !no_number) {
    endpoints.emplace_back(number, address.port);
  } else {
    asio::ip::tcp::resolver resolver{executor};
    const std::string port = std::to_string(address.port);
    const auto [lookup, found] = co_await resolver.async_resolve(address.host, port, kTuple);
    if (lookup) co_return no_connection(address, why_not(lookup));
    for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  }
  error_code last = asio::error::host_not_found;
  for (const auto& endpoint : endpoints) {
    Stream::Socket socket{executor};
    last = co_await connect_one(socket, endpoint);
    if (!last) co_return Stream{std::move(socket)};
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) break;
  }
  co_return no_connection(address, why_not(last));
}

}  // namespace

asio::awaitable<Result<std::size_t>> Stream::read(std::span<std::uint8_t> buffer) {
  const asio::mutable_buffer into{buffer.data(), buffer.size()};
  if (auto* socket = std::get_if<Socket>(&io_)) {
    const auto [error, n] = co_await socket->async_read_some(into, kTuple);
    if (error) co_return ended(error);
    co_return n;
  }
  const auto [error, n] = co_await std::get<Port>(io_).async_read_some(into, kTuple);
  if (error) co_return ended(error);
  co_return n;
}

std::size_t Stream::read_now(std::span<std::uint8_t> buffer) {
  const int fd = std::visit([](auto& io) { return static_cast<int>(io.native_handle()); }, io_);
  const ssize_t n = ::read(fd, buffer.data(), buffer.size());
  return n > 0 ? static_cast<std::size_t>(n) : 0;
}

void Stream::let_go() {
  if (auto* port = std::get_if<Port>(&io_)) give_up_serial(port->native_handle());
}

asio::awaitable<Outcome> Stream::write(std::span<const std::uint8_t> bytes) {
  const asio::const_buffer from{bytes.data(), bytes.size()};
  if (auto* socket = std::get_if<Socket>(&io_)) {
    const auto [error, n] = co_await asio::async_write(*socket, from, kTuple);
    if (error) co_return ended(error);
    co_return Done{};
  }
  const auto [error, n] = co_await asio::async_write(std::get<Port>(io_), from, kTuple);
  if (error) co_return ended(error);
  co_return Done{};
}

asio::awaitable<Result<Stream>> connect_tcp(TcpAddress address, const Clock& clock, Duration limit) {
  auto first = co_await (connect_any(address) || pause_for(clock, limit));
  if (first.index() == 0) co_return std::get<0>(std::move(first));
  co_return no_connection(address, "no answer to the connection attempt");
}

asio::awaitable<Result<Stream>> connect_serial(std::string path, LinkMode mode) {
  const auto fd = open_serial(path, mode);
  if (!fd) co_return fd.error();
  const auto executor = co_await asio::this_coro::executor;
  co_return Stream{Stream::Port{executor, *fd}};
}

}  // namespace leakhunt::daemon
