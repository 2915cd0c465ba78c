// Opening of ports on pseudo-terminals: settings, locks, refusals.
#include "daemon/serial_port.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>

#include "daemon/holder.h"

namespace leakhunt::daemon {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

struct Pty {
  Fd master{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  std::string path;
  Pty() {
    ::grantpt(master.get());
    ::unlockpt(master.get());
    path = ::ptsname(master.get());
  }
};

TEST(SerialPort, IsRaw115200WithoutHangupAndClosedOnExec) {
  const Pty pty;
  const auto opened = open_serial(pty.path, LinkMode::api);
  ASSERT_TRUE(opened) << opened.error().line();
  const Fd fd{*opened};
  termios line{};
  ASSERT_EQ(::tcgetattr(fd.get(), &line), 0);
  EXPECT_EQ(::cfgetispeed(&line), speed_t{B115200});
  EXPECT_EQ(::cfgetospeed(&line), speed_t{B115200});
  EXPECT_EQ(line.c_cflag & CSIZE, tcflag_t{CS8});
  EXPECT_EQ(line.c_cflag & (HUPCL | CSTOPB | PARENB | CRTSCTS), 0U);
  EXPECT_EQ(line.c_lflag & (ICANON | ECHO | ISIG), 0U);
  EXPECT_EQ(line.c_iflag & (IXON | ICRNL), 0U);
  EXPECT_NE(::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(SerialPort, APortThatIsGivenUpIsNoMoreExclusiveThoughItsOtherEndLives) {
  const Pty pty;
  const Fd before{::open(pty.path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)};
  const auto exclusive = [&] {
    int yes = -1;
    EXPECT_EQ(::ioctl(before.get(), TIOCGEXCL, &yes), 0);
    return yes;
  };
  {
    const auto opened = open_serial(pty.path, LinkMode::api);
    ASSERT_TRUE(opened);
    const Fd fd{*opened};
    EXPECT_EQ(exclusive(), 1);
    give_up_serial(fd.get());
  }
  EXPECT_EQ(exclusive(), 0);
  EXPECT_EQ(::flock(before.get(), LOCK_EX | LOCK_NB), 0);
}

TEST(SerialPort, RootTakesNoPortThatAnotherProgramHasMadeItsOwn) {
  const Pty pty;
  const pid_t other = ::fork();
  if (other == 0) {
    const int port = ::open(pty.path.c_str(), O_RDWR | O_NOCTTY);
    ::ioctl(port, TIOCEXCL);
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, WUNTRACED), other);
  const auto refused = open_serial(pty.path, LinkMode::api);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().line(), HasSubstr("held by process " + std::to_string(other)));
  ::kill(other, SIGKILL);
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  // The mark it left behind stands in nobody's way.
  const auto opened = open_serial(pty.path, LinkMode::api);
  if (::geteuid() == 0) {
    ASSERT_TRUE(opened) << opened.error().line();
    ::close(*opened);
  }
}

TEST(SerialPort, ListenOpensForReadingAlone) {
  const Pty pty;
  const auto opened = open_serial(pty.path, LinkMode::listen);
  ASSERT_TRUE(opened);
  const Fd fd{*opened};
  EXPECT_EQ(::fcntl(fd.get(), F_GETFL) & O_ACCMODE, O_RDONLY);
  EXPECT_EQ(::write(fd.get(), "x", 1), -1);
}

TEST(SerialPort, APortUnderAnothersLockIsRefused) {
  const Pty pty;
  const Fd other{::open(pty.path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)};
  ASSERT_EQ(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
  const auto opened = open_serial(pty.path, LinkMode::api);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().line(), AllOf(HasSubstr("held by"), HasSubstr(pty.path), HasSubstr("release")));
}

TEST(SerialPort, IsHeldUntilClosed) {
  const Pty pty;
  {
    const auto first = open_serial(pty.path, LinkMode::api);
    ASSERT_TRUE(first);
    const Fd fd{*first};
    EXPECT_FALSE(open_serial(pty.path, LinkMode::listen));
  }
  const auto again = open_serial(pty.path, LinkMode::api);
  ASSERT_TRUE(again) << again.error().line();
  const Fd fd{*again};
}

TEST(SerialPort, WhatIsNotThereOrNoPortIsNamed) {
  const auto missing = open_serial("/dev/ttyNOWHERE", LinkMode::api);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().line(), AllOf(HasSubstr("no such port"), HasSubstr("/dev/ttyNOWHERE")));
  const auto null = open_serial("/dev/null", LinkMode::api);
  ASSERT_FALSE(null);
  EXPECT_THAT(null.error().line(), HasSubstr("no serial port"));
}

TEST(SerialPort, KnowsAPtyAndAPluggedPort) {
  const Pty pty;
  EXPECT_TRUE(is_pty(pty.path));
  EXPECT_FALSE(is_pty("/dev/null"));
  EXPECT_NE(port_stamp(pty.path), "");
  EXPECT_EQ(port_stamp("/dev/ttyNOWHERE"), "");
}

TEST(Holder, NamesTheProcessThatHasAFileOpen) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const Pty pty;
  const pid_t child = ::fork();
  if (child == 0) {
    const int fd = ::open(pty.path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    static_cast<void>(::write(pipe[1], "x", fd >= 0 ? 1 : 0));
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(pipe[0], &byte, 1), 1);
  EXPECT_THAT(holder_of(pty.path), HasSubstr(std::to_string(child) + " ("));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(holder_of(pty.path), "");
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace leakhunt::daemon
