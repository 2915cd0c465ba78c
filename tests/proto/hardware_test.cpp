// Names and chips of hardware models.
#include "proto/hardware.h"

#include <gtest/gtest.h>

namespace leakhunt::proto {
namespace {

TEST(Hardware, KnowsNamesAndChips) {
  EXPECT_EQ(hardware_name(43), "HELTEC_V3");
  EXPECT_EQ(hardware_chip(43), Chip::esp32s3);
  EXPECT_EQ(hardware_name(255), "PRIVATE_HW");
  EXPECT_EQ(hardware_chip(255), Chip::unknown);
  EXPECT_EQ(hardware_name(9999), "");
  EXPECT_EQ(hardware_chip(9999), Chip::unknown);
}

TEST(Hardware, TheBuildEnvironmentTellsWhereTheModelDoesNot) {
  EXPECT_EQ(chip_of(255, "my-esp32s3-board"), Chip::esp32s3);
  EXPECT_EQ(chip_of(255, "something"), Chip::unknown);
  EXPECT_EQ(chip_of(9, "my-esp32s3-board"), Chip::nrf52) << "the model is the surer sign";
}

}  // namespace
}  // namespace leakhunt::proto
