// Names and chips of hardware models.
#include "proto/hardware.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

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

// The copy of the firmware's own list: number, tab, name.
TEST(Hardware, HoldsEveryModelOfTheList) {
  std::ifstream list{LEAKHUNT_TEST_DATA "/hardware-models.tsv"};
  std::set<std::uint32_t> listed;
  std::string name;
  for (std::uint32_t number = 0; list >> number >> name;) {
    EXPECT_EQ(hardware_name(number), name);
    listed.insert(number);
  }
  ASSERT_GT(listed.size(), 100U);
  for (std::uint32_t number = 0; number < 1000; ++number) {
    EXPECT_EQ(hardware_name(number).empty(), !listed.contains(number)) << number;
  }
}

TEST(Hardware, TellsTheChipOfEveryModelWhoseNameDoes) {
  for (std::uint32_t number = 0; number < 1000; ++number) {
    const std::string_view name = hardware_name(number);
    const auto has = [&](const char* part) { return name.find(part) != std::string_view::npos; };
    if (has("NRF52")) {
      EXPECT_EQ(hardware_chip(number), Chip::nrf52) << name;
    }
    if (has("RP2040")) {
      EXPECT_EQ(hardware_chip(number), Chip::rp2040) << name;
    }
    if (has("ESP32_S3") || name.ends_with("_S3")) {
      EXPECT_EQ(hardware_chip(number), Chip::esp32s3) << name;
    }
  }
}

TEST(Hardware, TheBuildEnvironmentTellsWhereTheModelDoesNot) {
  EXPECT_EQ(chip_of(255, "my-esp32s3-board"), Chip::esp32s3);
  EXPECT_EQ(chip_of(255, "something"), Chip::unknown);
  EXPECT_EQ(chip_of(9, "my-esp32s3-board"), Chip::nrf52) << "the model is the surer sign";
}

}  // namespace
}  // namespace leakhunt::proto
