// Switching the API log of the simulated device, which encodes with another library: over TCP and over a
// serial line, with its oddities, and with what it keeps compared byte for byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/framer.h"
#include "tests/daemon/debug_log_run.h"
#include "tests/sim/bench.h"

namespace leakhunt::daemon {
namespace {

using testing::ErrandRun;
using ::testing::HasSubstr;

constexpr Duration kStep{100'000};
constexpr Duration kReconnects{1'000'000};

std::span<const std::uint8_t> span_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

sim::Setup setup_of(bool on) {
  sim::Setup setup;
  setup.security = {.public_key = "SIM-PUBLIC-KEY-00123456789abcdef",
                    .private_key = std::string{sim::kPrivateKey},
                    .admin_keys = {"SIM-ADMIN-KEY-ONE-0123456789abcd", "SIM-ADMIN-KEY-TWO-0123456789abcd"},
                    .debug_log_api_enabled = on,
                    .admin_channel_enabled = true,
                    .packet_signature_policy = 2,
                    .unknown_fields = std::string{sim::kUnknownFields}};
  return setup;
}

// The device, its client as a link of the recorder would be, and the errand of that client.
class World {
 public:
  World(bool on, const sim::Setup& setup, sim::PortKind kind = sim::PortKind::tcp)
      : bench("steady", setup, {}, kind), run(on, sim::kPrivateKey, bench.now), kind_(kind) {
    bench.connect();
  }

  // Lives on until the errand ends, at most so long.
  void live_on(double limit_s) {
    for (const Mono until = bench.now + from_seconds(limit_s); bench.now < until && !run.errand->ended();)
      step();
  }
  [[nodiscard]] sim::Security kept() const { return bench.device.security(); }

  sim::test::Bench bench;
  ErrandRun run;

 private:
  void step() {
    bench.run(seconds(kStep));
    run.now = bench.now;
    framer_.feed(span_of(std::exchange(bench.spy.text, {})), [&](const proto::StreamItem& item) {
      if (const auto* frame = std::get_if<proto::Frame>(&item)) hear(frame->payload);
    });
    if (kind_ == sim::PortKind::tcp && bench.spy.restarts > restarts_) gone();
    restarts_ = bench.spy.restarts;
    if (greet_at_ && bench.now >= *greet_at_) {
      greet_at_.reset();
      if (kind_ == sim::PortKind::tcp) bench.device.opened(bench.spy, bench.now);
      bench.say(sim::test::want_config(69'420));
    }
    run.pass(Duration{0});
    for (; told_ < run.sent.size(); ++told_) {
      const auto& frame = run.sent[told_];
      bench.device.heard(bench.spy, {reinterpret_cast<const char*>(frame.data()), frame.size()}, bench.now);
    }
  }
  void hear(std::span<const std::uint8_t> payload) {
    const std::string message{payload.begin(), payload.end()};
    if (sim::test::value_of(message, 8) == 1) gone();
    run.hear(payload);
    if (sim::test::value_of(message, 7) != 0) run.live(sim::test::Bench::kNode);
  }
  void gone() {
    greet_at_ = bench.now + kReconnects;
    run.lost();
  }

  sim::PortKind kind_;
  proto::Framer framer_;
  std::optional<Mono> greet_at_;
  int restarts_ = 0;
  std::size_t told_ = 0;
};

void expect_same_but_the_log(const sim::Security& before, const sim::Security& after) {
  EXPECT_EQ(before.public_key, after.public_key);
  EXPECT_EQ(before.private_key, after.private_key);
  EXPECT_EQ(before.admin_keys, after.admin_keys);
  EXPECT_EQ(before.is_managed, after.is_managed);
  EXPECT_EQ(before.serial_enabled, after.serial_enabled);
  EXPECT_EQ(before.admin_channel_enabled, after.admin_channel_enabled);
  EXPECT_EQ(before.packet_signature_policy, after.packet_signature_policy);
  EXPECT_EQ(before.unknown_fields, after.unknown_fields);
}

class DebugLogOfADevice : public ::testing::TestWithParam<sim::PortKind> {};

INSTANTIATE_TEST_SUITE_P(Links, DebugLogOfADevice,
                         ::testing::Values(sim::PortKind::tcp, sim::PortKind::serial), [](const auto& about) {
                           return about.param == sim::PortKind::tcp ? std::string{"tcp"} : "serial";
                         });

TEST_P(DebugLogOfADevice, IsSwitchedOnAndOffAgainAndAllElseIsKept) {
  const sim::Setup setup = setup_of(false);
  World on{true, setup, GetParam()};
  on.live_on(60);
  ASSERT_TRUE(on.run.end && *on.run.end) << on.run.error();
  EXPECT_TRUE((*on.run.end)->rebooted());
  EXPECT_TRUE(on.kept().debug_log_api_enabled);
  expect_same_but_the_log(setup.security, on.kept());
  EXPECT_EQ(on.bench.device.counters().boots, 2U);
  EXPECT_EQ(on.run.plans, 1);
  EXPECT_EQ(on.run.left_behind, 0U);

  sim::Setup switched = setup;
  switched.security = on.kept();
  World off{false, switched, GetParam()};
  off.live_on(60);
  ASSERT_TRUE(off.run.end && *off.run.end) << off.run.error();
  EXPECT_FALSE(off.kept().debug_log_api_enabled);
  expect_same_but_the_log(setup.security, off.kept());
  EXPECT_EQ(off.run.left_behind, 0U);
}

TEST_P(DebugLogOfADevice, IsLeftAloneWhereItIsOnAlready) {
  World world{true, setup_of(true), GetParam()};
  world.live_on(60);
  ASSERT_TRUE(world.run.end && *world.run.end) << world.run.error();
  EXPECT_FALSE((*world.run.end)->rebooted());
  world.bench.run(60);
  EXPECT_EQ(world.bench.device.counters().boots, 1U);
  EXPECT_EQ(world.run.sent.size(), 1U);
}

TEST_P(DebugLogOfADevice, IsRefusedWhereItIsManaged) {
  sim::Setup setup = setup_of(false);
  setup.security.is_managed = true;
  World world{true, setup, GetParam()};
  world.live_on(60);
  EXPECT_THAT(world.run.error(), HasSubstr("the device is managed"));
  world.bench.run(60);
  EXPECT_EQ(world.bench.device.counters().boots, 1U);
  EXPECT_FALSE(world.kept().debug_log_api_enabled);
}

TEST_P(DebugLogOfADevice, IsRefusedWhereThePrivateKeyIsKeptBack) {
  sim::Setup setup = setup_of(false);
  setup.odd.hides_private_key = true;
  World world{true, setup, GetParam()};
  world.live_on(60);
  EXPECT_THAT(world.run.error(), HasSubstr("public key without the private one"));
  world.bench.run(60);
  EXPECT_EQ(world.kept().private_key, sim::kPrivateKey);
  EXPECT_EQ(world.bench.device.counters().boots, 1U);
}

TEST_P(DebugLogOfADevice, IsRefusedWhereverTheAnswerIsCut) {
  for (std::size_t size = 0; size < 180; size += 7) {
    sim::Setup setup = setup_of(false);
    setup.odd.security_answer_bytes = size;
    World world{true, setup, GetParam()};
    world.live_on(60);
    EXPECT_THAT(world.run.error(), HasSubstr("came incomplete")) << size;
    EXPECT_EQ(world.run.sent.size(), 1U) << size;
    EXPECT_EQ(world.run.left_behind, 0U) << size;
  }
}

TEST_P(DebugLogOfADevice, IsFoundOutWhereItConfirmsAndDoesNothing) {
  sim::Setup setup = setup_of(false);
  setup.odd.ignores_set_config = true;
  World world{true, setup, GetParam()};
  world.live_on(120);
  EXPECT_THAT(world.run.error(), HasSubstr("its API log is still off; nothing was changed"));
}

TEST_P(DebugLogOfADevice, IsNotConfirmedWhereItFallsSilentAfterTheChange) {
  World world{true, setup_of(false), GetParam()};
  while (world.run.sent.size() < 2) world.live_on(0.1);
  world.bench.device.fall_silent(true);
  world.live_on(5);
  world.bench.device.stall(std::chrono::hours{1}, world.bench.now);
  world.live_on(300);
  EXPECT_THAT(world.run.error(), HasSubstr("not confirmed"));
  EXPECT_TRUE(world.kept().debug_log_api_enabled);
}

}  // namespace
}  // namespace leakhunt::daemon
