// Windows with too many readings to be read one by one: their figures, plots and verdicts come from buckets
// and say the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/answer/world.h"

namespace leakhunt::answer::testing {
namespace {

using recorder::Source;
using ::testing::HasSubstr;

constexpr double kHour = 3600;
constexpr double kCadence = 1.5;

v1::Question timeline_question(const std::string& window, int max_points = 0,
                               const std::vector<std::string>& sources = {}) {
  v1::Question question;
  question.mutable_timeline()->mutable_window()->set_window(window);
  question.mutable_timeline()->set_max_points(max_points);
  for (const std::string& source : sources) question.mutable_timeline()->add_sources(source);
  return question;
}

v1::Timeline timeline(World& world, const v1::Question& question, double s) {
  const auto reply = world.ask(question, s);
  EXPECT_TRUE(reply) << (reply ? "" : reply.error().line());
  return reply ? reply->answer.timeline() : v1::Timeline{};
}

// What all readings of (from, to) come to, one by one.
struct Sums {
  std::int64_t n = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  long double mean_s = 0;
  long double mean_v = 0;
  long double slope_per_min = 0;
};

Sums sums_of(const Level& level, double from, double to) {
  Sums out;
  for (double s = from; s < to; s += kCadence) {
    const std::int64_t v = level(s);
    out.min = out.n == 0 ? v : std::min(out.min, v);
    out.max = out.n == 0 ? v : std::max(out.max, v);
    out.mean_s += static_cast<long double>(s);
    out.mean_v += static_cast<long double>(v);
    ++out.n;
  }
  out.mean_s /= static_cast<long double>(out.n);
  out.mean_v /= static_cast<long double>(out.n);
  long double c = 0;
  long double m2 = 0;
  for (double s = from; s < to; s += kCadence) {
    const long double t = static_cast<long double>(s) - out.mean_s;
    c += t * (static_cast<long double>(level(s)) - out.mean_v);
    m2 += t * t;
  }
  out.slope_per_min = c / m2 * 60;
  return out;
}

TEST(LargeWindow, HasTheFiguresOfEveryReading) {
  World world;
  world.boot(0);
  const Level level = leaking(-2);
  world.samples(0, 30 * kHour, kCadence, level, Source::debug_heap);
  world.write();
  const v1::Timeline found = timeline(world, timeline_question("20h"), 30 * kHour);
  const Sums wanted = sums_of(level, 10 * kHour, 30 * kHour);
  EXPECT_EQ(found.samples(), wanted.n);
  EXPECT_EQ(found.min(), static_cast<double>(wanted.min));
  EXPECT_EQ(found.max(), static_cast<double>(wanted.max));
  EXPECT_EQ(found.first(), static_cast<double>(level(10 * kHour)));
  EXPECT_EQ(found.last(), static_cast<double>(level(30 * kHour - kCadence)));
  const double bound = 1e-9 * static_cast<double>(wanted.max - wanted.min + 1);
  EXPECT_NEAR(found.mean(), static_cast<double>(wanted.mean_v), bound);
  EXPECT_NEAR(found.slope_per_min() * 20 * 60, static_cast<double>(wanted.slope_per_min) * 20 * 60,
              2 * bound);
  EXPECT_NEAR(found.slope_per_min_raw(), found.slope_per_min(), 1e-9);
  EXPECT_EQ(found.sources().at("debug_heap"), wanted.n);
  ASSERT_EQ(found.boots_size(), 1);
  EXPECT_EQ(found.boots(0).samples(), wanted.n);
  EXPECT_DOUBLE_EQ(found.cadence_s(), kCadence);
  EXPECT_THAT(found.read_from(), HasSubstr("buckets"));
  EXPECT_TRUE(found.has_trend_per_min());
}

TEST(LargeWindow, OfAFewReadingsIsReadAsTheyAre) {
  World world;
  world.boot(0);
  world.samples(0, 2 * kHour, 60, leaking(-2));
  world.write();
  const v1::Timeline found = timeline(world, timeline_question("1h"), 2 * kHour);
  EXPECT_EQ(found.points_size(), 60);
  EXPECT_EQ(found.read_from(), "raw samples");
  EXPECT_EQ(report(world, 2 * kHour, "1h").verdict().judged_from(), "raw samples");
}

TEST(LargeWindow, PlotsADipThatLastedOneReading) {
  World world;
  world.boot(0);
  const auto level = [](double s) -> std::int64_t {
    if (s == 15 * kHour) return 812;
    return s == 20 * kHour ? 250'000 : 90'000 + static_cast<std::int64_t>(s) % 7;
  };
  world.samples(0, 40 * kHour, kCadence, level, Source::debug_heap);
  world.write();
  for (const int max_points : {2, 10, 100, 500, 5'000}) {
    const v1::Timeline found = timeline(world, timeline_question("39h", max_points), 40 * kHour);
    EXPECT_LE(found.points_size(), max_points);
    const auto by_value = [](const v1::PointOut& a, const v1::PointOut& b) { return a.value() < b.value(); };
    const auto [low, high] = std::minmax_element(found.points().begin(), found.points().end(), by_value);
    EXPECT_EQ(low->value(), 812);
    EXPECT_EQ(high->value(), 250'000);
    EXPECT_NEAR(low->ts(), seconds(world.utc(15 * kHour)), 36);
    const auto by_time = [](const v1::PointOut& a, const v1::PointOut& b) { return a.ts() < b.ts(); };
    EXPECT_TRUE(std::is_sorted(found.points().begin(), found.points().end(), by_time));
    EXPECT_GE(found.points(0).ts(), seconds(world.utc(kHour)));
  }
}

TEST(LargeWindow, ABurstEatsNoPoints) {
  World world;
  world.boot(0);
  for (double s = 0; s < 40 * kHour; s += 60) {
    if (s < 20 * kHour || s >= 21 * kHour) {
      world.sample(s, 90'000 + static_cast<std::int64_t>(s) % 91);
    } else {
      for (double in = s; in < s + 60; in += 0.125)
        world.sample(in, 80'000 + static_cast<std::int64_t>(in) % 91);
    }
  }
  world.write();
  const v1::Timeline found = timeline(world, timeline_question("40h", 160), 40 * kHour);
  ASSERT_GT(found.samples(), 20'000);
  for (int hour = 0; hour < 40; ++hour) {
    const double start = seconds(world.utc(hour * kHour));
    const auto in_hour = std::count_if(found.points().begin(), found.points().end(), [&](const auto& point) {
      return point.ts() >= start && point.ts() < start + kHour;
    });
    EXPECT_GE(in_hour, 2) << hour;
    EXPECT_LE(in_hour, 6) << hour;
  }
}

TEST(LargeWindow, CountsEachSourceAndOnlyThoseAskedFor) {
  World world;
  world.boot(0);
  world.samples(0, 30 * kHour, kCadence, leaking(-2), Source::debug_heap);
  world.samples(0.5, 30 * kHour, 60, leaking(-2));
  world.samples(0.25, 30 * kHour, 300, leaking(-2), Source::thread_event);
  world.write();
  const v1::Timeline all = timeline(world, timeline_question("30h"), 30 * kHour);
  EXPECT_EQ(all.sources().at("debug_heap"), 72'000);
  EXPECT_EQ(all.sources().at("poll"), 1'800);
  EXPECT_FALSE(all.sources().contains("thread_event"));
  const v1::Timeline one = timeline(world, timeline_question("30h", 0, {"poll"}), 30 * kHour);
  EXPECT_EQ(one.samples(), 1'800);
  EXPECT_EQ(one.read_from(), "raw samples");
  const v1::Timeline two =
      timeline(world, timeline_question("30h", 0, {"debug_heap", "thread_event"}), 30 * kHour);
  EXPECT_EQ(two.samples(), 72'360);
  EXPECT_FALSE(two.sources().contains("poll"));
}

TEST(LargeWindow, IsJudgedFromMinutesAndSaysSo) {
  World world;
  world.boot(0);
  const Level level = leaking(-20);
  world.samples(0, 30 * kHour, kCadence, level, Source::debug_heap);
  world.write();
  const v1::Report page = report(world, 30 * kHour, "24h");
  const v1::Verdict& verdict = page.verdict();
  EXPECT_THAT(verdict.judged_from(), HasSubstr("minute buckets"));
  EXPECT_EQ(verdict.class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_EQ(verdict.state(), v1::VERDICT_STATE_CONFIRMED);
  EXPECT_NEAR(verdict.trend_per_min().value(), -20, 0.2);
  const Sums wanted = sums_of(level, 6 * kHour, 30 * kHour);
  EXPECT_NEAR(verdict.slope_per_min(), static_cast<double>(wanted.slope_per_min), 1e-6);
  ASSERT_EQ(verdict.boots_size(), 1);
  EXPECT_EQ(verdict.boots(0).samples(), wanted.n);
  EXPECT_EQ(verdict.boots(0).level_bytes(), static_cast<double>(level(30 * kHour - kCadence)));
  EXPECT_THAT(page.samples(), HasSubstr("57,600 over 1d"));
  EXPECT_THAT(page.samples(), HasSubstr("~1.5"));
}

TEST(LargeWindow, TellsTheLevelAtDeathByTheLastReadingOfAll) {
  World world;
  world.boot(0);
  world.samples(60, 9 * kHour, kCadence, leaking(-200), Source::stats);
  world.sample(9 * kHour + 5, 1'448);
  world.boot(9 * kHour + 20, recorder::BootCause::out_of_memory);
  world.samples(60, kHour, 60, leaking(-200), Source::stats);
  const v1::Verdict verdict = report(world, kHour, "12h").verdict();
  EXPECT_THAT(verdict.judged_from(), ::testing::StartsWith("minute"));
  ASSERT_EQ(verdict.boots_size(), 2);
  EXPECT_DOUBLE_EQ(verdict.boots(0).died_at_bytes(), 1'448);
}

TEST(LargeWindow, IsJudgedByThePublishedRulesOnTheFiguresOfEveryReading) {
  World world;
  world.boot(0);
  const Level level = leaking(-60);
  world.samples(0, 20 * kHour, kCadence, level, Source::debug_heap);
  world.write();
  const v1::Verdict steep = report(world, 20 * kHour, "19h", v1::RULES_PUBLISHED).verdict();
  EXPECT_EQ(steep.class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_NEAR(steep.slope_per_min(), static_cast<double>(sums_of(level, kHour, 20 * kHour).slope_per_min),
              1e-6);
  // The first reading after the connection was lost lies above the last one before.
  World jumping;
  jumping.boot(0);
  jumping.samples(
      0, 20 * kHour, kCadence, [](double s) -> std::int64_t { return s <= 10 * kHour ? 90'000 : 90'004; },
      Source::debug_heap);
  jumping.event(10 * kHour + 1, "connection_lost");
  jumping.write();
  EXPECT_EQ(report(jumping, 20 * kHour, "19h", v1::RULES_PUBLISHED).verdict().class_(),
            v1::VERDICT_CLASS_REBOOT_MID_WINDOW);
}

TEST(LargeWindow, OfManyDaysIsJudgedFromHours) {
  World world;
  world.boot(0);
  world.samples(0, 40 * 24 * kHour, 120, leaking(-1));
  world.write();
  const v1::Verdict verdict = report(world, 40 * 24 * kHour, "39d").verdict();
  EXPECT_THAT(verdict.judged_from(), HasSubstr("hour buckets"));
  EXPECT_EQ(verdict.class_(), v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_NEAR(verdict.trend_per_min().value(), -1, 0.05);
}

}  // namespace
}  // namespace leakhunt::answer::testing
