// What is sent, byte by byte, and when: handshake, heartbeat, polling, silence, boots, listening.
#include "daemon/conversation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

namespace leakhunt::daemon {
namespace {

constexpr Duration kSecond{1'000'000};
constexpr Mono kStart{5'000'000'000};
constexpr std::uint32_t kNode = 0x42524331;

// Every byte sequence the daemon may send; in a request the id (bytes marked) varies.
const proto::Bytes kWantConfig{0x94, 0xC3, 0x00, 0x04, 0x18, 0xAC, 0x9E, 0x04};
const proto::Bytes kHeartbeat{0x94, 0xC3, 0x00, 0x02, 0x3A, 0x00};
proto::Bytes request(std::uint32_t node, std::uint32_t id) {
  const auto le = [](proto::Bytes& out, std::uint32_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
  };
  // MeshPacket{to=2, decoded=4{portnum=67, payload="\x32\x00", want_response}, id=6}
  proto::Bytes packet{0x15};
  le(packet, node);
  const proto::Bytes decoded{0x22, 0x08, 0x08, 0x43, 0x12, 0x02, 0x32, 0x00, 0x18, 0x01};
  packet.insert(packet.end(), decoded.begin(), decoded.end());
  packet.push_back(0x35);
  le(packet, id);
  const auto size = static_cast<std::uint8_t>(packet.size());
  proto::Bytes frame(6 + packet.size());
  const std::array<std::uint8_t, 6> head{0x94, 0xC3, 0x00, static_cast<std::uint8_t>(size + 2), 0x0A, size};
  std::copy(packet.begin(), packet.end(), std::copy(head.begin(), head.end(), frame.begin()));
  return frame;
}

class Talk {
 public:
  explicit Talk(LinkMode mode = LinkMode::api, Carrier carrier = Carrier::tcp,
                std::optional<Duration> poll = kDefaultPollOfTest)
      : conversation(mode, carrier, poll, Patience{}, [this] { return next_id++; }) {}

  static constexpr Duration kDefaultPollOfTest{60'000'000};

  void open(bool known = false) { note(conversation.opened(now, known)); }
  // Lets time pass to `until`, doing everything when it is due.
  void pass(Duration d) {
    const Mono until = now + d;
    while (conversation.next() && *conversation.next() <= until && !closed) {
      now = std::max(now, *conversation.next());
      note(conversation.due(now));
    }
    now = until;
  }
  void hear(const proto::Record& record) {
    conversation.heard(record, now);
    note(conversation.due(now));
  }
  void handshake() {
    proto::MyInfo info;
    info.node = kNode;
    hear(info);
    hear(proto::ConfigComplete{proto::config_nonce});
  }
  void answer_last() {
    proto::Telemetry telemetry;
    telemetry.from = kNode;
    telemetry.request_id = next_id - 1;
    telemetry.variant = proto::Variant::local;
    hear(telemetry);
  }
  [[nodiscard]] std::size_t count(const proto::Bytes& bytes) const {
    return static_cast<std::size_t>(std::count(sent.begin(), sent.end(), bytes));
  }

  std::uint32_t next_id = 0x1000;
  Conversation conversation;
  Mono now = kStart;
  std::vector<proto::Bytes> sent;
  std::optional<Conversation::Close> closed;

 private:
  void note(const std::vector<Conversation::Action>& actions) {
    for (const auto& action : actions) {
      if (const auto* close = std::get_if<Conversation::Close>(&action)) {
        closed = *close;
      } else {
        sent.push_back(Conversation::bytes_of(action));
      }
    }
  }
};

TEST(Conversation, ApiSendsExactlyTheseBytes) {
  Talk talk;
  talk.open();
  EXPECT_EQ(talk.sent, std::vector<proto::Bytes>{kWantConfig});
  talk.handshake();
  talk.pass(kSecond);
  ASSERT_EQ(talk.sent.size(), 2U);
  EXPECT_EQ(talk.sent[1], request(kNode, 0x1000));
  talk.answer_last();
  talk.pass(59 * kSecond);
  EXPECT_EQ(talk.sent.back(), request(kNode, 0x1001));
}

TEST(Conversation, ADayOfApiHoldsNothingButGreetingHeartbeatAndRequestsToTheOwnNode) {
  Talk talk;
  talk.open();
  talk.handshake();
  for (int minute = 0; minute < 24 * 60; ++minute) {
    talk.pass(60 * kSecond);
    talk.hear(proto::QueueStatus{});
    if (minute % 3 != 0) talk.answer_last();
  }
  std::set<proto::Bytes> allowed;
  allowed.insert(kWantConfig);
  allowed.insert(kHeartbeat);
  for (std::uint32_t id = 0x1000; id < talk.next_id; ++id) allowed.insert(request(kNode, id));
  for (const auto& bytes : talk.sent) EXPECT_TRUE(allowed.contains(bytes));
  EXPECT_EQ(talk.count(kWantConfig), 1U);
  EXPECT_FALSE(talk.closed);
}

TEST(Conversation, ListenSendsNotOneByteWhateverComes) {
  Talk talk{LinkMode::listen, Carrier::serial};
  talk.open();
  talk.handshake();
  talk.hear(proto::Rebooted{});
  proto::LogLine banner;
  banner.boot = proto::Boot{};
  talk.conversation.heard(banner, talk.now);
  talk.pass(24 * 3600 * kSecond);
  EXPECT_TRUE(talk.sent.empty());
  EXPECT_FALSE(talk.closed);
  EXPECT_EQ(talk.conversation.sends(), "nothing");
}

TEST(Conversation, PollOffLeavesTheHeartbeat) {
  Talk talk{LinkMode::api, Carrier::tcp, std::nullopt};
  talk.open();
  talk.handshake();
  talk.pass(90 * kSecond);
  EXPECT_EQ(talk.sent, (std::vector{kWantConfig, kHeartbeat}));
}

TEST(Conversation, HeartbeatEach60sInSilenceAndEach300sOtherwise) {
  Talk talk{LinkMode::api, Carrier::tcp, std::nullopt};
  talk.open();
  talk.handshake();
  talk.pass(60 * kSecond);
  EXPECT_EQ(talk.count(kHeartbeat), 1U);
  for (int i = 0; i < 120; ++i) {
    talk.hear(proto::QueueStatus{});
    talk.pass(30 * kSecond);
  }
  EXPECT_EQ(talk.count(kHeartbeat), 1U + 12U);
}

TEST(Conversation, AnUnansweredHeartbeatEndsATcpLink) {
  Talk talk{LinkMode::api, Carrier::tcp, std::nullopt};
  talk.open();
  talk.handshake();
  talk.pass(119 * kSecond);
  EXPECT_FALSE(talk.closed);
  talk.pass(2 * kSecond);
  ASSERT_TRUE(talk.closed);
  EXPECT_FALSE(talk.closed->not_meshtastic);
}

TEST(Conversation, PatienceBelowTheHeartbeatPaceStillEnds) {
  Patience patience;
  patience.silence = 600 * kSecond;
  Conversation conversation{LinkMode::api, Carrier::tcp, std::nullopt, patience, [] { return 1U; }};
  static_cast<void>(conversation.opened(kStart, false));
  conversation.heard(proto::ConfigComplete{proto::config_nonce}, kStart);
  bool closed = false;
  Mono now = kStart;
  for (int i = 0; i < 30 && !closed; ++i) {
    now = *conversation.next();
    for (const auto& action : conversation.due(now))
      closed = std::holds_alternative<Conversation::Close>(action);
  }
  EXPECT_TRUE(closed);
  EXPECT_EQ(now - kStart, 660 * kSecond);
}

TEST(Conversation, ASilentSerialPortIsGreetedAgainAndNeverClosedWhileKnown) {
  Talk talk{LinkMode::api, Carrier::serial, std::nullopt};
  talk.open();
  talk.handshake();
  talk.pass(3600 * kSecond);
  EXPECT_FALSE(talk.closed);
  EXPECT_EQ(talk.conversation.phase(), Conversation::Phase::dormant);
  const auto greetings = talk.count(kWantConfig);
  talk.hear(proto::QueueStatus{});
  EXPECT_EQ(talk.count(kWantConfig), greetings + 1);
  talk.handshake();
  EXPECT_EQ(talk.conversation.phase(), Conversation::Phase::live);
}

TEST(Conversation, ThreeUnansweredHandshakesAndAnUnknownPortIsLeftAlone) {
  Talk talk{LinkMode::api, Carrier::serial};
  talk.open();
  talk.pass(59 * kSecond);
  EXPECT_FALSE(talk.closed);
  EXPECT_EQ(talk.conversation.trouble(), "2 of 3 handshakes not answered yet");
  talk.pass(2 * kSecond);
  ASSERT_TRUE(talk.closed);
  EXPECT_TRUE(talk.closed->not_meshtastic);
  EXPECT_EQ(talk.count(kWantConfig), 3U);
}

TEST(Conversation, AHandshakeThatNeverEndsIsToldAndNeverClosed) {
  Talk talk;
  talk.open();
  for (int i = 0; i < 600; ++i) {
    talk.hear(proto::NodeIdentity{});
    talk.pass(kSecond);
  }
  EXPECT_FALSE(talk.closed);
  EXPECT_EQ(talk.conversation.phase(), Conversation::Phase::handshake);
  EXPECT_NE(talk.conversation.trouble().find("has not finished its configuration"), std::string::npos);
}

TEST(Conversation, AHandshakeThatNeverEndsIsBegunAnewEverMoreSeldom) {
  Talk talk;
  talk.open();
  std::vector<std::int64_t> begun_min;
  for (int minute = 1; minute <= 90; ++minute) {
    const std::size_t before = talk.sent.size();
    talk.hear(proto::NodeIdentity{});
    talk.pass(60 * kSecond);
    if (talk.sent.size() > before) begun_min.push_back(minute);
  }
  EXPECT_EQ(begun_min, (std::vector<std::int64_t>{1, 3, 7, 15, 30, 45, 60, 75, 90}));
}

TEST(Conversation, GentleNeverAsksAndBeatsEachFiveMinutes) {
  Talk talk{LinkMode::gentle};
  talk.open();
  talk.handshake();
  for (int i = 0; i < 60; ++i) {
    talk.pass(60 * kSecond);
    talk.hear(proto::QueueStatus{});
  }
  std::vector<proto::Bytes> all{kWantConfig};
  all.insert(all.end(), 12, kHeartbeat);
  EXPECT_EQ(talk.sent, all);
  EXPECT_EQ(talk.conversation.poll().words(), "off");
}

proto::LogLine heap_line() {
  proto::LogLine line;
  line.has_heap_prefix = true;
  return line;
}

TEST(Conversation, AutoListensForTwentySecondsAndThenGreets) {
  Talk talk{LinkMode::automatic, Carrier::serial};
  talk.open();
  talk.conversation.heard(proto::LogLine{}, talk.now);
  talk.pass(19 * kSecond);
  EXPECT_TRUE(talk.sent.empty());
  talk.pass(kSecond);
  EXPECT_EQ(talk.sent, std::vector<proto::Bytes>{kWantConfig});
  talk.handshake();
  EXPECT_EQ(talk.conversation.phase(), Conversation::Phase::live);
}

TEST(Conversation, AutoGreetsOnceAHeapPrefixCame) {
  Talk talk{LinkMode::automatic, Carrier::serial};
  talk.open();
  talk.pass(5 * kSecond);
  EXPECT_TRUE(talk.sent.empty());
  talk.conversation.heard(heap_line(), talk.now);
  talk.pass(Duration{0});
  EXPECT_EQ(talk.sent, std::vector<proto::Bytes>{kWantConfig});
}

TEST(Conversation, AutoListensAgainAfterEachBoot) {
  Talk talk{LinkMode::automatic, Carrier::serial};
  talk.open();
  talk.pass(20 * kSecond);
  talk.handshake();
  talk.sent.clear();
  talk.hear(proto::Rebooted{});
  talk.pass(19 * kSecond);
  EXPECT_TRUE(talk.sent.empty());
  talk.pass(kSecond);
  EXPECT_EQ(talk.sent, std::vector<proto::Bytes>{kWantConfig});
}

TEST(Conversation, TheEndOfAnotherClientsHandshakeIsNotOurs) {
  Talk talk;
  talk.open();
  talk.hear(proto::ConfigComplete{1234});
  EXPECT_EQ(talk.conversation.phase(), Conversation::Phase::handshake);
  talk.handshake();
  EXPECT_EQ(talk.conversation.phase(), Conversation::Phase::live);
}

TEST(Conversation, ABootOnAnOpenPortIsGreetedOnceItSettled) {
  Talk talk{LinkMode::api, Carrier::serial};
  talk.open();
  talk.handshake();
  talk.pass(10 * kSecond);
  talk.hear(proto::Rebooted{});
  talk.pass(kSecond);
  proto::LogLine banner;
  banner.boot = proto::Boot{};
  talk.conversation.heard(banner, talk.now);
  talk.pass(Duration{1'900'000});
  EXPECT_EQ(talk.count(kWantConfig), 1U);
  talk.pass(kSecond);
  EXPECT_EQ(talk.count(kWantConfig), 2U);
}

TEST(Conversation, ABoardThatBootsWhenOpenedIsGreetedOnce) {
  Talk talk{LinkMode::api, Carrier::serial};
  talk.open();
  proto::LogLine banner;
  banner.boot = proto::Boot{};
  talk.conversation.heard(banner, talk.now);
  talk.pass(kSecond);
  talk.handshake();
  talk.pass(50 * kSecond);
  EXPECT_EQ(talk.count(kWantConfig), 1U);
}

TEST(Conversation, GarbageIsNoSignOfLife) {
  Talk talk{LinkMode::api, Carrier::serial};
  talk.open();
  for (int i = 0; i < 70 && !talk.closed; ++i) {
    talk.hear(proto::Malformed{"x"});
    talk.pass(kSecond);
  }
  ASSERT_TRUE(talk.closed);
  EXPECT_TRUE(talk.closed->not_meshtastic);
}

TEST(Conversation, VirtualTimeNeverMakesPatienceShorterThanARealSecond) {
  const ScaledClock fast{600, Mono{0}};
  EXPECT_NEAR(static_cast<double>(fast.real(Patience::under(fast).silence).count()), 1e9, 1e4);
  EXPECT_EQ(Patience::under(SystemClock{}).silence, 60 * kSecond);
}

}  // namespace
}  // namespace leakhunt::daemon
