// Which devices there are, and what a person may change of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "answer/exit_code.h"
#include "answer/offline.h"
#include "tests/answer/world.h"

namespace leakhunt::answer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr recorder::DeviceId kOther{2};
constexpr recorder::BootId kOtherBoot{50};

// bench1 is recorded; bench0 was once.
class Devices : public ::testing::Test {
 protected:
  void SetUp() override {
    world.boot(0);
    world.samples(0, 600, 60, leaking(0));
    add_other(kOtherBoot);
  }
  void add_other(recorder::BootId boot) {
    world.add(recorder::DeviceRow{kOther, "bench0"});
    world.add(recorder::IdentityRow{recorder::IdentityId{9}, kOther, 0x0badcafe, "Old", "O", 43, kStart});
    recorder::BootRow row;
    row.id = boot;
    row.device = kOther;
    world.add(row);
    world.add(recorder::CounterRow{kOther, "frames", 7});
  }
  Result<Reply> change(const std::string& device, const std::function<void(v1::DeviceRequest&)>& ask) {
    v1::Question question;
    question.set_device(device);
    ask(*question.mutable_change_device());
    return world.ask(question, 660);
  }
  Result<Reply> rename(const std::string& device, const std::string& name) {
    return change(device, [&](v1::DeviceRequest& request) { request.set_rename_to(name); });
  }
  Result<Reply> merge(const std::string& device, const std::string& into) {
    return change(device, [&](v1::DeviceRequest& request) { request.set_merge_into(into); });
  }
  Result<Reply> forget(const std::string& device) {
    return change(device, [](v1::DeviceRequest& request) { request.set_forget(true); });
  }
  World world;
};

TEST_F(Devices, AreTheConfiguredOnesAndTheNamesOfOthers) {
  v1::Question question;
  question.mutable_devices();
  const auto reply = world.ask(question, 660);
  ASSERT_TRUE(reply) << reply.error().line();
  const v1::Devices& devices = reply->answer.devices();
  ASSERT_THAT(devices.devices(), SizeIs(1));
  EXPECT_EQ(devices.devices(0).name(), "bench1");
  EXPECT_EQ(devices.devices(0).node(), "!42524331");
  EXPECT_EQ(devices.devices(0).links(0).state(), "connected");
  EXPECT_THAT(devices.unused(), ElementsAre("bench0"));
  EXPECT_FALSE(devices.offline());
}

TEST_F(Devices, OfflineAreAllOfTheFile) {
  v1::Question question;
  question.mutable_devices();
  const auto reply = world.ask_offline(question);
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->answer.devices().offline());
  EXPECT_THAT(reply->answer.devices().devices(), SizeIs(2));
  EXPECT_THAT(reply->answer.devices().unused(), IsEmpty());
  EXPECT_THAT(reply->answer.devices().ports(), IsEmpty());
}

TEST_F(Devices, AConfiguredOneIsRenamedWithAHint) {
  const auto reply = rename("bench1", "attic-1");
  ASSERT_TRUE(reply) << reply.error().line();
  EXPECT_EQ(reply->answer.change_device().device(), "bench1");
  EXPECT_EQ(reply->answer.change_device().now(), "attic-1");
  EXPECT_THAT(reply->answer.change_device().hint(), HasSubstr("configuration"));
  ASSERT_THAT(reply->rows, SizeIs(1));
  const auto& row = std::get<recorder::RenameDevice>(reply->rows[0]);
  EXPECT_EQ(row.device, kDevice);
  EXPECT_EQ(row.name, "attic-1");
  EXPECT_EQ(rename("bench0", "attic-0")->answer.change_device().hint(), "");
}

TEST_F(Devices, ANameMustBeFreeAndAName) {
  EXPECT_THAT(rename("bench1", "bench0").error().hint, HasSubstr("merge bench1 bench0"));
  EXPECT_EQ(rename("bench1", "bench1").error().code, ErrorCode::usage);
  for (const std::string& name : {std::string{}, std::string{"two words"}, std::string{"caf\xc3\xa9"},
                                  std::string{"a=b"}, std::string(65, 'x')}) {
    const auto reply = rename("bench1", name);
    ASSERT_FALSE(reply) << name;
    EXPECT_EQ(reply.error().code, ErrorCode::usage);
    EXPECT_THAT(reply.error().hint, HasSubstr("letters, digits"));
  }
  EXPECT_TRUE(rename("bench1", std::string(64, 'x')));
}

TEST_F(Devices, AnUnknownOneListsThoseKnown) {
  for (const auto& reply : {rename("bench7", "x"), merge("bench7", "bench1"), merge("bench0", "bench7"),
                            forget("bench7"), forget("")}) {
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::usage);
    EXPECT_THAT(reply.error().hint, HasSubstr("bench0, bench1"));
  }
}

TEST_F(Devices, AMergeBringsWhatTheRunningRecorderMustKnow) {
  world.boot(3600);  // younger than all of bench0
  recorder::BootRow young;
  young.id = recorder::BootId{60};
  young.device = kDevice;
  world.add(young);
  const auto reply = merge("bench0", "bench1");
  ASSERT_TRUE(reply) << reply.error().line();
  EXPECT_EQ(reply->answer.change_device().now(), "bench1");
  const auto& row = std::get<recorder::MergeDevices>(reply->rows.at(0));
  EXPECT_EQ(row.merged, kOther);
  EXPECT_EQ(row.into, kDevice);
  ASSERT_THAT(row.identities, SizeIs(1));
  EXPECT_EQ(row.identities[0].node, 0x0badcafeU);
  EXPECT_THAT(row.counters, ElementsAre(std::pair<std::string, std::int64_t>{"frames", 7}));
}

TEST_F(Devices, AMergeMustLeaveTheBootBeingRecordedTheLast) {
  const auto reply = merge("bench0", "bench1");
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().hint, HasSubstr("booted again"));
  world.live.clear_devices();
  EXPECT_TRUE(merge("bench0", "bench1")) << "nobody records it";
}

TEST_F(Devices, AConfiguredOneIsNeitherMergedNorForgotten) {
  for (const auto& reply : {merge("bench1", "bench0"), forget("bench1")}) {
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::usage);
    EXPECT_THAT(reply.error().hint, HasSubstr("out of the configuration"));
  }
  EXPECT_EQ(merge("bench0", "bench0").error().code, ErrorCode::usage);
}

TEST_F(Devices, OneThatIsNotConfiguredIsForgotten) {
  const auto reply = forget("bench0");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->answer.change_device().device(), "bench0");
  EXPECT_EQ(reply->answer.change_device().now(), "");
  EXPECT_EQ(std::get<recorder::ForgetDevice>(reply->rows.at(0)).device, kOther);
}

TEST_F(Devices, OneThatWasNeverRecordedCannotBeChanged) {
  world.live.add_devices()->set_name("fresh");
  EXPECT_THAT(rename("fresh", "x").error().hint, HasSubstr("configuration"));
  EXPECT_EQ(rename("bench1", "fresh").error().code, ErrorCode::usage) << "the name is taken";
  EXPECT_EQ(merge("bench0", "fresh").error().code, ErrorCode::usage);
}

TEST_F(Devices, AChangeMustBeOne) {
  EXPECT_EQ(change("bench1", [](v1::DeviceRequest&) {}).error().code, ErrorCode::usage);
}

TEST_F(Devices, AFileIsNotChanged) {
  v1::Question question;
  question.set_device("bench0");
  question.mutable_change_device()->set_forget(true);
  EXPECT_FALSE(world.ask_offline(question));
  EXPECT_EQ(answer_offline("/nowhere.db", question).error().code, ErrorCode::usage);
  question.mutable_release();
  EXPECT_EQ(answer_offline("/nowhere.db", question).error().code, ErrorCode::usage);
}

TEST_F(Devices, WhatConcernsLinksIsNotForTheStore) {
  v1::Question question;
  question.mutable_pause();
  EXPECT_EQ(world.ask(question, 660).error().code, ErrorCode::usage);
}

TEST(ExitCode, OfADoctorIsOneWhenACheckFailed) {
  v1::Answer answer;
  EXPECT_EQ(exit_code(answer, {}), 0);
  for (const char* state : {"ok", "skipped", "warning"})
    answer.mutable_doctor()->add_checks()->set_state(state);
  EXPECT_EQ(exit_code(answer, {}), 0);
  answer.mutable_doctor()->add_checks()->set_state("failed");
  EXPECT_EQ(exit_code(answer, {}), 1);
}

}  // namespace
}  // namespace leakhunt::answer::testing
