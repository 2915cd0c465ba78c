// posix_spawn, and poll(2) over what can happen to a child.
#include "daemon/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "proto/printable.h"

extern char** environ;

namespace leakhunt::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Between SIGTERM and SIGKILL.
constexpr milliseconds kLastWords{2'000};
// The recorder ends within 2 s: this long a program may go on, and this long it has after SIGTERM.
constexpr milliseconds kStopPatience{500};
constexpr milliseconds kStopLastWords{300};
constexpr std::size_t kMostErrorBytes = 4096;

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { close(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

struct Pipe {
  Fd read;
  Fd write;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Fd{ends[0]}, Fd{ends[1]}};
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  // The interface is older than const.
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  return pointers;
}

struct SpawnSettings {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

  SpawnSettings(int input, int error) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO);
    // Libraries open descriptors that are not closed on exec.
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    sigset_t ignored;
    ::sigemptyset(&ignored);
    ::sigaddset(&ignored, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &ignored);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

class Child {
 public:
  Child(pid_t pid, Fd input, Fd error, std::string_view to_write)
      : pid_(pid),
        ended_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
        input_(std::move(input)),
        error_(std::move(error)),
        to_write_(to_write) {
    ::fcntl(input_.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(error_.get(), F_SETFL, O_NONBLOCK);
    if (to_write_.empty()) input_.close();
  }

  // Serves its pipes until it ends (true) or the time is over or, unless it is -1, stop_fd becomes readable.
  [[nodiscard]] bool serve(steady_clock::time_point until, int stop_fd) {
    for (;;) {
      const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
      std::array<pollfd, 4> fds{{{ended_.get(), POLLIN, 0},
                                 {error_.get(), POLLIN, 0},
                                 {input_.get(), POLLOUT, 0},
                                 {stop_fd, POLLIN, 0}}};
      if (::poll(fds.data(), fds.size(), static_cast<int>(std::max<std::int64_t>(0, left.count()))) < 0)
        continue;
      if (fds[1].revents != 0) read_error();
      if (fds[2].revents != 0) write_input();
      if (fds[0].revents != 0) return true;
      if (fds[3].revents != 0 || steady_clock::now() >= until) return false;
    }
  }

  void tell(int signal) const { ::kill(-pid_, signal); }

  // How it ended; to be called once, after its end or SIGKILL.
  [[nodiscard]] int reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    read_error();
    return status;
  }

  [[nodiscard]] std::string first_error_line() const {
    const std::string line = proto::printable(errors_.substr(0, errors_.find('\n')));
    return line.empty() ? "" : ": " + line;
  }

 private:
  void read_error() {
    std::array<char, 1024> buffer{};
    const auto n = ::read(error_.get(), buffer.data(), buffer.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return error_.close();
    const std::size_t room = kMostErrorBytes - std::min(kMostErrorBytes, errors_.size());
    errors_.append(buffer.data(), std::min(room, static_cast<std::size_t>(n)));
  }

  void write_input() {
    const auto n = ::write(input_.get(), to_write_.data(), to_write_.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n > 0) to_write_.remove_prefix(static_cast<std::size_t>(n));
    if (n < 0 || to_write_.empty()) input_.close();
  }

  pid_t pid_;
  Fd ended_;
  Fd input_;
  Fd error_;
  std::string_view to_write_;
  std::string errors_;
};

Result<Child> start(const Program& program) {
  auto input = make_pipe();
  auto error = make_pipe();
  if (!input || !error) return Error{ErrorCode::failed, "no pipe can be made", "", ""};
  const SpawnSettings settings{input->read.get(), error->write.get()};
  std::vector<char*> words = pointers_to(program.words);
  words.push_back(nullptr);
  std::vector<char*> environment = pointers_to(program.environment);
  for (char** each = environ; *each != nullptr; ++each) environment.push_back(*each);
  environment.push_back(nullptr);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, words.front(), &settings.actions, &settings.attributes,
                                    words.data(), environment.data());
  if (failed != 0) {
    return Error{ErrorCode::failed, std::string{"cannot be started: "} + std::strerror(failed),
                 program.words.front(), ""};
  }
  return Child{pid, std::move(input->write), std::move(error->read), program.input};
}

Outcome judge(const Program& program, int status, bool in_time, const std::string& said) {
  const auto failed = [&](const std::string& how) {
    return Error{ErrorCode::failed, how + said, program.words.front(), ""};
  };
  if (!in_time) return failed("did not end in time and was ended");
  if (WIFSIGNALED(status)) return failed("was ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return failed("ended with code " + std::to_string(WEXITSTATUS(status)));
  return Done{};
}

}  // namespace

Outcome run_program(const Program& program, int stop_fd) {
  auto started = start(program);
  if (!started) return started.error();
  Child child = *std::move(started);
  const auto until = steady_clock::now() + program.limit;
  bool ended = child.serve(until, stop_fd);
  milliseconds last_words = kLastWords;
  if (!ended && steady_clock::now() < until) {
    last_words = kStopLastWords;
    ended = child.serve(std::min(until, steady_clock::now() + kStopPatience), -1);
  }
  const bool in_time = ended;
  if (!ended) {
    child.tell(SIGTERM);
    ended = child.serve(steady_clock::now() + last_words, -1);
  }
  if (!ended) child.tell(SIGKILL);
  const int status = child.reap();
  return judge(program, status, in_time, child.first_error_line());
}

}  // namespace leakhunt::daemon
