// The decoder against an encoder that is not ours: the recorded messages of @meshtastic/protobufs 2.7.18. The
// test proto.npm makes fresh ones with the package itself.
#include "tests/proto/vectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/proto/support.h"

namespace leakhunt::proto {
namespace {

TEST(Vectors, WhatThePackageEncodesComesBackFieldByField) {
  std::istringstream vectors{testing::file("protobufs-2.7.18.jsonl")};
  const auto report = testing::compare_vectors(vectors, testing::file("protobufs-2.7.18-lacks.json"));
  EXPECT_THAT(report.differences, ::testing::IsEmpty());
  EXPECT_GT(report.messages, 100U);
  EXPECT_GE(report.telemetry, 7U);
}

TEST(Vectors, ADifferenceIsSeen) {
  std::istringstream vectors{R"({"type":"Heartbeat","hex":"0805","value":{"nonce":6}})"};
  EXPECT_THAT(testing::compare_vectors(vectors, "{}").differences, ::testing::SizeIs(1));
  std::istringstream stale{R"({"schema":{"Heartbeat":{"nonce":1}}})"};
  EXPECT_THAT(testing::compare_vectors(stale, "{}").differences, ::testing::SizeIs(1));
}

}  // namespace
}  // namespace leakhunt::proto
