// Links against a scripted peer on a socket or a pty: what is sent, what becomes rows, what follows a loss.
#include "daemon/links.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/config.h"
#include "daemon/serial_port.h"

namespace leakhunt::daemon {
namespace {

using Bytes = std::vector<std::uint8_t>;
using testing::HasSubstr;

const Bytes kWantConfig{0x94, 0xC3, 0x00, 0x04, 0x18, 0xAC, 0x9E, 0x04};

Bytes framed(const Bytes& payload) {
  Bytes frame{0x94, 0xC3, 0x00, static_cast<std::uint8_t>(payload.size())};
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}
// FromRadio.my_info{my_node_num = 5, reboot_count = 1}
const Bytes kMyInfo = framed({0x1A, 0x04, 0x08, 0x05, 0x40, 0x01});
// FromRadio.config_complete_id = 69420
const Bytes kComplete = framed({0x38, 0xAC, 0x9E, 0x04});

Bytes of(std::string_view text) {
  return {text.begin(), text.end()};
}

// A descriptor read and written without regard to time: a test hangs rather than guesses.
class Peer {
 public:
  explicit Peer(int fd) : fd_(fd) {}
  Peer(Peer&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { hang_up(); }

  void send(const Bytes& bytes) const {
    ASSERT_EQ(::write(fd_, bytes.data(), bytes.size()), std::ssize(bytes));
  }
  [[nodiscard]] Bytes read(std::size_t count) const {
    Bytes bytes(count);
    std::size_t have = 0;
    while (have < count) {
      const auto n = ::read(fd_, bytes.data() + have, count - have);
      if (n <= 0) break;
      have += static_cast<std::size_t>(n);
    }
    bytes.resize(have);
    return bytes;
  }
  [[nodiscard]] bool has_input() const {
    pollfd poll{fd_, POLLIN, 0};
    return ::poll(&poll, 1, 0) == 1;
  }
  void hang_up() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

class Listener {
 public:
  explicit Listener(std::uint16_t port = 0) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int yes = 1;
    ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(fd_, 4), 0);
    socklen_t size = sizeof address;
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { ::close(fd_); }
  [[nodiscard]] Peer accept() const { return Peer{::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC)}; }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  int fd_;
  std::uint16_t port_ = 0;
};

class LinksTest : public testing::Test {
 protected:
  void record(const std::string& link) {
    Config config;
    ASSERT_TRUE(add_device_argument(config, "bench=" + link));
    record(config);
  }
  void record(const Config& config) {
    links_.emplace(
        loop_, config.devices, restored_, ids_, queue_, clock_, log_,
        [this](const recorder::Alarm& alarm) { alarms_.push_back(alarm); }, *catalogue_,
        LinksOptions{{}, "host-boot", false, {}});
    links_->start();
    loop_.start();
  }
  void TearDown() override { loop_.stop(); }
  void stop() {
    loop_.stop();
    links_->stop();
  }
  // Asks the links for something and waits until it is done.
  Result<v1::Answer> ask(const v1::Question& question) {
    std::promise<Result<v1::Answer>> promise;
    links_->carry_out(question, [&](Result<v1::Answer> answer) { promise.set_value(std::move(answer)); });
    return promise.get_future().get();
  }

  // The next row that `wanted` accepts; those before it are let go.
  template <class T>
  T next(const std::function<bool(const T&)>& wanted = [](const T&) { return true; }) {
    for (;;) {
      for (; at_ < rows_.size(); ++at_) {
        const auto* row = std::get_if<T>(&rows_[at_]);
        if (row != nullptr && wanted(*row)) return std::get<T>(rows_[at_++]);
      }
      rows_ = queue_.take(1'000, std::chrono::seconds{1});
      at_ = 0;
      queue_.done();
    }
  }
  recorder::EventRow next_event(std::string_view kind) {
    return next<recorder::EventRow>([&](const recorder::EventRow& row) { return row.kind == kind; });
  }
  // Waits until the link stands as wanted.
  LinkSnapshot until(const std::function<bool(const LinkSnapshot&)>& wanted) {
    for (;;) {
      const LinkSnapshot link = links_->snapshot().get().devices.at(0).links.at(0);
      if (wanted(link)) return link;
    }
  }

  ScaledClock clock_{20, SystemClock{}.now().mono};
  EventLog log_;
  storage::RowQueue queue_{std::size_t{1} << 20, clock_};
  recorder::Ids ids_;
  std::vector<recorder::Alarm> alarms_;
  std::vector<recorder::Row> rows_;
  std::size_t at_ = 0;
  recorder::RecordState restored_;
  std::unique_ptr<PortCatalogue> catalogue_ = system_catalogue();
  Loop loop_{"links", [](const std::string& what) { ADD_FAILURE() << what; }};
  std::optional<Links> links_;
};

TEST_F(LinksTest, GreetsAsksAndSendsNothingElse) {
  const Listener listener;
  record("tcp:127.0.0.1:" + std::to_string(listener.port()));
  const Peer device = listener.accept();
  EXPECT_EQ(device.read(kWantConfig.size()), kWantConfig);
  device.send(kMyInfo);
  device.send(kComplete);
  const Bytes request = device.read(26);
  ASSERT_EQ(request.size(), 26U);
  // Header, ToRadio.packet, to = 5; TELEMETRY_APP with an empty local_stats, want_response; an id.
  const Bytes head{0x94, 0xC3, 0x00, 0x16, 0x0A, 0x14, 0x15, 0x05, 0x00, 0x00, 0x00,
                   0x22, 0x08, 0x08, 0x43, 0x12, 0x02, 0x32, 0x00, 0x18, 0x01, 0x35};
  EXPECT_EQ(Bytes(request.begin(), request.begin() + 22), head);
  next_event("connection_established");
  EXPECT_EQ(until([](const LinkSnapshot& link) { return link.state == LinkState::connected; }).trouble, "");
}

TEST_F(LinksTest, ALostLinkIsAnEventAndComesBack) {
  const Listener listener;
  record("tcp:127.0.0.1:" + std::to_string(listener.port()));
  {
    const Peer device = listener.accept();
    EXPECT_EQ(device.read(kWantConfig.size()), kWantConfig);
    device.send(kMyInfo);
    device.send(kComplete);
    next_event("connection_established");
  }
  next_event("connection_lost");
  const Peer again = listener.accept();
  EXPECT_EQ(again.read(kWantConfig.size()), kWantConfig);
  again.send(kMyInfo);
  again.send(kComplete);
  next_event("connection_established");
  EXPECT_EQ(until([](const LinkSnapshot& link) { return link.state == LinkState::connected; }).reconnects, 1);
}

TEST_F(LinksTest, ARefusedConnectionIsToldAndTriedAgain) {
  std::uint16_t port = 0;
  {
    const Listener taken;
    port = taken.port();
  }
  record("tcp:127.0.0.1:" + std::to_string(port));
  const auto link = until([](const LinkSnapshot& each) { return each.state == LinkState::waiting; });
  EXPECT_THAT(link.trouble, HasSubstr("refused"));
  const Listener listener{port};
  const Peer device = listener.accept();
  EXPECT_EQ(device.read(kWantConfig.size()), kWantConfig);
}

TEST_F(LinksTest, AHostThatTalksSomethingElseIsNoMeshtasticDevice) {
  const Listener listener;
  record("tcp:127.0.0.1:" + std::to_string(listener.port()));
  const Peer host = listener.accept();
  host.send(of("SSH-2.0-OpenSSH_9.2\r\n"));
  EXPECT_EQ(host.read(3 * kWantConfig.size()).size(), 3 * kWantConfig.size());
  EXPECT_TRUE(host.read(1).empty());
  const auto link = until([](const LinkSnapshot& each) { return each.state == LinkState::waiting; });
  EXPECT_THAT(link.trouble, HasSubstr("no Meshtastic frame"));
}

TEST_F(LinksTest, TextOverTcpIsRecordedOnlyBehindAFrame) {
  const Listener listener;
  record("tcp:127.0.0.1:" + std::to_string(listener.port()));
  const Peer host = listener.accept();
  host.send(of("INFO  | 12:00:00 77 [Router] before\r\n"));
  EXPECT_EQ(host.read(kWantConfig.size()), kWantConfig);
  host.send(kMyInfo);
  host.send(of("INFO  | 12:00:01 78 [Router] behind\r\n"));
  EXPECT_THAT(next<recorder::LogRow>().text, HasSubstr("behind"));
}

TEST_F(LinksTest, AnAlarmLineGoesToTheTap) {
  const Listener listener;
  record("tcp:127.0.0.1:" + std::to_string(listener.port()));
  const Peer device = listener.accept();
  EXPECT_EQ(device.read(kWantConfig.size()), kWantConfig);
  device.send(kMyInfo);
  device.send(of("ERROR | 12:00:00 77 [Router] out of memory\r\n"));
  const auto line = next<recorder::LogRow>();
  EXPECT_EQ(line.alarm, "out_of_memory");
  stop();
  ASSERT_EQ(alarms_.size(), 1U);
  EXPECT_EQ(alarms_[0].kind, proto::AlarmKind::out_of_memory);
}

class PtyLinksTest : public LinksTest {
 protected:
  // A device that is plugged in, and its port.
  static std::pair<Peer, std::string> plug() {
    const int fd = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ::grantpt(fd);
    ::unlockpt(fd);
    return {Peer{fd}, ::ptsname(fd)};
  }
};

TEST_F(PtyLinksTest, ListenRecordsLinesAndWritesNotOneByte) {
  const auto [device, path] = plug();
  record("serial:" + path + "#listen");
  until([](const LinkSnapshot& link) { return link.state == LinkState::listening; });
  device.send(of("INFO  | 12:00:00 77 [Router] [heap 81234] hello\r\n"));
  const auto sample = next<recorder::SampleRow>();
  EXPECT_EQ(sample.value_bytes, 81'234);
  EXPECT_EQ(sample.source, recorder::Source::debug_heap);
  stop();
  EXPECT_FALSE(device.has_input());
}

TEST_F(PtyLinksTest, ALineWithoutAnEndComesOutAfterAPause) {
  const auto [device, path] = plug();
  record("serial:" + path + "#listen");
  until([](const LinkSnapshot& link) { return link.state == LinkState::listening; });
  device.send(of("INFO  | 12:00:00 77 [Router] no end"));
  EXPECT_EQ(next<recorder::LogRow>().text, "INFO  | 12:00:00 77 [Router] no end");
}

TEST_F(PtyLinksTest, AnUnknownPortIsLeftAloneAfterThreeHandshakesAndClosed) {
  const auto [device, path] = plug();
  record("serial:" + path);
  Bytes greetings = kWantConfig;
  for (int i = 0; i < 2; ++i) greetings.insert(greetings.end(), kWantConfig.begin(), kWantConfig.end());
  EXPECT_EQ(device.read(greetings.size()), greetings);
  const auto link = until([](const LinkSnapshot& each) { return each.state == LinkState::failed; });
  EXPECT_THAT(link.trouble, HasSubstr("left alone until it is replugged"));
  // Closed: its lock is free for others.
  const auto opened = open_serial(path, LinkMode::api);
  ASSERT_TRUE(opened) << opened.error().line();
  ::close(*opened);
}

}  // namespace
}  // namespace leakhunt::daemon
