// What becomes of an alarm over the looks of the schedule, also when the recorder starts anew between them;
// and the limits a verdict is held against.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "answer/reserve.h"
#include "tests/answer/world.h"

namespace leakhunt::answer::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr double kHour = 3600;
constexpr double kLook = 300;
constexpr Duration kWindow = std::chrono::hours{1};

std::string reason_of(const v1::Verdict& verdict) {
  return verdict.findings().empty() ? "" : verdict.findings().rbegin()->text();
}

// The schedule of one run of the recorder, which writes down what is worth it.
class Schedule {
 public:
  explicit Schedule(World& world) : world_(world), engine_(world.reader(), {}) {}

  v1::Verdict look(double s) {
    const auto judged = engine_.judge_window("bench1", kWindow, world_.utc(s));
    EXPECT_TRUE(judged) << judged.error().line();
    if (!last_ || worth_keeping(*last_, *judged)) {
      last_ = *judged;
      ++kept;
      world_.add(verdict_row(kDevice, *judged));
    }
    return *judged;
  }
  v1::Verdict look(double from, double to) {
    v1::Verdict last;
    for (double s = from; s <= to; s += kLook) last = look(s);
    return last;
  }
  int kept = 0;

 private:
  World& world_;
  Engine engine_;
  std::optional<v1::Verdict> last_;
};

TEST(AlarmLife, TheLooksBeforeARestartOfTheRecorderCount) {
  World world;
  world.boot(0);
  world.samples(60, 5 * kHour, 60, leaking(-300));
  Schedule before{world};
  EXPECT_EQ(before.look(2.1 * kHour - 2 * kLook, 2.1 * kHour).state(), v1::VERDICT_STATE_CONFIRMED);
  const double again = 2.1 * kHour + kLook;
  world.write();
  const v1::Verdict after = Schedule{world}.look(again);
  EXPECT_EQ(after.state(), v1::VERDICT_STATE_CONFIRMED);
  EXPECT_THAT(reason_of(after), StartsWith("confirmed: SLOW LEAK at "));
}

TEST(AlarmLife, AnAlarmThatTheRecorderSawBeforeItStartedAnewIsWithdrawn) {
  World world;
  world.boot(0);
  world.samples(60, 4 * kHour, 60, leaking(0));
  v1::Verdict alarm;
  alarm.set_class_(v1::VERDICT_CLASS_SLOW_LEAK);
  alarm.set_ts(seconds(world.utc(3 * kHour)));
  alarm.set_window_s(seconds(kWindow));
  world.add(verdict_row(kDevice, alarm));
  world.write();
  const v1::Verdict after = Schedule{world}.look(3 * kHour + kLook);
  EXPECT_EQ(after.class_(), v1::VERDICT_CLASS_STEADY);
  EXPECT_EQ(after.state(), v1::VERDICT_STATE_WITHDRAWN);
  EXPECT_EQ(reason_of(after),
            "withdrawn: 5 min ago it was SLOW LEAK; with what has come since it is STEADY (shape constant)");
}

TEST(AlarmLife, ALeakThatStandsIsWrittenDownNowAndThen) {
  World world;
  world.boot(0);
  world.samples(60, 9 * kHour, 60, leaking(-100));
  Schedule run{world};
  EXPECT_EQ(run.look(3 * kHour, 8 * kHour).state(), v1::VERDICT_STATE_CONFIRMED);
  EXPECT_GE(run.kept, 5);
  EXPECT_LE(run.kept, 9);
}

TEST(AlarmLife, ACalmDeviceIsWrittenDownOnce) {
  World world;
  world.boot(0);
  world.samples(60, 9 * kHour, 60, leaking(0));
  Schedule run{world};
  run.look(3 * kHour, 8 * kHour);
  EXPECT_LE(run.kept, 2) << "what it is, and that it is confirmed";
}

TEST(AlarmLife, AReportOverAScheduledWindowTellsTheReasonOfTheSchedule) {
  World world;
  world.boot(0);
  world.samples(60, 5 * kHour, 60, leaking(-300));
  const v1::Verdict scheduled = Schedule{world}.look(3 * kHour, 4 * kHour);
  world.write();
  const v1::Verdict asked = report(world, 4 * kHour + 10, "1h").verdict();
  EXPECT_EQ(asked.state(), scheduled.state());
  EXPECT_THAT(reason_of(asked), StartsWith("confirmed: SLOW LEAK at "));
}

TEST(Reserve, IsTheOneAskedForElseTheConfiguredElseTheChips) {
  constexpr std::uint32_t kHeltecV3 = 43;
  constexpr std::uint32_t kRak4631 = 9;
  constexpr std::uint32_t kUnknown = 9999;
  EXPECT_DOUBLE_EQ(reserve_of(kHeltecV3, "", {}, {}).bytes, 15'000);
  EXPECT_EQ(reserve_of(kHeltecV3, "", {}, {}).reason, "chip esp32s3");
  EXPECT_DOUBLE_EQ(reserve_of(kRak4631, "", {}, {}).bytes, 1'500);
  EXPECT_EQ(reserve_of(kRak4631, "", {}, {}).reason, "chip nrf52");
  EXPECT_DOUBLE_EQ(reserve_of(kUnknown, "", {}, {}).bytes, 1'500);
  EXPECT_EQ(reserve_of(kUnknown, "", {}, {}).reason, "its chip is not known");
  EXPECT_DOUBLE_EQ(reserve_of(kUnknown, "my-esp32c3", {}, {}).bytes, 15'000);
  EXPECT_DOUBLE_EQ(reserve_of(kHeltecV3, "", 4'000, {}).bytes, 4'000);
  EXPECT_THAT(reserve_of(kHeltecV3, "", 4'000, {}).reason, HasSubstr("reserve_bytes"));
  EXPECT_DOUBLE_EQ(reserve_of(kHeltecV3, "", 4'000, 0).bytes, 0);
  EXPECT_EQ(reserve_of(kHeltecV3, "", 4'000, 0).reason, "--reserve");
}

TEST(Reserve, TheReportNamesItAndWhy) {
  World world;
  world.boot(0);
  world.samples(60, 7 * kHour, 60, leaking(-82));
  const v1::Verdict verdict = report(world, 7 * kHour, "6h").verdict();
  EXPECT_DOUBLE_EQ(verdict.reserve_bytes(), 15'000);
  EXPECT_EQ(verdict.reserve_reason(), "chip esp32s3");
}

TEST(Floor, ASteadyLevelBelowItIsAFinding) {
  World world;
  world.boot(0);
  world.samples(60, 7 * kHour, 60, leaking(0));
  EngineSettings settings;
  settings.floor_bytes["bench1"] = 130'000;
  const auto judged =
      world.engine(settings).judge_window("bench1", std::chrono::hours{6}, world.utc(7 * kHour));
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->class_(), v1::VERDICT_CLASS_STEADY);
  std::string all;
  for (const auto& finding : judged->findings()) all += finding.text() + "\n";
  EXPECT_THAT(all, HasSubstr("130,000 B"));
}

TEST(Boots, TellTheLevelAtWhichTheDeviceDiedUnlessTheRestartWasWanted) {
  World world;
  world.boot(0);
  world.samples(60, 2 * kHour, 60, leaking(-400));
  world.boot(2 * kHour, recorder::BootCause::out_of_memory);
  world.samples(60, 2 * kHour, 60, leaking(-400));
  world.boot(4 * kHour, recorder::BootCause::planned);
  world.samples(60, 1 * kHour, 60, leaking(-400));
  const v1::Verdict verdict = report(world, kHour, "6h").verdict();
  ASSERT_EQ(verdict.boots_size(), 3);
  ASSERT_TRUE(verdict.boots(0).has_died_at_bytes());
  EXPECT_NEAR(verdict.boots(0).died_at_bytes(), 120'000 - 400 * 119, 300);
  EXPECT_FALSE(verdict.boots(1).has_died_at_bytes()) << "it was restarted on purpose";
  EXPECT_FALSE(verdict.boots(2).has_died_at_bytes()) << "it lives";
}

TEST(Boots, TheLevelAtDeathIsTheLatestReadingOfAnySourceAlsoInTheSentence) {
  World world;
  for (int i = 0; i < 2; ++i) {
    world.boot(i * 3 * kHour, recorder::BootCause::out_of_memory);
    world.samples(60, 3 * kHour - 300, 60, leaking(-600), recorder::Source::heap_line);
    world.sample(3 * kHour - 20, 1'448 + i);
  }
  world.boot(6 * kHour, recorder::BootCause::out_of_memory);
  world.samples(60, 600, 60, leaking(-600), recorder::Source::heap_line);
  const v1::Verdict verdict = report(world, 600, "7h").verdict();
  EXPECT_EQ(verdict.source(), "heap_line");
  ASSERT_EQ(verdict.boots_size(), 3);
  EXPECT_DOUBLE_EQ(verdict.boots(0).died_at_bytes(), 1'448);
  EXPECT_DOUBLE_EQ(verdict.boots(1).died_at_bytes(), 1'449);
  std::string all;
  for (const auto& finding : verdict.findings()) all += finding.text() + "\n";
  EXPECT_THAT(all, HasSubstr("the device died at 1,448 B"));
}

TEST(AlarmLife, ADeviceThatDiesEvery34MinutesIsConfirmed) {
  World world;
  constexpr double kLife = 34 * 60;
  for (int i = 0; i < 5; ++i) {
    world.boot(i * kLife, recorder::BootCause::out_of_memory);
    world.samples(10, kLife - 10, 20, leaking(-3'500));
  }
  world.write();
  Schedule schedule{world};
  bool confirmed = false;
  for (double s = -kLife; s <= kLife - 10; s += kLook) {
    confirmed = schedule.look(s).state() == v1::VERDICT_STATE_CONFIRMED || confirmed;
  }
  EXPECT_TRUE(confirmed);
}

}  // namespace
}  // namespace leakhunt::answer::testing
