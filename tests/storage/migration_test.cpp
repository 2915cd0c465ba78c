// A file of an older schema is brought up to date with all that is in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "storage/schema.h"
#include "storage/sqlite.h"
#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Migration : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream sql(LEAKHUNT_TEST_DATA "/store/version-1.sql");
    ASSERT_TRUE(sql);
    std::ofstream{folder_.file()}.flush();  // a connection creates no file
    Connection db(folder_.file(), Connection::Mode::read_write);
    db.run({std::istreambuf_iterator<char>{sql}, {}});
  }
  Folder folder_;
  SteppedClock clock_;
};

TEST_F(Migration, FromTheFirstSchemaKeepsEverything) {
  auto before = contents(folder_.file());
  ASSERT_EQ(number_in(folder_.file(), "PRAGMA user_version"), 1);
  ASSERT_THAT(before["sample"], SizeIs(4));
  { const Writer writer = writer_of(folder_.file(), clock_); }
  EXPECT_EQ(number_in(folder_.file(), "PRAGMA user_version"), schema_version());
  auto after = contents(folder_.file());
  EXPECT_THAT(after.at("port"), SizeIs(0));
  for (const auto& [table, rows] : before) EXPECT_EQ(after[table], rows) << table;
  EXPECT_EQ(integrity(folder_.file()), "ok");
  EXPECT_EQ(number_in(folder_.file(), "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

TEST_F(Migration, WhatWasThereIsReadAndGoesOn) {
  Writer writer = writer_of(folder_.file(), clock_);
  const auto state = writer.store().load_state();
  ASSERT_TRUE(state);
  ASSERT_THAT(state->devices, SizeIs(2));
  EXPECT_FALSE(state->devices[0].port);
  ASSERT_TRUE(writer.write(std::vector<recorder::Row>{
      sample_row(recorder::BootId{1}, 2s, 99), recorder::PortRow{kDevice, "/dev/ttyACM0", "", 0, 0, "", {5}},
      recorder::MergeDevices{recorder::DeviceId{2}, kDevice, {}, {}}}));
  EXPECT_EQ(writer.refused_rows(), 0);
  Reader reader = reader_of(folder_.file());
  EXPECT_THAT(reader.samples({.device = kDevice}), SizeIs(3));
  EXPECT_THAT(reader.identities(kDevice), SizeIs(2));
  EXPECT_EQ(writer.store().load_state()->devices[0].port->path, "/dev/ttyACM0");
}

TEST_F(Migration, AReaderSaysWhoBringsItUpToDate) {
  const auto reader = open_for_reading(folder_.file());
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().line(), HasSubstr("start leakhuntd on it once"));
}

}  // namespace
}  // namespace leakhunt::storage::testing
