// A byte stream to a device, serial or TCP. Includes Asio: for the parts of a link alone.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/serial_port.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "base/time.h"
#include "daemon/link_address.h"

namespace leakhunt::daemon {

class Stream {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using Port = boost::asio::serial_port;
  explicit Stream(Socket socket) : io_(std::move(socket)) {}
  explicit Stream(Port port) : io_(std::move(port)) {}

  // At least one byte into `buffer`; the error says why the stream ended.
  [[nodiscard]] boost::asio::awaitable<Result<std::size_t>> read(std::span<std::uint8_t> buffer);
  // What has come already and can be read without waiting; 0 when there is nothing, or the stream has ended.
  [[nodiscard]] std::size_t read_now(std::span<std::uint8_t> buffer);
  // To be closed next: others may open the port from then on.
  void let_go();
  // All of `bytes`.
  [[nodiscard]] boost::asio::awaitable<Outcome> write(std::span<const std::uint8_t> bytes);

 private:
  std::variant<Socket, Port> io_;
};

// Connects within `limit` of the clock, with keepalive, closed on exec. Errors: name not found, refused, no
// answer.
[[nodiscard]] boost::asio::awaitable<Result<Stream>> connect_tcp(TcpAddress address, const Clock& clock,
                                                                 Duration limit);
[[nodiscard]] boost::asio::awaitable<Result<Stream>> connect_serial(std::string path, LinkMode mode);

}  // namespace leakhunt::daemon
