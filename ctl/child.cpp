// posix_spawn, and signals taken one by one while the program runs.
#include "ctl/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "proto/printable.h"

namespace leakhunt::ctl {
namespace {

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;
constexpr int kBySignal = 128;

class Actions {
 public:
  Actions() { ::posix_spawn_file_actions_init(&actions_); }
  ~Actions() { ::posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  void stdout_to(int fd) { ::posix_spawn_file_actions_adddup2(&actions_, fd, STDOUT_FILENO); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// The mask a child begins with.
class Attributes {
 public:
  explicit Attributes(const sigset_t& mask) {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setsigmask(&attributes_, &mask);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

// Holds signals back for as long as it lives.
class Held {
 public:
  Held() {
    ::signal(SIGCHLD, SIG_DFL);  // ignored by our parent, the end of the program would not be told
    ::sigemptyset(&held_);
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD}) ::sigaddset(&held_, signal);
    ::sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~Held() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  [[nodiscard]] const sigset_t& before() const { return before_; }
  [[nodiscard]] int next() const { return ::sigwaitinfo(&held_, nullptr); }
  // What came too late for the program must not end this one once it is let through.
  void drop_waiting() const {
    const timespec at_once{};
    while (::sigtimedwait(&held_, nullptr, &at_once) > 0) {
    }
  }

 private:
  sigset_t held_{};
  sigset_t before_{};
};

// 0, or the errno that says why not.
int spawn(const std::vector<std::string>& command, const Actions& actions, const Attributes& attributes,
          pid_t& pid) {
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return ::posix_spawnp(&pid, argv[0], actions.get(), attributes.get(), argv.data(), environ);
}

int code_of(int status) {
  return WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
}

int wait_for(pid_t pid, const Held& held) {
  int status = 0;
  while (true) {
    const int signal = held.next();
    if (signal == SIGTERM || signal == SIGHUP) ::kill(pid, signal);
    if (signal == SIGCHLD && ::waitpid(pid, &status, WNOHANG) == pid) return code_of(status);
  }
}

}  // namespace

int run_program(const std::vector<std::string>& command) {
  const Held held;
  pid_t pid = 0;
  if (const int error = spawn(command, Actions{}, Attributes{held.before()}, pid); error != 0) {
    const std::string program = proto::printable(command.front());
    std::fprintf(stderr, "leakhuntctl: cannot run %s: %s\n", program.c_str(), std::strerror(error));
    return error == ENOENT ? kNotFound : kNotExecutable;
  }
  const int code = wait_for(pid, held);
  held.drop_waiting();
  return code;
}

Result<std::string> output_of(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error{ErrorCode::failed, std::strerror(errno), "pipe", ""};
  Actions actions;
  actions.stdout_to(ends[1]);
  sigset_t mask{};
  ::sigprocmask(SIG_BLOCK, nullptr, &mask);
  pid_t pid = 0;
  const int error = spawn(command, actions, Attributes{mask}, pid);
  ::close(ends[1]);
  std::string out;
  if (error == 0) {
    std::array<char, 4096> piece{};
    ssize_t n = 0;
    while ((n = ::read(ends[0], piece.data(), piece.size())) > 0 || (n < 0 && errno == EINTR)) {
      if (n > 0) out.append(piece.data(), static_cast<std::size_t>(n));
    }
    ::waitpid(pid, nullptr, 0);
  }
  ::close(ends[0]);
  if (error != 0)
    return Error{ErrorCode::failed, std::string{"cannot run it: "} + std::strerror(error), command.front(),
                 ""};
  return out;
}

}  // namespace leakhunt::ctl
