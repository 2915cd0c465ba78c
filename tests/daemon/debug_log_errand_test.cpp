// Switching the API log against a device of the test's own making: every answer, silence and refusal, and
// every byte that is sent.
#include "daemon/debug_log_errand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/debug_log_run.h"

namespace leakhunt::daemon {
namespace {

using proto::testing::bytes;
using proto::testing::fixed32;
using proto::testing::number;
using proto::testing::part;
using proto::testing::text;
using ::testing::HasSubstr;
using proto::testing::operator+;
using testing::Bytes;
using testing::ErrandRun;

constexpr Duration kSecond{1'000'000};
constexpr std::uint32_t kNode = 0x42524331;
constexpr std::string_view kPrivate = "ERRAND-TEST-PRIVATE-0123456789ab";
constexpr std::string_view kPublic = "ERRAND-TEST-PUBLIC-0123456789abc";

// A configuration with a field that no schema of ours knows.
Bytes security(bool on) {
  return text(1, kPublic) + text(2, kPrivate) + number(5, 1) + (on ? number(6, 1) : Bytes{}) + number(9, 2) +
         text(61, "unknown");
}

Bytes own_packet(std::uint32_t port, const Bytes& payload, std::uint32_t id, std::uint32_t from = kNode) {
  return part(2, fixed32(1, from) + fixed32(2, kNode) +
                     part(4, number(1, port) + part(2, payload) + fixed32(6, id)) + fixed32(6, 99));
}
Bytes answer(const Bytes& config, std::uint32_t id, std::uint32_t from = kNode) {
  return own_packet(6, part(6, part(8, config)) + text(101, "PASSKEY!"), id, from);
}
Bytes routing(std::uint32_t error, std::uint32_t id) {
  return own_packet(5, number(3, error), id);
}

Bytes frame_to_own_node(const Bytes& admin, std::uint32_t id) {
  const Bytes packet =
      part(1, fixed32(2, kNode) + part(4, number(1, 6) + part(2, admin) + number(3, 1)) + fixed32(6, id));
  return Bytes{0x94, 0xC3, 0, static_cast<std::uint8_t>(packet.size())} + packet;
}
Bytes get_frame(std::uint32_t id) {
  return frame_to_own_node(number(5, 7), id);
}
Bytes set_frame(const Bytes& config, std::uint32_t id) {
  return frame_to_own_node(part(34, part(8, config)) + text(101, "PASSKEY!"), id);
}

class DebugLog : public ::testing::Test {
 protected:
  // Up to the change: the device was asked, has answered, and was given its new configuration.
  void change() {
    run.live(kNode);
    run.hear(answer(security(false), run.last_id()));
  }
  void restart() {
    run.pass(7 * kSecond);
    run.lost();
    run.pass(2 * kSecond);
    run.live(kNode);
  }

  ErrandRun run{true, kPrivate};
};

TEST_F(DebugLog, OnSendsExactlyAQuestionAChangeAndAQuestion) {
  change();
  EXPECT_EQ(run.sent, (std::vector{get_frame(0x0A0B0C01), set_frame(security(true), 0x0A0B0C02)}));
  run.hear(routing(0, run.last_id()));
  restart();
  EXPECT_EQ(run.sent.size(), 2U);
  run.pass(3 * kSecond);
  ASSERT_EQ(run.sent.size(), 3U);
  EXPECT_EQ(run.sent[2], get_frame(0x0A0B0C03));
  run.hear(answer(security(true), run.last_id()));
  ASSERT_TRUE(run.end && *run.end) << run.error();
  EXPECT_EQ((*run.end)->device(), "bench1");
  EXPECT_FALSE((*run.end)->was());
  EXPECT_TRUE((*run.end)->is());
  EXPECT_TRUE((*run.end)->rebooted());
  EXPECT_TRUE(run.errand->ended());
  EXPECT_EQ(run.errand->next(), std::nullopt);
  EXPECT_EQ(run.ends, 1);
  EXPECT_EQ(run.plans, 1);
  EXPECT_EQ(run.sent.size(), 3U);
}

TEST(DebugLogOff, TakesTheFieldOutAndLeavesTheRest) {
  ErrandRun run{false, kPrivate};
  run.live(kNode);
  run.hear(answer(security(true), run.last_id()));
  ASSERT_EQ(run.sent.size(), 2U);
  EXPECT_EQ(run.sent[1], set_frame(security(false), run.last_id()));
  run.pass(7 * kSecond);
  run.lost();
  run.live(kNode);
  run.pass(10 * kSecond);
  run.hear(answer(security(false), run.last_id()));
  ASSERT_TRUE(run.end && *run.end) << run.error();
  EXPECT_TRUE((*run.end)->was());
  EXPECT_FALSE((*run.end)->is());
}

TEST_F(DebugLog, WhatIsRightAlreadyIsLeftAlone) {
  run.live(kNode);
  run.hear(answer(security(true), run.last_id()));
  ASSERT_TRUE(run.end && *run.end) << run.error();
  EXPECT_TRUE((*run.end)->was());
  EXPECT_TRUE((*run.end)->is());
  EXPECT_FALSE((*run.end)->rebooted());
  EXPECT_EQ(run.sent, std::vector<Bytes>{get_frame(0x0A0B0C01)});
  EXPECT_EQ(run.plans, 0);
}

TEST_F(DebugLog, AManagedDeviceIsRefused) {
  run.live(kNode);
  run.hear(answer(security(false) + number(4, 1), run.last_id()));
  EXPECT_EQ(
      run.error(),
      "the device is managed: whoever manages it decides its settings; nothing was changed: bench1 (ask "
      "them, or use their client)");
  EXPECT_EQ(run.sent.size(), 1U);
}

TEST_F(DebugLog, AManagedDeviceIsRefusedThoughItsLogIsAsWanted) {
  run.live(kNode);
  run.hear(answer(security(true) + number(4, 1), run.last_id()));
  EXPECT_THAT(run.error(), HasSubstr("the device is managed"));
}

TEST_F(DebugLog, APublicKeyWithoutThePrivateOneIsRefused) {
  run.live(kNode);
  run.hear(answer(text(1, kPublic) + text(2, "") + number(5, 1), run.last_id()));
  EXPECT_THAT(run.error(), HasSubstr("public key without the private one"));
  EXPECT_THAT(run.error(), HasSubstr("nothing was changed"));
  EXPECT_EQ(run.sent.size(), 1U);
}

TEST_F(DebugLog, ADeviceWithoutKeysIsSwitched) {
  run.live(kNode);
  run.hear(answer(number(5, 1), run.last_id()));
  ASSERT_EQ(run.sent.size(), 2U);
  EXPECT_EQ(run.sent[1], set_frame(number(5, 1) + number(6, 1), run.last_id()));
}

TEST_F(DebugLog, AnIncompleteAnswerIsRefused) {
  run.live(kNode);
  Bytes cut = part(6, part(8, security(false)));
  cut.resize(cut.size() - 3);
  run.hear(own_packet(6, cut, run.last_id()));
  EXPECT_THAT(run.error(), HasSubstr("came incomplete"));
  EXPECT_EQ(run.code(), ErrorCode::failed);
  EXPECT_EQ(run.sent.size(), 1U);
}

TEST_F(DebugLog, AConfigurationThatFillsNoPacketIsRefused) {
  run.live(kNode);
  run.hear(answer(security(false) + text(62, std::string(130, 'x')), run.last_id()));
  EXPECT_THAT(run.error(), HasSubstr("larger than a packet"));
  EXPECT_EQ(run.sent.size(), 1U);
}

TEST_F(DebugLog, TheAnswerOfAnotherNodeIsIgnored) {
  run.live(kNode);
  run.hear(answer(security(true), run.last_id(), kNode + 1));
  run.hear(answer(security(true), run.last_id() + 1));
  run.hear(routing(33, run.last_id() + 1));
  EXPECT_FALSE(run.end);
  EXPECT_EQ(run.sent.size(), 1U);
}

TEST_F(DebugLog, NoAnswerIsAskedOnceAgainAndThenToldAsSuch) {
  run.live(kNode);
  run.pass(14 * kSecond);
  EXPECT_EQ(run.sent.size(), 1U);
  run.pass(kSecond);
  EXPECT_EQ(run.sent, (std::vector{get_frame(0x0A0B0C01), get_frame(0x0A0B0C02)}));
  run.pass(14 * kSecond);
  EXPECT_FALSE(run.end);
  run.pass(kSecond);
  EXPECT_THAT(run.error(),
              HasSubstr("does not tell its security configuration; nothing was changed: bench1"));
  EXPECT_THAT(run.error(), HasSubstr("a managed device ignores local administration"));
  EXPECT_EQ(run.code(), ErrorCode::no_data);
  run.pass(600 * kSecond);
  EXPECT_EQ(run.sent.size(), 2U);
  EXPECT_EQ(run.ends, 1);
}

TEST_F(DebugLog, TheAnswerToTheFirstQuestionCountsAfterTheSecond) {
  run.live(kNode);
  run.pass(16 * kSecond);
  run.hear(answer(security(false), 0x0A0B0C01));
  ASSERT_EQ(run.sent.size(), 3U);
  EXPECT_EQ(run.sent[2], set_frame(security(true), 0x0A0B0C03));
}

TEST_F(DebugLog, ARefusalToTellIsToldByItsName) {
  run.live(kNode);
  run.hear(routing(33, run.last_id()));
  EXPECT_THAT(run.error(),
              HasSubstr("does not tell its security configuration: NOT_AUTHORIZED; nothing was changed"));
}

TEST_F(DebugLog, ARefusalOfTheChangeIsToldByItsName) {
  change();
  run.hear(routing(36, run.last_id()));
  EXPECT_THAT(run.error(),
              HasSubstr("refused the change: ADMIN_BAD_SESSION_KEY; nothing was changed: bench1"));
  EXPECT_EQ(run.plans, 0);
}

TEST_F(DebugLog, FirmwareWithoutAPasskeyIsGivenNone) {
  run.live(kNode);
  run.hear(own_packet(6, part(6, part(8, security(false))), run.last_id()));
  ASSERT_EQ(run.sent.size(), 2U);
  EXPECT_EQ(run.sent[1], frame_to_own_node(part(34, part(8, security(true))), run.last_id()));
}

TEST_F(DebugLog, AChangeThatNobodyHeardIsSentOnceAgain) {
  change();
  run.pass(15 * kSecond);
  ASSERT_EQ(run.sent.size(), 3U);
  EXPECT_EQ(run.sent[2], set_frame(security(true), 0x0A0B0C03));
  run.pass(44 * kSecond);
  EXPECT_EQ(run.sent.size(), 3U);
}

TEST_F(DebugLog, AChangeThatWasTakenIsNotSentAgain) {
  change();
  run.hear(routing(0, run.last_id()));
  run.pass(59 * kSecond);
  EXPECT_EQ(run.sent.size(), 2U);
}

TEST_F(DebugLog, WithoutARestartItIsReadBackAndToldWhatThatSays) {
  change();
  run.hear(routing(0, run.last_id()));
  run.pass(60 * kSecond);
  ASSERT_EQ(run.sent.size(), 3U);
  EXPECT_EQ(run.sent[2], get_frame(run.last_id()));
  run.hear(answer(security(true), run.last_id()));
  EXPECT_EQ(
      run.error(),
      "the API log is set to on, but the device did not restart within 60 s: bench1 (restart it, so that "
      "the setting takes effect)");
  EXPECT_EQ(run.code(), ErrorCode::partial);
}

TEST_F(DebugLog, ADeviceThatTookNoNoticeIsFoundOut) {
  change();
  run.hear(routing(0, run.last_id()));
  run.pass(60 * kSecond);
  run.hear(answer(security(false), run.last_id()));
  EXPECT_THAT(run.error(), HasSubstr("read back, its API log is still off; nothing was changed"));
  EXPECT_EQ(run.code(), ErrorCode::failed);
}

TEST_F(DebugLog, ADeviceThatDoesNotComeBackIsNotConfirmed) {
  change();
  run.pass(7 * kSecond);
  run.lost();
  run.pass(82 * kSecond);
  EXPECT_FALSE(run.end);
  run.pass(kSecond);
  EXPECT_EQ(
      run.error(),
      "the API log was set to on, but not confirmed: the device did not come back: bench1 (run it again: "
      "it reads the setting and changes nothing that is right already)");
  EXPECT_EQ(run.code(), ErrorCode::partial);
  EXPECT_EQ(run.plans, 1);
}

TEST_F(DebugLog, ADeviceThatDoesNotAnswerAfterItsRestartIsNotConfirmed) {
  change();
  restart();
  run.pass(40 * kSecond);
  EXPECT_EQ(run.sent.size(), 4U);
  EXPECT_THAT(run.error(), HasSubstr("not confirmed: it does not answer after its restart"));
}

TEST_F(DebugLog, AnotherNodeBehindTheLinkIsSentNothing) {
  change();
  run.pass(7 * kSecond);
  run.lost();
  run.live(kNode + 1);
  run.pass(60 * kSecond);
  EXPECT_THAT(run.error(), HasSubstr("not confirmed: another node answers behind the link now"));
  EXPECT_EQ(run.sent.size(), 2U);
}

TEST_F(DebugLog, AnotherNodeGreetedWhileReadingIsAskedItself) {
  run.live(kNode);
  run.live(kNode + 1);
  run.pass(15 * kSecond);
  const Bytes old_node = fixed32(2, kNode);
  ASSERT_EQ(run.sent.size(), 3U);
  for (const std::size_t later : {1U, 2U}) {
    const Bytes& frame = run.sent[later];
    EXPECT_EQ(std::search(frame.begin(), frame.end(), old_node.begin(), old_node.end()), frame.end());
  }
}

TEST_F(DebugLog, ALinkLostWhileReadingIsReadFromTheBeginning) {
  run.live(kNode);
  run.lost();
  run.pass(15 * kSecond);
  EXPECT_EQ(run.sent.size(), 1U);
  run.live(kNode);
  EXPECT_EQ(run.sent.size(), 2U);
  run.hear(answer(security(true), run.last_id()));
  EXPECT_TRUE(run.end && *run.end) << run.error();
}

TEST_F(DebugLog, ADeviceThatIsNotThereIsWaitedForBriefly) {
  run.pump();
  run.pass(19 * kSecond);
  EXPECT_FALSE(run.end);
  run.pass(kSecond);
  EXPECT_THAT(run.error(), HasSubstr("the device is not connected; nothing was changed: bench1"));
  EXPECT_TRUE(run.sent.empty());
}

TEST_F(DebugLog, ADeviceWithoutANodeNumberIsAskedNothing) {
  run.live(0);
  EXPECT_THAT(run.error(), HasSubstr("has not told its node number; nothing was changed"));
  EXPECT_TRUE(run.sent.empty());
}

TEST_F(DebugLog, ALinkThatFailsBetweenChangeAndRestartConfusesNothing) {
  change();
  run.hear(routing(0, run.last_id()));
  run.pass(kSecond);
  run.lost();
  run.pass(2 * kSecond);
  run.live(kNode);
  run.pass(4 * kSecond);
  run.lost();
  run.pass(2 * kSecond);
  run.live(kNode);
  EXPECT_EQ(run.sent.size(), 2U);
  run.pass(4 * kSecond);
  ASSERT_EQ(run.sent.size(), 3U);
  run.hear(answer(security(true), run.last_id()));
  EXPECT_TRUE(run.end && *run.end) << run.error();
}

TEST_F(DebugLog, ASecondRestartWhileReadingBackIsWaitedFor) {
  change();
  restart();
  run.pass(4 * kSecond);
  ASSERT_EQ(run.sent.size(), 3U);
  run.lost();
  run.pass(5 * kSecond);
  run.live(kNode);
  ASSERT_EQ(run.sent.size(), 4U);
  run.hear(answer(security(true), run.last_id()));
  EXPECT_TRUE(run.end && *run.end) << run.error();
}

TEST_F(DebugLog, OtherSettingsThatDifferAfterwardsAreNamed) {
  change();
  restart();
  run.pass(10 * kSecond);
  run.hear(answer(text(1, kPublic) + text(2, "another") + number(5, 1) + number(6, 1) + number(9, 2),
                  run.last_id()));
  EXPECT_EQ(
      run.error(),
      "the API log is on, but read back these settings are not as before: private_key, field 61: bench1 "
      "(look at the device's security settings with its own app)");
  EXPECT_EQ(run.code(), ErrorCode::partial);
}

TEST_F(DebugLog, AnIncompleteReadingBackIsNotConfirmed) {
  change();
  restart();
  run.pass(10 * kSecond);
  run.hear(own_packet(6, bytes("\x32\x50..."), run.last_id()));
  EXPECT_THAT(run.error(), HasSubstr("not confirmed: the configuration read back was incomplete"));
}

TEST_F(DebugLog, NoKeyIsLeftInMemoryThatWasGivenBackHoweverItEnds) {
  const auto all = [&] {
    run.destroy();
    return run.left_behind;
  };
  change();
  run.pass(16 * kSecond);
  run.hear(routing(0, run.last_id()));
  restart();
  run.pass(10 * kSecond);
  run.hear(answer(security(true), run.last_id()));
  EXPECT_TRUE(run.end && *run.end);
  EXPECT_EQ(all(), 0U);
  ErrandRun broken_off{true, kPrivate};
  broken_off.live(kNode);
  broken_off.hear(answer(security(false), broken_off.last_id()));
  EXPECT_EQ(broken_off.sent.size(), 2U);
  broken_off.destroy();
  EXPECT_EQ(broken_off.left_behind, 0U);
}

TEST_F(DebugLog, NoErrorTellsAKey) {
  change();
  restart();
  run.pass(10 * kSecond);
  run.hear(answer(text(1, kPublic) + text(2, kPrivate) + text(3, kPrivate), run.last_id()));
  ASSERT_FALSE(*run.end);
  EXPECT_EQ(run.error().find("ERRAND-TEST"), std::string::npos);
}

}  // namespace
}  // namespace leakhunt::daemon
