// A process that waits at a pipe, and signals taken one by one while the program runs in it.
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
#include <system_error>
#include <utility>

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

// Holds signals back for as long as it lives.
class Held {
 public:
  Held() {
    ::sigemptyset(&held_);
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD}) ::sigaddset(&held_, signal);
    ::sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~Held() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
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

// The words as exec(3) takes them; valid while they are.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

// False when the other end closes before.
bool read_whole(int fd, void* into, std::size_t n) {
  ssize_t got = 0;
  do {
    got = ::read(fd, into, n);  // what is smaller than PIPE_BUF comes as it was written
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(n);
}

int code_of(int status) {
  return WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
}

int wait_for(pid_t pid, const Held& held) {
  int status = 0;
  // It may have ended before signals were held back.
  while (::waitpid(pid, &status, WNOHANG) != pid) {
    const int signal = held.next();
    if (signal == SIGTERM || signal == SIGHUP) ::kill(pid, signal);
  }
  return code_of(status);
}

}  // namespace

Pipe::Pipe() {
  if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::system_error{errno, std::generic_category(), "pipe"};
}

Pipe::~Pipe() {
  ::close(ends_[0]);
  close_writer();
}

void Pipe::close_writer() {
  if (ends_[1] >= 0) ::close(ends_[1]);
  ends_[1] = -1;
}

WaitingProgram::WaitingProgram(std::vector<std::string> command) : command_(std::move(command)) {
  ::signal(SIGCHLD, SIG_DFL);  // ignored by our parent, the end of the program would not be told
  const std::vector<char*> argv = pointers_to(command_);
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error{errno, std::generic_category(), "fork"};
  if (pid_ == 0) wait_and_become(argv);
}

WaitingProgram::~WaitingProgram() {
  if (pid_ == 0) return;
  gate_.close_writer();
  ::waitpid(pid_, nullptr, 0);
}

void WaitingProgram::wait_and_become(const std::vector<char*>& argv) {
  gate_.close_writer();  // else it would not end with the other process
  char word = 0;
  if (!read_whole(gate_.reader(), &word, sizeof(word))) ::_exit(kNotFound);
  ::execvp(argv[0], argv.data());
  const int why = errno;
  static_cast<void>(!::write(failure_.writer(), &why, sizeof(why)));
  ::_exit(kNotFound);
}

int WaitingProgram::run() {
  const Held held;
  // Our own reading end keeps this from being a SIGPIPE, should the process be gone.
  static_cast<void>(!::write(gate_.writer(), "", 1));
  failure_.close_writer();
  int error = 0;
  const bool failed = read_whole(failure_.reader(), &error, sizeof(error));
  const int code = wait_for(pid_, held);
  pid_ = 0;
  held.drop_waiting();
  if (!failed) return code;
  const std::string program = proto::printable(command_.front());
  std::fprintf(stderr, "leakhuntctl: cannot run %s: %s\n", program.c_str(), std::strerror(error));
  return error == ENOENT ? kNotFound : kNotExecutable;
}

Result<std::string> output_of(std::vector<std::string> command) {
  Pipe pipe;
  Actions actions;
  actions.stdout_to(pipe.writer());
  const std::vector<char*> argv = pointers_to(command);
  pid_t pid = 0;
  if (const int error = ::posix_spawnp(&pid, argv[0], actions.get(), nullptr, argv.data(), environ);
      error != 0) {
    return Error{ErrorCode::failed, std::string{"cannot run it: "} + std::strerror(error), command.front(),
                 ""};
  }
  pipe.close_writer();
  std::string out;
  std::array<char, 4096> piece{};
  ssize_t n = 0;
  while ((n = ::read(pipe.reader(), piece.data(), piece.size())) > 0 || (n < 0 && errno == EINTR)) {
    if (n > 0) out.append(piece.data(), static_cast<std::size_t>(n));
  }
  ::waitpid(pid, nullptr, 0);
  return out;
}

}  // namespace leakhunt::ctl
