// The hook with real programs: what they are given, what they inherit, and what becomes of those that fail.
#include "daemon/hook.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "daemon/program.h"

namespace leakhunt::daemon {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string contents(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return std::move(text).str();
}

class Programs : public testing::Test {
 protected:
  Programs() {
    ::signal(SIGPIPE, SIG_IGN);
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  ~Programs() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string at(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] static Program shell(const std::string& script) {
    return {{"sh", "-c", script}, {}, "", 60s};
  }
  // A pipe that `script`, which ends by opening it for writing, makes readable.
  [[nodiscard]] std::string fifo(const std::string& name) const {
    EXPECT_EQ(::mkfifo(at(name).c_str(), 0600), 0);
    return at(name);
  }

  std::string folder_ = testing::TempDir() + "leakhunt-hook-XXXXXX";
};

TEST_F(Programs, GetTheirInputAndEnvironment) {
  Program program =
      shell("cat > '" + at("input") + "'; printf %s \"$LEAKHUNT_X\" > '" + at("variable") + "'");
  program.input = std::string(1 << 20, 'x') + "\n";  // more than a pipe holds
  program.environment = {"LEAKHUNT_X=a 'b' $(c)"};
  const auto done = run_program(program, -1);
  EXPECT_TRUE(done) << done.error().line();
  EXPECT_EQ(contents(at("input")), program.input);
  EXPECT_EQ(contents(at("variable")), "a 'b' $(c)");
}

TEST_F(Programs, AreNoWorseForNotReading) {
  Program program = shell("exec 0<&-; exit 0");
  program.input = std::string(1 << 20, 'x');
  const auto done = run_program(program, -1);
  EXPECT_TRUE(done) << done.error().line();
}

TEST_F(Programs, InheritNoDescriptorAndNoBlockedSignal) {
  const int leaky = ::open("/dev/null", O_RDONLY);  // not closed on exec
  ASSERT_GE(leaky, 0);
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto done = run_program(shell("ls -1 /proc/self/fd > '" + at("fds") +
                                      "'; grep -E 'SigBlk|SigIgn' "
                                      "/proc/self/status > '" +
                                      at("signals") + "'"),
                                -1);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(leaky);
  EXPECT_TRUE(done) << done.error().line();
  EXPECT_EQ(contents(at("fds")), "0\n1\n2\n3\n");  // 3: the folder that ls reads
  const std::string signals = contents(at("signals"));
  EXPECT_THAT(signals, HasSubstr("SigBlk:\t0000000000000000\n"));
  const std::string ignored = signals.substr(signals.find("SigIgn:\t") + 8);
  EXPECT_EQ(std::stoull(ignored, nullptr, 16) & (1ULL << (SIGPIPE - 1)), 0U);
}

TEST_F(Programs, FailuresSayHow) {
  const auto code = run_program(shell("echo 'no \033[31mroute' >&2; echo more >&2; exit 3"), -1);
  ASSERT_FALSE(code);
  EXPECT_THAT(code.error().line(),
              AllOf(HasSubstr("code 3"), HasSubstr("no \\x1b[31mroute"), HasSubstr("sh")));
  const auto signal = run_program(shell("kill -9 $$"), -1);
  ASSERT_FALSE(signal);
  EXPECT_THAT(signal.error().line(), HasSubstr("signal 9"));
  const auto missing = run_program({{at("nothing")}, {}, "", 60s}, -1);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().line(), AllOf(HasSubstr("cannot be started"), HasSubstr(at("nothing"))));
}

TEST_F(Programs, AreEndedAfterTheirTimeWithTheirChildren) {
  // The grandchild holds a lock that comes free with its end alone.
  Program program = shell("trap '' TERM; flock '" + at("lock") + "' sleep 1000 & echo x > '" + fifo("began") +
                          "'; wait; sleep 1000");
  program.limit = 200ms;
  std::thread reader{[&] { static_cast<void>(contents(at("began"))); }};
  const auto done = run_program(program, -1);
  reader.join();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().line(), HasSubstr("in time"));
  const int lock = ::open(at("lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  EXPECT_EQ(::flock(lock, LOCK_EX), 0);
  ::close(lock);
}

TEST_F(Programs, AreEndedWhenTheRecorderStops) {
  const int stop = ::eventfd(1, EFD_CLOEXEC);
  const auto done = run_program(shell("exec sleep 1000"), stop);
  ::close(stop);
  ASSERT_FALSE(done);
}

TEST_F(Programs, HookTellsTheAlertAsJsonAndInTheEnvironment) {
  const EventLog log;
  recorder::AlertRow row;
  row.id = 7;
  row.cause = "out_of_memory";
  row.severity = "critical";
  row.state = "open";
  row.first = row.last = Utc{1'700'000'000'000'000};
  row.count = 2;
  row.text = "out of \"memory\"";
  const std::string ended = fifo("ended");
  Hook hook{{{"sh", "-c",
              "cat > \"$0\"/input; env | grep ^LEAKHUNT_ | grep -v ^LEAKHUNT_REPEATS | sort > \"$0\"/env; "
              "echo x > \"$0\"/ended",
              folder_},
             60s},
            log,
            [](const std::string& what) { ADD_FAILURE() << what; }};
  hook.tell(row, "bench");
  static_cast<void>(contents(ended));
  EXPECT_EQ(contents(at("input")),
            "{\"id\":7,\"device\":\"bench\",\"cause\":\"out_of_memory\",\"severity\":\"critical\",\"state\":"
            "\"open\","
            "\"first\":1700000000,\"last\":1700000000,\"count\":2,\"text\":\"out of "
            "\\\"memory\\\"\",\"note\":\"\"}\n");
  EXPECT_EQ(
      contents(at("env")),
      "LEAKHUNT_CAUSE=out_of_memory\nLEAKHUNT_COUNT=2\nLEAKHUNT_DEVICE=bench\nLEAKHUNT_FIRST=1700000000."
      "000000\n"
      "LEAKHUNT_ID=7\nLEAKHUNT_LAST=1700000000.000000\nLEAKHUNT_SEVERITY=critical\nLEAKHUNT_STATE=open\n"
      "LEAKHUNT_TEXT=out of \"memory\"\n");
}

TEST_F(Programs, ASleepingHookHoldsUpNobody) {
  const EventLog log;
  Hook hook{{{"sleep", "1000"}, 1000s}, log, [](const std::string& what) { ADD_FAILURE() << what; }};
  for (std::size_t i = 0; i < Hook::kWaiting + 2; ++i) hook.tell({}, "bench");
  hook.stop();
}

}  // namespace
}  // namespace leakhunt::daemon
