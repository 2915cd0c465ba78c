// What the recorder knows beside the readings reaches the judge: clients that came and went, call sites, what
// parts of the firmware hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/answer/world.h"

namespace leakhunt::answer {
namespace {

using ::testing::HasSubstr;
using testing::report;
using testing::World;

constexpr double kHour = 3600;

bool tells(const v1::Report& answer, const std::string& words) {
  for (const v1::Finding& finding : answer.verdict().findings()) {
    if (finding.text().find(words) != std::string::npos) return true;
  }
  return false;
}

// A network client for the first half of every second hour; memory is lost only meanwhile.
double lost_with_clients(double s) {
  const double whole = std::floor(s / (2 * kHour));
  return 300 * (whole * 60 + std::min(60.0, std::fmod(s, 2 * kHour) / 60));
}

TEST(Watched, ALossThatGrowsWithClientsIsToldAsSuch) {
  World world;
  world.boot(0);
  world.samples(
      0, 24 * kHour, 20, [](double s) { return std::llround(280'000 - lost_with_clients(s)); },
      recorder::Source::debug_heap);
  for (int i = 0; i < 12; ++i) {
    world.event(2 * kHour * i + 1, "connection_established", "tcp");
    world.event(2 * kHour * i + kHour, "connection_lost", "tcp");
  }
  EXPECT_TRUE(tells(report(world, 24 * kHour, "24h"), "client"));
}

TEST(Watched, AClientThatStaysTellsNothing) {
  World world;
  world.boot(0);
  world.samples(
      0, 24 * kHour, 20, [](double s) { return std::llround(280'000 - 100 * s / 60); },
      recorder::Source::debug_heap);
  world.event(1, "connection_established", "tcp");
  EXPECT_FALSE(tells(report(world, 24 * kHour, "24h"), "clients"));
}

TEST(Watched, CallSitesAndHoldingsAreTold) {
  World world;
  world.boot(0);
  world.samples(0, 6 * kHour, 60, testing::leaking(-80));
  for (int i = 0; i < 72; ++i) {
    recorder::CallSiteRow site;
    site.device = testing::kDevice;
    site.at = {recorder::BootId{1}, from_seconds(60 + 300.0 * i)};
    site.context = "MeshPacketQueue";
    site.size_bytes = 400;
    world.add(site);
    recorder::MemAuditRow audit;
    audit.device = testing::kDevice;
    audit.at = {recorder::BootId{1}, from_seconds(61 + 300.0 * i)};
    audit.when = "periodic";
    audit.tag_bytes = {{"pkthist", 10'000 + 400 * i}, {"nodedb", 9'000}};
    world.add(audit);
  }
  const v1::Report answer = report(world, 6 * kHour, "6h");
  EXPECT_TRUE(tells(answer, "MeshPacketQueue"));
  EXPECT_TRUE(tells(answer, "pkthist"));
}

}  // namespace
}  // namespace leakhunt::answer
