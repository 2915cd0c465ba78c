// Runs another program as flock(1) does: with the terminal, the signals and the exit code of its caller.
// Knows nothing of why.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "base/result.h"

namespace leakhunt::ctl {

// Both ends of a pipe, closed on exec. Throws std::system_error where there can be none.
class Pipe {
 public:
  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_writer();

 private:
  std::array<int, 2> ends_{-1, -1};
};

// The process of a program, before the program runs in it: others can watch for its end from the beginning.
// Until run() it does nothing, and ends with this process, however that ends. To be made while this process
// has one thread. Throws std::system_error when there can be no process.
class WaitingProgram {
 public:
  explicit WaitingProgram(std::vector<std::string> command);
  ~WaitingProgram();
  WaitingProgram(const WaitingProgram&) = delete;
  WaitingProgram& operator=(const WaitingProgram&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Runs the program (looked for in PATH) with this one's stdin, stdout and stderr, and waits for its end; to
  // be called once. What the terminal sends (Ctrl-C, Ctrl-\) reaches it, while this program stays; SIGTERM
  // and SIGHUP sent to this program are passed on to it. Returns its exit code; 128 + n when signal n ended
  // it; 127 when there is no such program, 126 when it cannot be run (told on stderr).
  [[nodiscard]] int run();

 private:
  [[noreturn]] void wait_and_become(const std::vector<char*>& argv);

  std::vector<std::string> command_;
  Pipe gate_;     // a byte lets the program run, the end means that it never will
  Pipe failure_;  // the errno of a program that cannot be run; its end without one: it runs
  pid_t pid_ = 0;
};

// Runs a program and returns what it writes to stdout; its exit code does not matter. An error when it cannot
// be run at all.
[[nodiscard]] Result<std::string> output_of(std::vector<std::string> command);

}  // namespace leakhunt::ctl
