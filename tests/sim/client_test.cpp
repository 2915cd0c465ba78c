// What the device answers its client: the limits of facts/device-facts.md, one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/chatter.h"
#include "tests/sim/bench.h"

namespace leakhunt::sim::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint32_t kMyInfo = 3;
constexpr std::uint32_t kNodeInfo = 4;
constexpr std::uint32_t kConfig = 5;
constexpr std::uint32_t kLogRecord = 6;
constexpr std::uint32_t kComplete = 7;
constexpr std::uint32_t kRebooted = 8;
constexpr std::uint32_t kModuleConfig = 9;
constexpr std::uint32_t kChannel = 10;
constexpr std::uint32_t kQueueStatus = 11;
constexpr std::uint32_t kMetadata = 13;

int answers(Bench& bench, std::uint32_t id) {
  int count = 0;
  for (const Telemetry& one : bench.telemetries()) count += one.request_id == id ? 1 : 0;
  return count;
}

TEST(Handshake, ComesInTheFirmwaresOrderAndEchoesTheNonce) {
  Bench bench{"steady"};
  bench.connect(4'242);
  const auto messages = bench.messages();
  const auto order = kinds(messages);
  EXPECT_EQ(order.front(), kMyInfo);
  EXPECT_EQ(value_of(messages.back(), kComplete), 4'242U);
  const auto place = [&](std::uint32_t kind) {
    return std::find(order.begin(), order.end(), kind) - order.begin();
  };
  EXPECT_LT(place(kNodeInfo), place(kMetadata));
  EXPECT_LT(place(kMetadata), place(kChannel));
  EXPECT_LT(place(kChannel), place(kConfig));
  EXPECT_LT(place(kConfig), place(kModuleConfig));
  EXPECT_EQ(std::count(order.begin(), order.end(), kNodeInfo), 4);
}

TEST(Handshake, TellsWhoItIs) {
  Bench bench{"steady", {.reboot_count = 7}};
  bench.connect();
  const auto messages = bench.messages();
  const std::string info = bytes_of(messages.front(), kMyInfo);
  EXPECT_EQ(value_of(info, 1), Bench::kNode);
  EXPECT_EQ(value_of(info, 8), 8U);  // this boot counts
  EXPECT_EQ(bytes_of(info, 13), "heltec-v3");
}

TEST(Handshake, ConfigOnlyLeavesOutOtherNodes) {
  Bench bench{"steady"};
  bench.connect(69'420);
  const auto order = kinds(bench.messages());
  EXPECT_EQ(std::count(order.begin(), order.end(), kNodeInfo), 1);
  EXPECT_THAT(order, Contains(kChannel));
}

TEST(Handshake, NodesOnlyLeavesOutTheConfig) {
  Bench bench{"steady"};
  bench.connect(69'421);
  EXPECT_THAT(kinds(bench.messages()), ElementsAre(kNodeInfo, kNodeInfo, kNodeInfo, kNodeInfo, kComplete));
}

TEST(Handshake, CarriesSecretsToLookFor) {
  Bench bench{"steady", {.security = {.private_key = std::string{kPrivateKey}}}};
  bench.connect();
  EXPECT_THAT(bench.spy.text, HasSubstr(std::string{kChannelKey}));
  EXPECT_THAT(bench.spy.text, HasSubstr(std::string{kPrivateKey}));
  EXPECT_THAT(bench.spy.text, HasSubstr(std::string{kWifiPassphrase}));
}

TEST(Client, ABareConnectSaysNothing) {
  Bench bench{"steady"};
  bench.device.opened(bench.spy, bench.now);
  bench.run(200);
  EXPECT_EQ(bench.spy.text, "");
}

TEST(Client, AHeartbeatIsAnsweredEvenBeforeTheHandshake) {
  Bench bench{"steady"};
  bench.device.opened(bench.spy, bench.now);
  bench.say(heartbeat());
  bench.run(0.2);
  EXPECT_THAT(kinds(bench.messages()), ElementsAre(kQueueStatus));
}

TEST(Client, StatsAreAnsweredByTheOwnNodeWithTheRequestsId) {
  Bench bench{"steady"};
  bench.connect();
  bench.messages();
  bench.say(ask_stats(Bench::kNode, 77));
  EXPECT_THAT(kinds(bench.messages()), ElementsAre(kQueueStatus));
  bench.run(0.2);
  const auto messages = bench.messages();
  ASSERT_THAT(kinds(messages), ElementsAre(2, kQueueStatus));
  const auto answer = telemetry(messages[0]);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->from, Bench::kNode);
  EXPECT_EQ(answer->request_id, 77U);
  EXPECT_EQ(answer->variant, 6U);
  EXPECT_EQ(value_of(answer->body, 12), 294'912U);
  EXPECT_GT(value_of(answer->body, 13), 170'000U);
}

TEST(Client, AnIdSeenBeforeIsIgnored) {
  Bench bench{"steady"};
  bench.connect();
  bench.say(ask_stats(Bench::kNode, 77));
  bench.run(20);
  EXPECT_EQ(answers(bench, 77), 1);
  bench.say(ask_stats(Bench::kNode, 77));
  bench.run(20);
  EXPECT_EQ(answers(bench, 77), 0);
}

TEST(Client, AskedEveryFiveSecondsEverySecondRequestStaysUnanswered) {
  Bench bench{"steady"};
  bench.connect();
  std::vector<int> counts;
  for (std::uint32_t id = 1; id <= 6; ++id) {
    bench.say(ask_stats(Bench::kNode, id));
    bench.run(5);
    counts.push_back(answers(bench, id));
  }
  EXPECT_THAT(counts, ElementsAre(1, 0, 1, 0, 1, 0));
}

TEST(Client, AskedEveryTenSecondsAllAreAnswered) {
  Bench bench{"steady"};
  bench.connect();
  for (std::uint32_t id = 1; id <= 6; ++id) {
    bench.say(ask_stats(Bench::kNode, id));
    bench.run(10);
    EXPECT_EQ(answers(bench, id), 1);
  }
}

TEST(Client, AnAskedForUptimeIsRefreshedOnceAMinute) {
  Bench bench{"steady"};
  bench.connect();
  std::vector<std::uint64_t> uptimes;
  for (std::uint32_t id = 1; id <= 9; ++id) {
    bench.say(ask_stats(Bench::kNode, id));
    bench.run(20);
    for (const Telemetry& one : bench.telemetries())
      if (one.request_id == id) uptimes.push_back(value_of(one.body, 1));
  }
  EXPECT_THAT(uptimes, ElementsAre(0, 0, 0, 0, 75, 75, 75, 135, 135));
}

TEST(Client, ExhaustedHeapIsZeroAndThereforeNotSent) {
  Bench bench{"steady", {}, {.heap_free_bytes = -1'000}};
  bench.connect();
  bench.say(ask_stats(Bench::kNode, 9));
  bench.run(1);
  const auto all = bench.telemetries();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(find(all[0].body, 12));
  EXPECT_FALSE(find(all[0].body, 13));
}

TEST(Client, AStockDeviceHasNoHeapFields) {
  Bench bench{"steady", {.reports_heap = false}};
  bench.connect();
  bench.run(80);
  int stats = 0;
  for (const Telemetry& one : bench.telemetries()) {
    if (one.variant != 6) continue;
    ++stats;
    EXPECT_FALSE(find(one.body, 12));
  }
  EXPECT_EQ(stats, 1);
}

TEST(Client, TheFirstPairWithoutAClientIsDeliveredStaleAfterTheHandshake) {
  Bench bench{"steady"};
  bench.run(240);
  bench.connect();
  const auto messages = bench.messages();
  const auto order = kinds(messages);
  const auto complete = std::find(order.begin(), order.end(), kComplete) - order.begin();
  std::vector<std::pair<std::uint32_t, std::uint64_t>> pair;
  for (std::size_t i = static_cast<std::size_t>(complete); i < messages.size(); ++i)
    if (const auto found = telemetry(messages[i]); found && found->from == Bench::kNode)
      pair.emplace_back(found->variant, value_of(found->body, found->variant == 2 ? 5 : 1));
  EXPECT_THAT(pair, ElementsAre(std::pair(2U, 75U), std::pair(6U, 75U)));
}

TEST(Client, ASilentOneIsDroppedAfterFifteenMinutes) {
  Bench bench{"steady"};
  bench.connect();
  bench.run(890);
  EXPECT_EQ(bench.spy.hang_ups, 0);
  bench.run(20);
  EXPECT_EQ(bench.spy.hang_ups, 1);
}

TEST(Client, OneThatTalksIsKept) {
  Bench bench{"steady"};
  bench.connect();
  for (int i = 0; i < 5; ++i) {
    bench.run(600);
    bench.say(heartbeat());
  }
  EXPECT_EQ(bench.spy.hang_ups, 0);
}

TEST(Client, SayingGoodbyeEndsTheConnection) {
  Bench bench{"steady"};
  bench.connect();
  bench.say(disconnect());
  bench.run(0.2);
  EXPECT_EQ(bench.spy.hang_ups, 1);
}

TEST(Client, SecurityIsReadAndChangedWhole) {
  Bench bench{"steady", {.security = {.private_key = std::string{kPrivateKey}}}};
  bench.connect();
  bench.say(admin(Bench::kNode, 5, number(5, 7)));
  bench.run(0.2);
  EXPECT_THAT(bench.spy.text, HasSubstr(std::string{kSessionKey}));
  // One field alone clears the others, the private key and serial_enabled among them.
  bench.say(admin(Bench::kNode, 6, delimited(34, delimited(8, number(6, 1)))));
  bench.run(6.9);
  EXPECT_EQ(bench.spy.restarts, 0);
  bench.run(0.2);
  EXPECT_EQ(bench.spy.restarts, 1);
  bench.messages();
  bench.connect();
  EXPECT_THAT(bench.spy.text, Not(HasSubstr(std::string{kPrivateKey})));
  for (const std::string& message : bench.messages()) {
    const auto security = find(bytes_of(message, kConfig), 8);
    if (!security) continue;
    EXPECT_EQ(value_of(security->bytes, 6), 1U);
    EXPECT_EQ(value_of(security->bytes, 5), 0U);
  }
}

TEST(Client, AnEditRebootsOnlyWhenCommitted) {
  Bench bench{"steady"};
  bench.connect();
  bench.say(admin(Bench::kNode, 1, number(64, 1)));
  bench.say(admin(Bench::kNode, 2, delimited(34, delimited(8, number(6, 1)))));
  bench.run(30);
  EXPECT_EQ(bench.spy.restarts, 0);
  bench.say(admin(Bench::kNode, 3, number(65, 1)));
  bench.run(7.1);
  EXPECT_EQ(bench.spy.restarts, 1);
}

TEST(Client, OverTcpNoRebootedIsSent) {
  Bench bench{"steady"};
  bench.connect();
  bench.device.reboot(Restart::planned, bench.now);
  bench.run(1);
  bench.connect();
  EXPECT_THAT(kinds(bench.messages()), Not(Contains(kRebooted)));
}

TEST(Client, OverTcpThereAreNoLogRecords) {
  Bench bench{"nak-storm"};
  bench.connect();
  bench.run(300);
  EXPECT_THAT(kinds(bench.messages()), Not(Contains(kLogRecord)));
}

TEST(Client, APacketForAnotherNodeIsCounted) {
  Bench bench{"steady"};
  bench.connect();
  bench.say(ask_stats(Bench::kNode, 1));
  EXPECT_EQ(bench.device.counters().to_others, 0U);
  bench.say(ask_stats(0xFFFFFFFF, 2));
  bench.say(ask_stats(0x1F2E3D4C, 3));
  EXPECT_EQ(bench.device.counters().to_others, 2U);
}

TEST(Client, OtherNodesTravelOnTheSameStream) {
  Bench bench{"steady"};
  bench.connect();
  bench.run(600);
  const std::string all = bench.spy.text;
  bool others_heap = false;
  for (const Telemetry& one : bench.telemetries())
    others_heap =
        others_heap || (one.from != Bench::kNode && one.variant == 6 && value_of(one.body, 13) < 30'000);
  EXPECT_TRUE(others_heap);
  EXPECT_THAT(all, HasSubstr(std::string{kPrivateText}));
}

}  // namespace
}  // namespace leakhunt::sim::test
