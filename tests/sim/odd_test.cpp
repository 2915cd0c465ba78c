// What an odd device does otherwise, byte for byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/bench.h"

namespace leakhunt::sim::test {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::uint32_t kNodeInfo = 4;
constexpr std::uint32_t kConfig = 5;
constexpr std::uint32_t kLogRecord = 6;
constexpr std::uint32_t kComplete = 7;
constexpr std::uint32_t kSetConfig = 34;
constexpr std::uint32_t kSecurity = 8;
constexpr std::uint32_t kAskForConfig = 5;
constexpr std::uint32_t kSecuritySection = 7;

// Which of `asked` requests, one each 60 s, are answered within their minute.
std::vector<int> answered(Oddities odd, std::uint32_t asked) {
  Bench bench{"steady", {.odd = odd}};
  bench.connect();
  std::vector<int> counts;
  for (std::uint32_t id = 1; id <= asked; ++id) {
    bench.say(ask_stats(Bench::kNode, id));
    bench.run(60);
    counts.push_back(answers_to(bench.telemetries(), id));
  }
  return counts;
}

TEST(OddAnswers, None) {
  EXPECT_THAT(answered({.answers = Answers::none}, 4), ElementsAre(0, 0, 0, 0));
}

TEST(OddAnswers, EverySecondOne) {
  EXPECT_THAT(answered({.answers = Answers::every_second}, 5), ElementsAre(1, 0, 1, 0, 1));
}

TEST(OddAnswers, LateWithTheHeapOfThatMoment) {
  Bench bench{"steady", {.odd = {.answer_after_s = 30}}};
  bench.connect();
  bench.say(ask_stats(Bench::kNode, 1));
  bench.run(29.9);
  EXPECT_EQ(answers_to(bench.telemetries(), 1), 0);
  bench.device.set_free(50'000, bench.now);
  bench.run(0.2);
  const auto late = bench.telemetries();
  ASSERT_EQ(answers_to(late, 1), 1);
  EXPECT_NEAR(static_cast<double>(value_of(late.at(0).body, 13)), 50'000, 200);
}

TEST(OddAnswers, ALateOneIsLostWithItsClient) {
  Bench bench{"steady", {.odd = {.answer_after_s = 30}}};
  bench.connect();
  bench.say(ask_stats(Bench::kNode, 1));
  bench.run(10);
  bench.connect();
  bench.run(40);
  EXPECT_EQ(answers_to(bench.telemetries(), 1), 0);
}

TEST(ManyNodes, AreAllToldWhateverTheNonceEachOnce) {
  for (const std::uint32_t nonce : {69'420U, 69'421U, 5U}) {
    Bench bench{"steady", {.odd = {.nodes = 250}}};
    bench.connect(nonce);
    std::set<std::uint64_t> nodes;
    int infos = 0;
    for (const std::string& message : bench.messages()) {
      if (!find(message, kNodeInfo)) continue;
      ++infos;
      nodes.insert(value_of(bytes_of(message, kNodeInfo), 1));
    }
    EXPECT_EQ(infos, 251) << nonce;  // its own among them
    EXPECT_EQ(nodes.size(), 251U);
  }
}

TEST(ManyNodes, AreToldAgainUnasked) {
  Bench bench{"steady", {.odd = {.nodes = 250}}};
  bench.device.send_nodes(bench.now);
  EXPECT_EQ(bench.spy.text, "");
  bench.connect();
  bench.messages();
  bench.device.send_nodes(bench.now);
  const auto order = kinds(bench.messages());
  EXPECT_EQ(order.size(), 250U);
  EXPECT_THAT(order, Each(kNodeInfo));
}

TEST(EndlessHandshake, GoesOnWithNodeInfosAndNeverEnds) {
  Bench bench{"steady", {.odd = {.endless_handshake = true}}};
  bench.connect();
  EXPECT_THAT(kinds(bench.messages()), Not(Contains(kComplete)));
  bench.run(300);
  const auto order = kinds(bench.messages());
  EXPECT_EQ(order.size(), 300U);
  EXPECT_THAT(order, Each(kNodeInfo));
}

TEST(EndlessHandshake, IsOneHandshakeHoweverOftenItIsBegun) {
  Bench bench{"steady", {.odd = {.endless_handshake = true}}};
  bench.connect();
  bench.run(10);
  bench.say(want_config(2));
  bench.messages();
  bench.run(60);
  EXPECT_EQ(bench.messages().size(), 60U);
}

TEST(EndlessHandshake, TellsItsLogOnASerialLine) {
  ConsoleBench bench{"leak", {.odd = {.endless_handshake = true}, .debug_heap = true}};
  bench.say(want_config(1));
  bench.run(60);
  EXPECT_THAT(kinds(bench.messages()), Contains(kLogRecord));
}

TEST(ResetsWhenOpened, StartsAnewWithRomLinesAndHearsNothingMeanwhile) {
  ConsoleBench bench{"steady", {.odd = {.resets_when_opened = true}, .uptime_s = 5'000}};
  bench.device.opened(bench.spy, bench.now);
  EXPECT_EQ(bench.spy.restarts, 1);
  EXPECT_LT(bench.device.uptime_s(bench.now), 0.1);
  EXPECT_THAT(bench.spy.text, HasSubstr("rst:0x1 (POWERON_RESET)"));
  bench.spy.text.clear();
  bench.run(0.5);
  bench.say(want_config(1));
  EXPECT_EQ(bench.spy.text, "");
  bench.run(1);
  bench.say(want_config(1));
  EXPECT_THAT(kinds(bench.messages()), Contains(kComplete));
  bench.device.opened(bench.spy, bench.now);
  EXPECT_EQ(bench.device.counters().boots, 3U);
}

TEST(ResetsWhenOpened, NotByATcpClient) {
  TwoPorts board{{.odd = {.resets_when_opened = true}}};
  board.connect();
  EXPECT_EQ(board.device.counters().boots, 1U);
}

// The security section, as the handshake and as the answer to a question tell it.
std::vector<std::string> told_security(Bench& bench, std::uint32_t id) {
  std::vector<std::string> told;
  bench.connect();
  bench.say(admin(Bench::kNode, id, number(kAskForConfig, kSecuritySection)));
  bench.run(0.2);
  for (const std::string& message : bench.messages()) {
    if (const auto section = find(bytes_of(message, kConfig), kSecurity)) told.push_back(section->bytes);
    const std::string data = bytes_of(bytes_of(message, 2), 4);
    if (value_of(data, 1) != 6) continue;
    told.push_back(bytes_of(bytes_of(bytes_of(data, 2), 6), kSecurity));
  }
  return told;
}

const Security kKeys{.public_key = "SIM-PUBLIC", .private_key = std::string{kPrivateKey}};

TEST(OddSecurity, AManagedDeviceSaysSo) {
  Security managed = kKeys;
  managed.is_managed = true;
  Bench bench{"steady", {.security = managed}};
  const auto told = told_security(bench, 1);
  ASSERT_EQ(told.size(), 2U);
  for (const std::string& section : told) EXPECT_EQ(value_of(section, 4), 1U);
}

TEST(OddSecurity, AHiddenPrivateKeyIsEmptyBesideThePublicOne) {
  Bench bench{"steady", {.security = kKeys, .odd = {.hides_private_key = true}}};
  const auto told = told_security(bench, 1);
  ASSERT_EQ(told.size(), 2U);
  for (const std::string& section : told) {
    EXPECT_EQ(bytes_of(section, 1), "SIM-PUBLIC");
    EXPECT_FALSE(find(section, 2));
  }
  EXPECT_EQ(bench.device.security().private_key, kPrivateKey);
}

// The payload of the answer to a question for the security config.
std::string security_answer(Oddities odd) {
  Bench bench{"steady", {.security = kKeys, .odd = odd}};
  bench.connect();
  bench.messages();
  bench.say(admin(Bench::kNode, 3, number(kAskForConfig, kSecuritySection)));
  bench.run(0.2);
  for (const std::string& message : bench.messages())
    if (const std::string data = bytes_of(bytes_of(message, 2), 4); value_of(data, 1) == 6)
      return bytes_of(data, 2);
  return "no answer";
}

TEST(OddSecurity, ACutAnswerEndsWhereItWasCut) {
  const std::string whole = security_answer({});
  EXPECT_THAT(whole, HasSubstr(std::string{kPrivateKey}));
  EXPECT_EQ(security_answer({.security_answer_bytes = 30}), whole.substr(0, 30));
  EXPECT_EQ(security_answer({.security_answer_bytes = 233}), whole);
}

TEST(OddSecurity, WhoIgnoresAChangeConfirmsItAndGoesOn) {
  Bench bench{"steady", {.security = kKeys, .odd = {.ignores_set_config = true}}};
  bench.connect();
  bench.messages();
  bench.say(admin(Bench::kNode, 6, delimited(kSetConfig, delimited(kSecurity, number(6, 1)))));
  bench.run(0.2);
  EXPECT_THAT(kinds(bench.messages()), ElementsAre(11, 2));
  bench.run(60);
  EXPECT_EQ(bench.spy.restarts, 0);
  EXPECT_EQ(bench.device.security().private_key, kPrivateKey);
}

TEST(OddSecurity, UnknownFieldsAreToldAndSurviveIfTheyAreSentBack) {
  Security newer = kKeys;
  newer.unknown_fields = kUnknownFields;
  Bench bench{"steady", {.security = newer}};
  const auto told = told_security(bench, 1);
  ASSERT_EQ(told.size(), 2U);
  for (const std::string& section : told) {
    EXPECT_EQ(value_of(section, 60), 7U);
    EXPECT_EQ(bytes_of(section, 61), "SIM-UNKNOWN-FIELD");
  }
  // The switch is set in what was read, the rest goes back as it came.
  const std::string changed = told[1] + number(6, 0);
  bench.say(admin(Bench::kNode, 2, delimited(kSetConfig, delimited(kSecurity, changed))));
  EXPECT_FALSE(bench.device.security().debug_log_api_enabled);
  EXPECT_EQ(bench.device.security().private_key, kPrivateKey);
  EXPECT_EQ(bench.device.security().unknown_fields, kUnknownFields);
  // Whoever sends back only what it knows loses them.
  bench.run(10);
  bench.connect();
  bench.say(admin(Bench::kNode, 3, delimited(kSetConfig, delimited(kSecurity, delimited(1, "SIM-PUBLIC")))));
  EXPECT_THAT(bench.device.security().unknown_fields, IsEmpty());
}

TEST(OddTime, TheClockBecomesRealWhenToldAndIsUnknownAgainAfterARestart) {
  ConsoleBench bench{"steady", {.colour = false, .clock_set_s = 1'000}};
  bench.run(900);
  EXPECT_THAT(bench.spy.text, Not(HasSubstr("DEBUG | 1")));
  bench.spy.text.clear();
  bench.device.set_clock(bench.now);
  bench.run(20);
  EXPECT_THAT(bench.spy.text, Not(HasSubstr("??:??:??")));
  EXPECT_THAT(bench.spy.text, testing::ContainsRegex("\\| [0-2][0-9]:[0-5][0-9]:[0-5][0-9] 9"));
  bench.device.reboot(Restart::planned, bench.now);
  bench.spy.text.clear();
  bench.run(20);
  EXPECT_THAT(bench.spy.text, HasSubstr("??:??:??"));
}

TEST(OddTime, AStalePairMayBeDaysOld) {
  constexpr double kDay_s = 86'400;
  Bench bench{"steady", {.uptime_s = 5 * kDay_s, .stale_pair_s = 3 * kDay_s, .packet_every_s = kDay_s}};
  bench.run(7'200);  // nothing newer takes its place
  bench.connect();
  std::vector<std::pair<std::uint32_t, std::uint64_t>> pair;
  for (const Telemetry& one : bench.telemetries())
    if (one.from == Bench::kNode)
      pair.emplace_back(one.variant, value_of(one.body, one.variant == 2 ? 5 : 1));
  EXPECT_THAT(pair, ElementsAre(std::pair(2U, 172'800U), std::pair(6U, 172'800U)));
}

TEST(SaturatedLine, ConsoleWaitsUntilTheLineTakesMore) {
  ConsoleBench bench{"steady", {.colour = false, .line_every_s = 0.001}};
  bench.spy.waiting = 10'000;
  bench.spy.text.clear();
  bench.run(4);
  EXPECT_EQ(bench.spy.text, "");
  bench.spy.waiting = 0;
  bench.run(1);
  EXPECT_GT(bench.spy.text.size(), 11'520U);
}

}  // namespace
}  // namespace leakhunt::sim::test
