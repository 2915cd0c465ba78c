// The program itself on a terminal, against a daemon that answers as told: exit codes, signals, questions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>

#include "tests/ctl/fake_daemon.h"

namespace leakhunt::ctl::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// leakhuntctl with a terminal of its own.
class Terminal {
 public:
  // What hangs it up is the end of leakhuntctl: others on it live on where that is ignored.
  explicit Terminal(std::vector<std::string> words, bool ignoring_hangup = false) {
    words.insert(words.begin(), LEAKHUNT_BIN "/leakhuntctl");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (pid_ == 0) {
      if (ignoring_hangup) ::signal(SIGHUP, SIG_IGN);
      ::execv(argv[0], argv.data());
      ::_exit(99);
    }
  }
  ~Terminal() { ::close(terminal_); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(const std::string& text) {
    ASSERT_EQ(::write(terminal_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void signal(int number) const { ::kill(pid_, number); }
  // Reads until the text has come; false when the program ends before.
  bool wait_for(const std::string& text) {
    while (said_.find(text) == std::string::npos) {
      if (!read_some()) return false;
    }
    return true;
  }
  int exit_code() {
    while (read_some()) {
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  [[nodiscard]] const std::string& said() const { return said_; }

 private:
  bool read_some() {
    std::array<char, 512> piece{};
    const ssize_t n = ::read(terminal_, piece.data(), piece.size());
    if (n <= 0) return false;
    said_.append(piece.data(), static_cast<std::size_t>(n));
    return true;
  }

  int terminal_ = -1;
  pid_t pid_ = 0;
  std::string said_;
};

// The end of a process that is no child of this one.
class Watch {
 public:
  explicit Watch(pid_t pid) : fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  ~Watch() { ::close(fd_); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  void wait_for_end() const {
    pollfd ended{fd_, POLLIN, 0};
    ASSERT_EQ(::poll(&ended, 1, -1), 1);
  }

 private:
  int fd_;
};

pid_t parent_of(pid_t pid) {
  std::ifstream status{"/proc/" + std::to_string(pid) + "/status"};
  std::string word;
  pid_t parent = 0;
  while (status >> word && word != "PPid:") {
  }
  status >> parent;
  return parent;
}

pid_t holder_of(const v1::Envelope& asked) {
  return static_cast<pid_t>(asked.question().release().holder_pid());
}

v1::Envelope ready(const v1::Envelope& asked) {
  v1::Envelope out;
  v1::Answer& answer = *out.mutable_answer();
  const v1::Question& question = asked.question();
  if (question.has_status()) {
    v1::DeviceStatus& device = *answer.mutable_status()->add_devices();
    device.set_name(question.device().empty() ? "bench1" : question.device());
    if (device.name() != "old") device.add_links()->set_state("connected");
  }
  if (question.has_release()) {
    answer.mutable_release()->set_device("bench1");
    answer.mutable_release()->add_links("serial:/dev/ttyACM0");
  }
  if (question.has_resume()) answer.mutable_resume()->add_devices(question.device());
  if (question.has_debug_log()) answer.mutable_debug_log()->set_device("bench1");
  if (question.has_change_device()) answer.mutable_change_device()->set_device(question.device());
  if (question.has_doctor()) {
    v1::Check& check = *answer.mutable_doctor()->add_checks();
    check.set_state("warning");
    check.set_what("something that stays as it is until somebody has put it right");
  }
  return out;
}

v1::Envelope refusing(const v1::Envelope& /*asked*/) {
  v1::Envelope out;
  out.mutable_error()->set_code(2);
  out.mutable_error()->set_what("no device is named that");
  return out;
}

class Program : public ::testing::Test {
 protected:
  FakeDaemon daemon_{ready};
  // A release of bench1 for a shell script.
  std::vector<std::string> release(const std::string& script) const {
    return {"--socket", daemon_.path(), "release", "bench1", "--", "sh", "-c", script};
  }
  void expect_taken_back() const {
    const auto asked = daemon_.asked();
    ASSERT_THAT(asked, SizeIs(2));
    EXPECT_TRUE(asked[0].question().has_release());
    EXPECT_GT(asked[0].question().release().holder_pid(), 0);
    EXPECT_FALSE(asked[0].question().release().has_for_s());
    EXPECT_TRUE(asked[1].question().has_resume());
    EXPECT_EQ(asked[1].question().device(), "bench1");
  }
};

TEST_F(Program, ARunEndsWithTheExitCodeOfItsCommand) {
  Terminal terminal{release("echo from the command; exit 7")};
  EXPECT_EQ(terminal.exit_code(), 7);
  EXPECT_THAT(terminal.said(), HasSubstr("given up: serial:/dev/ttyACM0"));
  EXPECT_THAT(terminal.said(), HasSubstr("from the command"));
  EXPECT_THAT(terminal.said(), HasSubstr("taken back: bench1"));
  expect_taken_back();
}

TEST_F(Program, TheHolderIsTheCommandItself) {
  Terminal terminal{release("echo pid=$$.")};
  EXPECT_EQ(terminal.exit_code(), 0);
  EXPECT_THAT(terminal.said(), HasSubstr("pid=" + std::to_string(holder_of(daemon_.asked()[0])) + "."));
}

TEST_F(Program, NothingRunsWhenItIsKilledBeforeTheRelease) {
  std::promise<bool> held;
  const FakeDaemon daemon{[&held](const v1::Envelope& asked) {
    const Watch watch{holder_of(asked)};
    ::kill(parent_of(holder_of(asked)), SIGKILL);
    watch.wait_for_end();
    held.set_value(true);
    return ready(asked);
  }};
  Terminal terminal{{"--socket", daemon.path(), "release", "bench1", "--", "echo", "it", "ran"}, true};
  EXPECT_EQ(terminal.exit_code(), -SIGKILL);
  EXPECT_TRUE(held.get_future().get());
  EXPECT_THAT(terminal.said(), Not(HasSubstr("it ran")));
}

TEST_F(Program, ACommandThatIsKilledBeforeItRunsHasEnded) {
  const FakeDaemon daemon{[](const v1::Envelope& asked) {
    if (asked.question().has_release()) {
      const Watch watch{holder_of(asked)};
      ::kill(holder_of(asked), SIGKILL);
      watch.wait_for_end();
    }
    return ready(asked);
  }};
  Terminal terminal{{"--socket", daemon.path(), "release", "bench1", "--", "echo", "it", "ran"}};
  EXPECT_EQ(terminal.exit_code(), 128 + SIGKILL);
  EXPECT_THAT(terminal.said(), Not(HasSubstr("it ran")));
  EXPECT_THAT(daemon.asked(), SizeIs(2));
}

TEST_F(Program, TheCommandLivesOnWhenItIsKilled) {
  const std::string script = "kill -KILL $PPID; read x; echo still $x";
  const std::vector<std::string> words = release(script);
  Terminal terminal{words, true};
  terminal.type("here\n");
  EXPECT_TRUE(terminal.wait_for("still here"));
  EXPECT_EQ(terminal.exit_code(), -SIGKILL);
  EXPECT_THAT(daemon_.asked(), SizeIs(1)) << "taken back by nobody but the daemon";
}

TEST_F(Program, ADeviceThatTheDaemonTookBackFirstIsNoError) {
  const FakeDaemon daemon{[](const v1::Envelope& asked) {
    v1::Envelope out = ready(asked);
    if (asked.question().has_resume()) out.mutable_answer()->mutable_resume()->clear_devices();
    return out;
  }};
  Terminal terminal{{"--socket", daemon.path(), "release", "bench1", "--", "true"}};
  EXPECT_EQ(terminal.exit_code(), 0);
  EXPECT_THAT(terminal.said(), HasSubstr("bench1 was taken back already"));
  Terminal resume{{"--socket", daemon.path(), "resume", "bench1"}};
  EXPECT_EQ(resume.exit_code(), 0);
  EXPECT_THAT(resume.said(), HasSubstr("bench1 was not released; its links are looked at again at once"));
}

TEST_F(Program, AResumeThatFailsIsAnErrorOnlyWhileTheDeviceIsReleased) {
  std::atomic<bool> still = false;
  const FakeDaemon daemon{[&still](const v1::Envelope& asked) {
    if (asked.question().has_resume()) return refusing(asked);
    v1::Envelope out = ready(asked);
    if (still && asked.question().has_status())
      out.mutable_answer()->mutable_status()->mutable_devices(0)->set_released_since(1);
    return out;
  }};
  const std::vector<std::string> words = {"--socket", daemon.path(), "release", "bench1", "--", "true"};
  Terminal back{words};
  EXPECT_EQ(back.exit_code(), 0);
  EXPECT_THAT(back.said(), HasSubstr("bench1 was taken back already"));
  EXPECT_THAT(back.said(), Not(HasSubstr("leakhuntctl: ")));
  still = true;
  Terminal held{words};
  EXPECT_EQ(held.exit_code(), 0);
  EXPECT_THAT(held.said(), HasSubstr("leakhuntctl: no device is named that"));
}

TEST_F(Program, ACommandThatASignalEndsGives128AndTheSignal) {
  Terminal terminal{release("kill -KILL $$")};
  EXPECT_EQ(terminal.exit_code(), 128 + SIGKILL);
  expect_taken_back();
}

TEST_F(Program, ControlCGoesToTheCommandAndTheDeviceIsTakenBack) {
  Terminal terminal{release("echo begun; exec sleep 1000")};
  ASSERT_TRUE(terminal.wait_for("begun"));
  terminal.type("\x03");
  EXPECT_EQ(terminal.exit_code(), 128 + SIGINT);
  expect_taken_back();
}

TEST_F(Program, ACommandMayMakeSomethingElseOfControlC) {
  Terminal terminal{release("trap 'exit 5' INT; echo begun; while :; do read x; done")};
  ASSERT_TRUE(terminal.wait_for("begun"));
  terminal.type("\x03");
  EXPECT_EQ(terminal.exit_code(), 5);
  expect_taken_back();
}

TEST_F(Program, TermIsPassedOnAndTheDeviceIsTakenBack) {
  Terminal terminal{release("trap 'exit 6' TERM; echo begun; while :; do read x; done")};
  ASSERT_TRUE(terminal.wait_for("begun"));
  terminal.signal(SIGTERM);
  EXPECT_EQ(terminal.exit_code(), 6);
  expect_taken_back();
}

TEST_F(Program, TheCommandHasTheTerminalAndItsSignalsOpen) {
  Terminal terminal{
      release("test -t 0 && test -t 1 && grep -q '^SigBlk:.0*$' /proc/self/status && read x && "
              "test \"$x\" = hello")};
  ASSERT_TRUE(terminal.wait_for("is released"));
  terminal.type("hello\n");
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST_F(Program, ACommandThatIsNotThereOrCannotRun) {
  Terminal missing{{"--socket", daemon_.path(), "release", "bench1", "--", "/no/such/program"}};
  EXPECT_EQ(missing.exit_code(), 127);
  Terminal folder{{"--socket", daemon_.path(), "release", "bench1", "--", "/tmp"}};
  EXPECT_EQ(folder.exit_code(), 126);
  EXPECT_THAT(daemon_.asked(), SizeIs(4));
}

TEST_F(Program, NothingRunsWhenTheDeviceIsNotReleased) {
  const FakeDaemon daemon{refusing};
  Terminal terminal{{"--socket", daemon.path(), "release", "bench1", "--", "echo", "it", "ran"}};
  EXPECT_EQ(terminal.exit_code(), 2);
  EXPECT_THAT(terminal.said(), Not(HasSubstr("it ran")));
  EXPECT_THAT(daemon.asked(), SizeIs(1));
}

TEST_F(Program, DebugLogAsksFirstAndWaitsLongForItsAnswer) {
  Terminal no{{"--socket", daemon_.path(), "debug-log", "on"}};
  ASSERT_TRUE(no.wait_for("[y/N]"));
  EXPECT_THAT(no.said(), HasSubstr("a setting of bench1"));
  EXPECT_THAT(no.said(), HasSubstr("REBOOTS"));
  no.type("\n");
  EXPECT_EQ(no.exit_code(), 1);
  EXPECT_THAT(daemon_.asked(), SizeIs(1)) << "the status alone";
  Terminal yes{{"--socket", daemon_.path(), "debug-log", "on"}};
  ASSERT_TRUE(yes.wait_for("[y/N]"));
  yes.type("y\n");
  EXPECT_EQ(yes.exit_code(), 0);
  const auto asked = daemon_.asked();
  ASSERT_THAT(asked, SizeIs(3));
  EXPECT_TRUE(asked[2].question().has_debug_log());
  EXPECT_EQ(asked[2].question().device(), "bench1") << "the one that was named to the person";
  EXPECT_EQ(asked[2].deadline_ms(), 180'000U);
}

TEST_F(Program, WhatIsRefusedIsNotAskedAbout) {
  const FakeDaemon daemon{refusing};
  Terminal unknown{{"--socket", daemon.path(), "debug-log", "on", "bench7"}};
  EXPECT_EQ(unknown.exit_code(), 2);
  EXPECT_THAT(unknown.said(), HasSubstr("no device is named that"));
  EXPECT_THAT(unknown.said(), Not(HasSubstr("REBOOTS")));
  Terminal configured{{"--socket", daemon_.path(), "device", "forget", "bench1"}};
  EXPECT_EQ(configured.exit_code(), 2);
  EXPECT_THAT(configured.said(), HasSubstr("is being recorded"));
  EXPECT_THAT(configured.said(), Not(HasSubstr("[y/N]")));
  for (const auto& asked : daemon_.asked()) EXPECT_TRUE(asked.question().has_status());
  for (const auto& asked : daemon.asked()) EXPECT_TRUE(asked.question().has_status());
}

TEST_F(Program, YesNeedsNoTerminalButItsAbsenceDoes) {
  const std::string forget = "' device forget old ";
  const std::string program = LEAKHUNT_BIN "/leakhuntctl --socket '" + daemon_.path();
  Terminal without{release(program + forget + "</dev/null")};
  EXPECT_EQ(without.exit_code(), 2);
  EXPECT_THAT(without.said(), HasSubstr("--yes"));
  EXPECT_THAT(daemon_.asked(), SizeIs(3)) << "the release and the resume around a status";
  Terminal with{{"--socket", daemon_.path(), "device", "forget", "old", "--yes"}};
  EXPECT_EQ(with.exit_code(), 0);
  EXPECT_THAT(with.said(), Not(HasSubstr("[y/N]")));
  EXPECT_TRUE(daemon_.asked().back().question().change_device().forget());
}

TEST_F(Program, TheDoctorLooksAtTheSocketAndAsksTheDaemon) {
  Terminal terminal{{"--socket", daemon_.path(), "doctor"}};
  EXPECT_EQ(terminal.exit_code(), 0) << "a warning is no failure";
  EXPECT_THAT(terminal.said(), HasSubstr("ok       control socket: " + daemon_.path() + " answers"));
  EXPECT_THAT(terminal.said(), HasSubstr("warning "));
}

TEST_F(Program, LongLinesAreBrokenForATerminalAlone) {
  const std::string words = "'" LEAKHUNT_BIN "/leakhuntctl' --socket '" + daemon_.path() + "' doctor ";
  Terminal wide{release(words)};
  EXPECT_EQ(wide.exit_code(), 0);
  Terminal narrow{release("stty cols 50; " + words)};
  EXPECT_EQ(narrow.exit_code(), 0);
  Terminal piped{release("stty cols 50; " + words + "| cat")};
  EXPECT_EQ(piped.exit_code(), 0);
  EXPECT_THAT(wide.said(), HasSubstr("until somebody has put it right"));
  EXPECT_THAT(piped.said(), HasSubstr("until somebody has put it right"));
  EXPECT_THAT(narrow.said(), Not(HasSubstr("until somebody has put it right")));
  EXPECT_THAT(narrow.said(), HasSubstr("put it right"));
}

TEST_F(Program, TheDoctorFindsASocketNobodyListensAt) {
  std::string left = daemon_.path() + "-left";
  {
    const FakeDaemon ended{ready};
    std::filesystem::create_hard_link(ended.path(), left);
  }
  Terminal terminal{{"--socket", left, "doctor"}};
  EXPECT_EQ(terminal.exit_code(), 1);
  EXPECT_THAT(terminal.said(), HasSubstr("nobody listens"));
  EXPECT_THAT(terminal.said(), HasSubstr("do: start leakhuntd"));
}

}  // namespace
}  // namespace leakhunt::ctl::testing
