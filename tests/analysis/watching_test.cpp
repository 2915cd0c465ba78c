// Watching changes the device: found where polling or clients differ, never claimed where they do not.
#include "analysis/watching.h"

#include <gtest/gtest.h>

#include <numbers>

#include "analysis/judge.h"
#include "tests/analysis/series.h"

namespace leakhunt::analysis {
namespace {

using testing::ask;
using testing::kHour_s;
using testing::says;
using testing::stretch;
using testing::Wave;

// Six hours read by an unasked source while the recorder polls in every other hour.
bool polled_at(double t) {
  return static_cast<int>(t / kHour_s) % 2 == 0;
}

std::vector<Activity> polls_of(double uptime_s) {
  std::vector<Activity> out;
  for (double t = 0; t < 6 * kHour_s; t += 600) {
    out.push_back({1, uptime_s + t, uptime_s + t + 600, polled_at(t) ? 10.0 : 0.0, absent});
  }
  return out;
}

// `while_polled` bytes a minute are lost while polled, `always` besides.
Question watched(double while_polled, double always, unsigned seed = 7) {
  Wave w;
  w.seed = seed;
  Question q = ask({stretch(w,
                            [=](double t) {
                              const double hours = std::floor(t / kHour_s);
                              const double in_hour = t - hours * kHour_s;
                              const double polled =
                                  std::ceil(hours / 2) * 60 + (polled_at(t) ? in_hour / 60 : 0.0);
                              return 120000 - while_polled * polled - always * t / 60;
                            })},
                   "debug_heap");
  q.activity = polls_of(w.uptime_s);
  return q;
}

TEST(Watching, ALossThatGrowsWithPollingIsSaid) {
  const Verdict v = judge(watched(100, 0));
  ASSERT_TRUE(v.watching);
  EXPECT_EQ(v.watching->what, "the recorder's own polling");
  EXPECT_NEAR(v.watching->much_per_min, 100, 20);
  EXPECT_NEAR(v.watching->little_per_min, 0, 20);
  EXPECT_NEAR(v.watching->much_rate, 1, 0.2);
  EXPECT_LT(v.watching->p, 0.01);
  EXPECT_TRUE(says(v, "watching changes the device: the loss grows with the recorder's own polling"));
}

TEST(Watching, ALossThatGoesOnEitherWayIsNotBlamedOnIt) {
  int claims = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Question q = watched(0, 60, seed);
    claims += judge(q).watching ? 1 : 0;
  }
  EXPECT_LE(claims, 1);
}

TEST(Watching, AWanderingLevelIsNotBlamedOnIt) {
  int claims = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Question q = watched(0, 30, seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> step(0, 120);
    double wander = 0;
    for (Point& p : q.series[0].stretches[0].points) {
      wander = 0.98 * wander + step(random);
      p.value += wander;
    }
    claims += judge(q).watching ? 1 : 0;
  }
  EXPECT_LE(claims, 3);
}

TEST(Watching, ClientsConnectedAreSaid) {
  Question q = watched(100, 0);
  for (Activity& a : q.activity) {
    a.clients = a.polls > 0 ? 1.0 : 0.0;
    a.polls = absent;
  }
  const Verdict v = judge(q);
  ASSERT_TRUE(v.watching);
  EXPECT_EQ(v.watching->what, "clients connected");
}

TEST(Watching, ConstantPollingDecidesNothing) {
  Question q = testing::leaking(82);  // read by the polls themselves, one a minute
  EXPECT_FALSE(judge(q).watching);
  EXPECT_FALSE(says(judge(q), "poll = \"off\""));
  const Verdict slow = judge(testing::leaking(20));
  EXPECT_TRUE(slow.leak);
  EXPECT_FALSE(slow.watching);
  EXPECT_TRUE(says(slow, "compare with poll = \"off\""));
}

// The daemon polls for twenty minutes and pauses for twenty; whichever source is judged, it shows.
TEST(Watching, TheReadingsOfPollsTellWhereNothingElseDoes) {
  constexpr double kPeriod_s = 1200;
  const auto polled = [](double t) { return static_cast<int>(t / kPeriod_s) % 2 == 0; };
  Wave w;
  Question q = ask({stretch(w,
                            [&](double t) {
                              const double periods = std::floor(t / kPeriod_s);
                              const double within = polled(t) ? t - periods * kPeriod_s : 0.0;
                              return 120000 - 100 * (std::ceil(periods / 2) * kPeriod_s + within) / 60;
                            })},
                   "debug_heap");
  Stretch polls;
  polls.boot_id = 1;
  for (const Point& p : q.series[0].stretches[0].points) {
    if (polled(p.x_s - w.uptime_s)) polls.points.push_back(p);
  }
  q.series.push_back({"poll", {polls}});
  const Verdict both = judge(q);
  ASSERT_TRUE(both.watching);
  EXPECT_EQ(both.watching->what, "the recorder's own polling");
  EXPECT_GT(both.watching->much_per_min, 2 * both.watching->little_per_min);
  q.series.erase(q.series.begin());
  EXPECT_TRUE(judge(q).watching);
}

TEST(Watching, NothingKnownNothingSaid) {
  Question q = watched(100, 0);
  q.activity.clear();
  EXPECT_FALSE(judge(q).watching);
}

TEST(Watching, AnotherBootsActivityDoesNotCount) {
  Question q = watched(100, 0);
  for (Activity& a : q.activity) a.boot_id = 9;
  EXPECT_FALSE(judge(q).watching);
}

}  // namespace
}  // namespace leakhunt::analysis
