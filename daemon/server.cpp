// Clients of the control socket, one coroutine each: a question is read when the answer before it was taken.
#include "daemon/server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace leakhunt::daemon {
namespace {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;
using Local = asio::local::stream_protocol;
using Timer = asio::steady_timer;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 4;

std::uint32_t length_of(const std::array<std::uint8_t, kHeaderBytes>& header) {
  std::uint32_t length = 0;
  for (const std::uint8_t byte : header) length = length << 8U | byte;
  return length;
}

std::string framed(const v1::Envelope& envelope) {
  const std::string body = envelope.SerializeAsString();
  std::string message;
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    message.push_back(static_cast<char>(body.size() >> shift & 0xFFU));
  return message + body;
}

void set_error(v1::Envelope& envelope, const Error& error) {
  v1::Error& out = *envelope.mutable_error();
  out.set_code(static_cast<int>(error.code));
  out.set_what(error.what);
  out.set_where(error.where);
  out.set_hint(error.hint);
}

Error unsupported(std::string where) {
  return {ErrorCode::usage, "unsupported", std::move(where),
          "the daemon is older than the one that asks: update it"};
}

// A question under way: whichever of answer and limit comes first wakes the client's coroutine.
struct Pending {
  explicit Pending(asio::io_context& context) : timer(context) {}
  std::optional<Result<v1::Answer>> answer;
  Timer timer;
};

// Which file stands at the path; zeros when none does.
std::pair<dev_t, ino_t> file_at(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? std::pair{status.st_dev, status.st_ino}
                                             : std::pair<dev_t, ino_t>{};
}

Result<int> bound_socket(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = path.string();
  if (name.size() >= sizeof address.sun_path) {
    return Error{ErrorCode::usage, "the path of the control socket is too long", name,
                 "name a shorter folder with --state-dir"};
  }
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ::unlink(name.c_str());
  // The sockets API takes every address by this cast.
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);  // NOLINT
  constexpr mode_t kMode = 0660;
  if (fd < 0 || ::bind(fd, generic, sizeof address) != 0 || ::chmod(name.c_str(), kMode) != 0 ||
      ::listen(fd, SOMAXCONN) != 0) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    return Error{ErrorCode::failed,
                 std::string{"the control socket cannot be opened: "} + std::strerror(error), name,
                 "check the rights of the folder"};
  }
  return fd;
}

}  // namespace

class Server::Impl {
 public:
  Impl(Loop& loop, int fd, std::filesystem::path path, OnQuestion on_question, const EventLog& log,
       ServerLimits limits)
      : loop_(loop),
        path_(std::move(path)),
        on_question_(std::move(on_question)),
        log_(log),
        limits_(limits),
        acceptor_(loop.context(), Local{}, fd) {}

  ~Impl() { ::unlink(path_.c_str()); }

  void spawn() {
    file_ = file_at(path_);
    asio::co_spawn(loop_.context(), accept(), asio::detached);
    asio::co_spawn(loop_.context(), watch(), asio::detached);
  }

 private:
  asio::awaitable<void> watch() {
    Timer pause{loop_.context()};
    for (;;) {
      pause.expires_after(limits_.watch);
      const auto [error] = co_await pause.async_wait(kTuple);
      if (error) co_return;
      if (file_at(path_) != file_) make_anew();
    }
  }

  // Those who are connected stay so.
  void make_anew() {
    const auto fd = bound_socket(path_);
    const std::string trouble = fd ? "" : fd.error().line();
    if (fd || trouble != told_) {
      log_.say(Priority::warning, "", "socket",
               fd ? "the control socket had been removed; it was made anew" : trouble);
    }
    told_ = trouble;
    if (!fd) return;
    acceptor_.close();
    acceptor_.assign(Local{}, *fd);
    file_ = file_at(path_);
    asio::co_spawn(loop_.context(), accept(), asio::detached);
  }

  asio::awaitable<void> accept() {
    for (;;) {
      auto [error, socket] = co_await acceptor_.async_accept(kTuple);
      if (error == asio::error::operation_aborted) co_return;
      if (error) {
        log_.say(Priority::error, "", "socket", "accept: " + error.message());
        Timer pause{loop_.context(), std::chrono::seconds{1}};
        co_await pause.async_wait(kTuple);
        continue;
      }
      ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
      asio::co_spawn(loop_.context(), serve(std::move(socket)), asio::detached);
    }
  }

  // Errors have names here and in what follows: GCC 12 destroys temporaries in a co_await expression twice.
  asio::awaitable<void> serve(Local::socket socket) {
    if (clients_ >= limits_.clients) {
      const Error full{ErrorCode::unreachable, "busy", std::to_string(clients_) + " clients",
                       "close one of them and try again"};
      co_await send_error(socket, 0, full);
      if (leaving_ >= limits_.clients) co_return;
      ++leaving_;
      co_await see_off(socket);
      --leaving_;
      co_return;
    }
    ++clients_;
    bool goes_on = true;
    while (goes_on) goes_on = co_await serve_one(socket);
    --clients_;
  }

  // Closing on what a client has sent but nobody read would take from it what it was told.
  asio::awaitable<void> see_off(Local::socket& socket) {
    boost::system::error_code ignored;
    socket.shutdown(Local::socket::shutdown_send, ignored);
    Timer limit{loop_.context(), limits_.farewell};
    co_await (drain(socket) || limit.async_wait(asio::use_awaitable));
  }

  static asio::awaitable<void> drain(Local::socket& socket) {
    std::array<char, 4096> rest{};
    for (;;) {
      const auto [error, n] = co_await socket.async_read_some(asio::buffer(rest), kTuple);
      if (error) co_return;
    }
  }

  // How many bytes came; 0 when the client is gone or asks nothing for too long.
  asio::awaitable<std::size_t> wait_for_question(Local::socket& socket,
                                                 std::array<std::uint8_t, kHeaderBytes>& header) {
    Timer limit{loop_.context(), limits_.idle};
    auto first = co_await (socket.async_read_some(asio::buffer(header), kTuple) ||
                           limit.async_wait(asio::use_awaitable));
    if (first.index() == 1) co_return std::size_t{0};
    const auto [error, n] = std::get<0>(first);
    co_return error ? 0 : n;
  }

  // False: this client is done with.
  asio::awaitable<bool> serve_one(Local::socket& socket) {
    std::array<std::uint8_t, kHeaderBytes> header{};
    // A client may be silent between its questions for a while, but not within one.
    const std::size_t n = co_await wait_for_question(socket, header);
    if (n == 0) co_return false;
    const bool whole = co_await read_within(socket, header.data() + n, header.size() - n);
    if (!whole) co_return false;
    const std::size_t length = length_of(header);
    if (length > limits_.message_bytes) {
      const Error too_long{ErrorCode::usage, "the message is too long", std::to_string(length) + " bytes",
                           "at most " + std::to_string(limits_.message_bytes)};
      co_await send_error(socket, 0, too_long);
      co_return false;
    }
    std::string body(length, '\0');
    const bool came = co_await read_within(socket, body.data(), body.size());
    if (!came) co_return false;
    v1::Envelope question;
    if (!question.ParseFromString(body)) {
      const Error foreign{ErrorCode::usage, "this is no leakhunt message", "control socket", ""};
      co_await send_error(socket, 0, foreign);
      co_return false;
    }
    const bool goes_on = co_await answer(socket, question);
    co_return goes_on;
  }

  asio::awaitable<bool> answer(Local::socket& socket, v1::Envelope& question) {
    v1::Envelope reply;
    reply.set_id(question.id());
    if (const auto refusal = refuse(question)) {
      set_error(reply, *refusal);
    } else {
      const auto longest = longest_for(question.question());
      const auto limit = question.deadline_ms() == 0
                             ? longest
                             : std::min(longest, std::chrono::milliseconds{question.deadline_ms()});
      const auto pending = std::make_shared<Pending>(loop_.context());
      pending->timer.expires_after(limit);
      if (!ask(std::move(*question.mutable_question()), limit, pending)) {
        set_error(reply, busy());
      } else {
        if (!pending->answer) co_await pending->timer.async_wait(kTuple);
        take(*pending, limit, reply);
      }
    }
    const bool sent = co_await send(socket, reply);
    co_return sent;
  }

  [[nodiscard]] std::chrono::milliseconds longest_for(const v1::Question& question) const {
    if (question.has_database()) return limits_.file;
    return question.has_debug_log() ? limits_.errand : limits_.answer;
  }

  static std::optional<Error> refuse(const v1::Envelope& question) {
    if (question.version() > kVersion) return unsupported("version " + std::to_string(question.version()));
    if (!question.has_question() || question.question().ask_case() == v1::Question::ASK_NOT_SET) {
      return unsupported("question");
    }
    return std::nullopt;
  }

  bool ask(v1::Question question, std::chrono::milliseconds limit, const std::shared_ptr<Pending>& pending) {
    return on_question_(std::move(question), limit, [this, pending](auto result) {
      auto moved = std::make_shared<Result<v1::Answer>>(std::move(result));
      loop_.post([pending, moved] {
        pending->answer = std::move(*moved);
        pending->timer.cancel();
      });
    });
  }

  static void take(Pending& pending, std::chrono::milliseconds limit, v1::Envelope& reply) {
    if (!pending.answer) {
      return set_error(reply, {ErrorCode::failed, "the question took too long",
                               std::to_string(limit.count()) + " ms", "ask for a smaller window"});
    }
    if (!*pending.answer) return set_error(reply, pending.answer->error());
    *reply.mutable_answer() = **std::move(pending.answer);
  }

  static Error busy() {
    return {ErrorCode::unreachable, "busy", "questions are waiting already", "try again in a few seconds"};
  }

  asio::awaitable<void> send_error(Local::socket& socket, std::uint64_t id, const Error& error) {
    v1::Envelope envelope;
    envelope.set_id(id);
    set_error(envelope, error);
    co_await send(socket, envelope);
  }

  asio::awaitable<bool> send(Local::socket& socket, v1::Envelope& envelope) {
    envelope.set_version(kVersion);
    envelope.set_last(true);
    if (envelope.ByteSizeLong() > limits_.message_bytes) {
      set_error(envelope, {ErrorCode::failed, "the answer is too long for one message", "control socket",
                           "ask for a smaller window or fewer lines"});
    }
    const std::string message = framed(envelope);
    Timer limit{loop_.context(), limits_.write};
    auto done = co_await (asio::async_write(socket, asio::buffer(message), kTuple) ||
                          limit.async_wait(asio::use_awaitable));
    co_return done.index() == 0 && !std::get<0>(std::get<0>(done));
  }

  template <class Byte>
  asio::awaitable<bool> read_within(Local::socket& socket, Byte* into, std::size_t bytes) {
    if (bytes == 0) co_return true;
    Timer limit{loop_.context(), limits_.message};
    auto done = co_await (asio::async_read(socket, asio::buffer(into, bytes), kTuple) ||
                          limit.async_wait(asio::use_awaitable));
    co_return done.index() == 0 && !std::get<0>(std::get<0>(done));
  }

  Loop& loop_;
  std::filesystem::path path_;
  OnQuestion on_question_;
  const EventLog& log_;
  ServerLimits limits_;
  Local::acceptor acceptor_;
  int clients_ = 0;
  int leaving_ = 0;                 // refused and reading why
  std::pair<dev_t, ino_t> file_{};  // of the socket
  std::string told_;                // the trouble logged last
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::listen(Loop& loop, const std::filesystem::path& path,
                                               OnQuestion on_question, const EventLog& log,
                                               ServerLimits limits) {
  const auto fd = bound_socket(path);
  if (!fd) return fd.error();
  auto impl = std::make_unique<Impl>(loop, *fd, path, std::move(on_question), log, limits);
  impl->spawn();
  return std::unique_ptr<Server>{new Server{std::move(impl)}};  // NOLINT: the constructor is private
}

}  // namespace leakhunt::daemon
