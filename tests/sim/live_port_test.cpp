// The ports of this machine, in one process: real sockets and pseudo-terminals, time by hand.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "sim/descriptor.h"
#include "sim/ports.h"
#include "sim/server.h"
#include "tests/sim/bench.h"

namespace leakhunt::sim::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr int kPatience_ms = 10'000;  // how long what must come may take; nothing is measured by it

// A device on live ports, its world stepped by hand.
class World {
 public:
  World(Setup setup, std::vector<std::unique_ptr<LivePort>> owned, const std::string& scenario = "steady")
      : owned_(std::move(owned)),
        ports(raw(owned_)),
        device(std::move(setup), *make_scenario(scenario, {}), Bench::kStart, {ports.begin(), ports.end()}) {}

  void serve() {
    device.run_until(now);
    for (LivePort* port : ports) port->serve(now, device);
  }
  void run(double seconds_on) {
    now = now + from_seconds(seconds_on);
    serve();
  }
  // Serves, in real time, until the condition holds.
  template <class Condition>
  [[nodiscard]] bool until(Condition holds) {
    for (int tried_ms = 0; tried_ms < kPatience_ms; ++tried_ms) {
      serve();
      if (holds()) return true;
      std::vector<pollfd> polled;
      for (const LivePort* port : ports) port->add_to(polled);
      ::poll(polled.data(), polled.size(), 1);
    }
    return false;
  }
  Outcome command(const std::string& words) { return carry_out(words, device, ports, now); }

 private:
  static LivePorts raw(const std::vector<std::unique_ptr<LivePort>>& owned) {
    LivePorts all;
    for (const auto& port : owned) all.push_back(port.get());
    return all;
  }
  std::vector<std::unique_ptr<LivePort>> owned_;

 public:
  LivePorts ports;
  Mono now = Bench::kStart.mono;
  Device device;
};

// A client at the other end of a socket or terminal; never blocks.
class Client {
 public:
  explicit Client(int fd) : fd_(fd) {}
  static Client connect(const LivePort& port, int receive_buffer = 0) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer > 0) ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const std::string where = port.greeting();
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(where.substr(where.rfind(':') + 1))));
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
    return Client{fd};
  }
  static Client open(const std::string& path) {
    return Client{::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
  }
  void say(const std::string& message) {
    const std::string frame = framed(message);
    EXPECT_EQ(::write(fd_.get(), frame.data(), frame.size()), static_cast<ssize_t>(frame.size()));
  }
  // What has come; `ended` becomes true at the end of the stream.
  std::string& take() {
    std::array<char, 65'536> bytes;
    ssize_t got = 0;
    while ((got = ::read(fd_.get(), bytes.data(), bytes.size())) > 0)
      all.append(bytes.data(), static_cast<std::size_t>(got));
    ended = ended || got == 0 || (errno != EAGAIN && errno != EINTR);
    return all;
  }
  std::vector<std::uint32_t> kinds_heard() { return kinds(FrameReader{}.feed(take())); }
  bool has_handshake() { return testing::Value(kinds_heard(), Contains(7U)); }
  void close() { fd_.reset(); }
  [[nodiscard]] bool sound() const { return static_cast<bool>(fd_); }

  std::string all;
  bool ended = false;

 private:
  Descriptor fd_;
};

std::vector<std::unique_ptr<LivePort>> one(Result<std::unique_ptr<LivePort>> port) {
  std::vector<std::unique_ptr<LivePort>> ports;
  ports.push_back(std::move(*port));
  return ports;
}

// A folder of its own, gone with the test.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "leakhunt-sim-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path / name; }
  std::filesystem::path path;
};

class LiveTcp : public testing::Test {
 protected:
  World world{{}, one(open_tcp(0))};
  LivePort& port = *world.ports.front();
};

TEST_F(LiveTcp, WhatTheClientsKernelHasTakenIsTaken) {
  EXPECT_FALSE(port.all_taken());
  Client client = Client::connect(port);
  client.say(want_config(1));
  ASSERT_TRUE(world.until([&] { return client.has_handshake() && port.all_taken(); }));
  EXPECT_EQ(port.traffic().sent_bytes, client.all.size());
  EXPECT_EQ(port.traffic().opens, 1U);
}

TEST_F(LiveTcp, WhatLiesInTheWayIsNot) {
  Client client = Client::connect(port, 4'096);
  ASSERT_TRUE(world.until([&] { return port.traffic().opens == 1; }));
  while (port.traffic().sent_bytes < 300'000) world.device.junk(port, 30'000, world.now);
  EXPECT_FALSE(port.all_taken());
  ASSERT_TRUE(
      world.until([&] { return client.take().size() == port.traffic().sent_bytes && port.all_taken(); }));
}

TEST_F(LiveTcp, AFrozenConnectionStaysOpenAndSilentAndGoesOnWhenThawed) {
  Client client = Client::connect(port);
  client.say(want_config(1));
  ASSERT_TRUE(world.until([&] { return client.has_handshake(); }));
  ASSERT_TRUE(world.command("freeze"));
  const std::size_t before = client.take().size();
  client.say(heartbeat());
  world.run(200);
  EXPECT_EQ(client.take().size(), before);
  EXPECT_FALSE(client.ended);
  EXPECT_GT(port.traffic().unheard_bytes, 0U);
  ASSERT_TRUE(world.command("thaw"));
  ASSERT_TRUE(world.until([&] {
    world.run(0.1);
    return client.take().size() > before;
  }));
  EXPECT_EQ(client.kinds_heard().back(), 11U);
}

TEST_F(LiveTcp, AFrozenConnectionsEndIsNotTold) {
  Client client = Client::connect(port);
  client.say(want_config(1));
  ASSERT_TRUE(world.until([&] { return client.has_handshake(); }));
  ASSERT_TRUE(world.command("freeze"));
  ASSERT_TRUE(world.command("reboot"));
  world.run(5);
  ASSERT_TRUE(world.command("thaw"));
  world.run(5);
  client.take();
  EXPECT_FALSE(client.ended);
}

TEST_F(LiveTcp, AVanishedDeviceLeavesItsClientAloneAndTakesAnother) {
  Client left = Client::connect(port);
  left.say(want_config(1));
  ASSERT_TRUE(world.until([&] { return left.has_handshake(); }));
  ASSERT_TRUE(world.command("vanish"));
  const std::size_t before = left.take().size();
  left.say(heartbeat());
  Client next = Client::connect(port);
  next.say(want_config(1));
  ASSERT_TRUE(world.until([&] { return next.has_handshake(); }));
  world.run(120);
  EXPECT_EQ(left.take().size(), before);
  EXPECT_FALSE(left.ended);
  left.close();
  world.run(120);
  next.say(heartbeat());
  ASSERT_TRUE(world.until([&] {
    world.run(0.1);
    return next.kinds_heard().back() == 11U;
  }));
}

TEST_F(LiveTcp, WhatConcernsATerminalIsRefused) {
  EXPECT_FALSE(world.command("replug tty1"));
  EXPECT_FALSE(world.command("pty unplug"));
  EXPECT_FALSE(port.replug("tty1"));
}

class LivePty : public testing::Test {
 protected:
  Folder folder;
  World world{{}, one(open_pty(folder / "tty0", 1))};
  LivePort& port = *world.ports.front();
};

TEST_F(LivePty, WhatTheReaderHasReadIsTaken) {
  Client reader = Client::open(folder / "tty0");
  ASSERT_TRUE(world.until([&] { return port.traffic().opens == 1; }));
  world.device.fall_silent(true);
  world.run(1);
  reader.take();
  for (int round = 0; round < 500; ++round) {
    world.device.write_raw(port, "0123456789", world.now);
    EXPECT_GT(port.traffic().waiting_bytes, 0U);
    world.run(0.1);
    ASSERT_EQ(port.traffic().waiting_bytes, 0U);
    // Nothing else has run meanwhile: what is still on its way through the kernel counts as well.
    ASSERT_FALSE(port.all_taken()) << round;
    reader.take();
    ASSERT_TRUE(port.all_taken()) << round;
  }
  EXPECT_EQ(port.traffic().sent_bytes, reader.all.size());
}

TEST_F(LivePty, EachOpeningByAnotherIsCountedAndNoneOfItsOwn) {
  for (unsigned opened = 1; opened <= 3; ++opened) {
    Client reader = Client::open(folder / "tty0");
    ASSERT_TRUE(world.until([&] { return port.traffic().opens == opened; }));
    EXPECT_TRUE(port.all_taken());
    Client second = Client::open(folder / "tty0");
    second.close();
    reader.close();
    world.run(1);
    EXPECT_EQ(port.traffic().opens, ++opened);
  }
}

TEST_F(LivePty, WhatNobodyReadBeforeTheCloseIsForgotten) {
  Client first = Client::open(folder / "tty0");
  ASSERT_TRUE(world.until([&] { return port.traffic().opens == 1; }));
  world.device.write_raw(port, "left behind", world.now);
  world.run(1);
  first.close();
  world.run(1);
  world.device.write_raw(port, "said to nobody", world.now);
  world.run(1);
  EXPECT_GE(port.traffic().unheard_bytes, 14U);
  Client second = Client::open(folder / "tty0");
  ASSERT_TRUE(world.until([&] { return port.traffic().opens == 2; }));
  world.device.write_raw(port, "for the second", world.now);
  world.run(1);
  EXPECT_EQ(second.take(), "for the second");
}

TEST_F(LivePty, ComesBackUnderAnotherName) {
  Client reader = Client::open(folder / "tty0");
  ASSERT_TRUE(world.until([&] { return port.traffic().opens == 1; }));
  ASSERT_TRUE(world.command("replug tty7"));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(folder / "tty0")));
  reader.take();
  EXPECT_TRUE(reader.ended);
  Client again = Client::open(folder / "tty7");
  ASSERT_TRUE(again.sound());
  again.say(want_config(1));
  ASSERT_TRUE(world.until([&] {
    world.run(0.1);
    return again.has_handshake();
  }));
}

TEST_F(LivePty, AFileInTheWayOfANewNameIsLeftAlone) {
  const Descriptor file{::open((folder / "tty7").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)};
  EXPECT_FALSE(world.command("replug tty7"));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder / "tty7"));
}

TEST(LiveReset, EachOpeningIsOneEvenBetweenTwoLooks) {
  Folder folder;
  World world{{.odd = {.resets_when_opened = true}}, one(open_pty(folder / "tty0", 1))};
  world.run(100);
  Client::open(folder / "tty0").close();
  world.run(1);
  EXPECT_EQ(world.device.counters().boots, 2U);
  Client first = Client::open(folder / "tty0");
  world.run(1);
  first.close();
  Client second = Client::open(folder / "tty0");
  world.run(1);
  EXPECT_EQ(world.device.counters().boots, 4U);
  world.run(1);
  EXPECT_THAT(second.take(), HasSubstr("rst:0x1"));
}

// A DEBUG_HEAP line at full rate for a minute; the reader looks each `look_s`.
Traffic saturated(double look_s, std::string& read) {
  Folder folder;
  World world{{.debug_heap = true, .line_every_s = 0.001}, one(open_pty(folder / "tty0", 1)), "leak"};
  Client reader = Client::open(folder / "tty0");
  world.serve();
  double next_look = 0;
  for (double at = 0; at < 60; at += 0.02) {
    world.run(0.02);
    if (at < next_look) continue;
    read = reader.take();
    next_look = at + look_s;
  }
  return world.ports.front()->traffic();
}

TEST(LiveUart, AReaderThatKeepsUpLosesNothingAtFullRate) {
  std::string read;
  const Traffic traffic = saturated(0.3, read);
  EXPECT_GT(traffic.sent_bytes, 60 * 11'000U);
  EXPECT_EQ(traffic.dropped_bytes, 0U);
  EXPECT_THAT(read, HasSubstr("[heap "));
}

TEST(LiveUart, AReaderThatStallsLosesAndTheLossIsCounted) {
  std::string read;
  const Traffic traffic = saturated(2, read);
  EXPECT_GT(traffic.dropped_bytes, 30 * 11'000U);
  EXPECT_GE(traffic.sent_bytes + traffic.dropped_bytes, 60 * 11'000U);
}

TEST(LiveBoth, TcpServesStatsWhileTheTerminalPrintsTheLog) {
  Folder folder;
  auto ports = one(open_tcp(0));
  ports.push_back(std::move(*open_pty(folder / "tty0", 1)));
  World world{{.debug_heap = true}, std::move(ports), "leak"};
  Client console = Client::open(folder / "tty0");
  Client api = Client::connect(*world.ports.front());
  api.say(want_config(1));
  api.say(ask_stats(Bench::kNode, 5));
  ASSERT_TRUE(world.until([&] {
    world.run(0.1);
    return api.kinds_heard().back() == 11U && testing::Value(console.take(), HasSubstr("[heap "));
  }));
  EXPECT_THAT(api.kinds_heard(), testing::Not(Contains(6U)));
  ASSERT_TRUE(world.command("tcp drop"));
  ASSERT_TRUE(world.until([&] {
    api.take();
    return api.ended;
  }));
  EXPECT_FALSE(console.ended);
}

}  // namespace
}  // namespace leakhunt::sim::test
