// Which port an address means: the rules as tables, and what a port is best called.
#include "daemon/port_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace leakhunt::daemon {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kEspressif = 0x303a;
constexpr int kAdafruit = 0x239a;
constexpr int kBridge = 0x10c4;

PortInfo port(std::string path, int vendor = 0, std::string serial = "", std::string position = "") {
  PortInfo info;
  info.path = std::move(path);
  info.usb_vendor = vendor;
  info.usb_product = vendor == kBridge ? 0xea60 : vendor == 0 ? 0 : 1;
  info.usb_serial = std::move(serial);
  info.usb_position = std::move(position);
  return info;
}

PortInfo by_id(PortInfo info, std::string link) {
  info.by_id = std::move(link);
  return info;
}

recorder::PortRow seen(const PortInfo& info) {
  recorder::PortRow row;
  row.path = info.path;
  row.by_id = info.by_id;
  row.usb_vendor = info.usb_vendor;
  row.usb_product = info.usb_product;
  row.usb_serial = info.usb_serial;
  return row;
}

struct Case {
  const char* name;
  Address address;
  std::vector<PortInfo> ports;
  std::optional<PortInfo> remembered;
  std::string found;      // path; empty: none
  std::string said = "";  // part of the error
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class FindPort : public testing::TestWithParam<Case> {};

TEST_P(FindPort, FollowsTheRules) {
  const Case& c = GetParam();
  const std::optional<recorder::PortRow> row =
      c.remembered ? std::optional{seen(*c.remembered)} : std::nullopt;
  const auto found = find_port(c.address, c.ports, row ? &*row : nullptr);
  if (c.found.empty()) {
    ASSERT_FALSE(found) << found->path;
    EXPECT_THAT(found.error().line(), HasSubstr(c.said));
  } else {
    ASSERT_TRUE(found) << found.error().line();
    EXPECT_EQ(found->path, c.found);
  }
}

// No such nodes here: "tty..." outside the list of ports is never there.
const SerialAddress kAcm7{"/dev/ttyACM7"};
const PortInfo kBoard = port("/dev/ttyACM7", kEspressif, "34:85:18:AA:BB:01", "1-1");
const PortInfo kBoardMoved = port("/dev/ttyACM8", kEspressif, "34:85:18:AA:BB:01", "1-1");
const PortInfo kOther = port("/dev/ttyACM7", kEspressif, "34:85:18:AA:BB:02", "1-2");
const PortInfo kOtherMoved = port("/dev/ttyACM9", kEspressif, "34:85:18:AA:BB:02", "1-2");

INSTANTIATE_TEST_SUITE_P(
    Path, FindPort,
    testing::Values(
        Case{"plugged", kAcm7, {kBoard}, {}, "/dev/ttyACM7"},
        Case{"remembered_in_its_place", kAcm7, {kBoard, kOtherMoved}, kBoard, "/dev/ttyACM7"},
        Case{"back_under_another_number", kAcm7, {kBoardMoved}, kBoard, "/dev/ttyACM8"},
        Case{"numbers_swapped", kAcm7, {kOther, kBoardMoved}, kBoard, "/dev/ttyACM8"},
        Case{"another_board_in_its_place", kAcm7, {kOther}, kBoard, "/dev/ttyACM7"},
        Case{"never_seen_and_not_plugged", kAcm7, {kOtherMoved}, {}, "", "34:85:18:AA:BB:02"},
        Case{"gone", kAcm7, {kOtherMoved}, kBoard, "", "no such port"},
        Case{"two_of_the_same_identity",
             kAcm7,
             {kBoardMoved, port("/dev/ttyACM9", kEspressif, "34:85:18:AA:BB:01", "1-3")},
             kBoard,
             "",
             "no such port"},
        Case{"a_factory_serial_number_identifies_nothing",
             SerialAddress{"/dev/ttyUSB7"},
             {port("/dev/ttyUSB8", kBridge, "0001")},
             port("/dev/ttyUSB7", kBridge, "0001"),
             "",
             "no such port"},
        Case{"no_serial_number",
             SerialAddress{"/dev/ttyUSB7"},
             {port("/dev/ttyUSB8", 0x1a86)},
             port("/dev/ttyUSB7", 0x1a86),
             "",
             "no such port"},
        Case{"a_by_id_link_means_itself_alone",
             SerialAddress{"/dev/serial/by-id/none-such"},
             {kBoardMoved},
             kBoard,
             "",
             "no such port"},
        Case{"by_id",
             SerialAddress{"/dev/serial/by-id/usb-X"},
             {kOther, by_id(kBoardMoved, "/dev/serial/by-id/usb-X")},
             {},
             "/dev/ttyACM8"},
        Case{"no_port_of_the_catalogue", SerialAddress{"/dev/null"}, {kBoard}, kBoard, "/dev/null"}),
    testing::PrintToStringParamName());

const UsbAddress kUsb{"SERIAL-1"};

INSTANTIATE_TEST_SUITE_P(
    Usb, FindPort,
    testing::Values(
        Case{"the_one", kUsb, {kBoard, port("/dev/ttyACM8", kBridge, "SERIAL-1")}, {}, "/dev/ttyACM8"},
        Case{"lowest_of_one_chip",
             kUsb,
             {port("/dev/ttyACM8", kAdafruit, "SERIAL-1", "1-1"),
              port("/dev/ttyACM9", kAdafruit, "SERIAL-1", "1-1")},
             {},
             "/dev/ttyACM8"},
        Case{"two_chips",
             kUsb,
             {port("/dev/ttyACM8", kAdafruit, "SERIAL-1", "1-1"),
              port("/dev/ttyACM9", kAdafruit, "SERIAL-1", "1-2")},
             {},
             "",
             "several devices"},
        Case{"none_lists_what_is_plugged",
             kUsb,
             {kBoard},
             kBoard,
             "",
             "/dev/ttyACM7 (303a:0001, 34:85:18:AA:BB:01)"},
        Case{"nothing_plugged", kUsb, {port("/dev/ttyS0")}, {}, "", "no USB serial port is plugged in"}),
    testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(
    Auto, FindPort,
    testing::Values(
        Case{"the_one_sure_board",
             AutoAddress{},
             {port("/dev/ttyS0"), port("/dev/ttyUSB0", kBridge), kBoard},
             {},
             "/dev/ttyACM7"},
        Case{"two_sure_boards", AutoAddress{}, {kBoard, kOtherMoved}, {}, "", "several ports may be"},
        Case{"two_ports_of_one_chip",
             AutoAddress{},
             {port("/dev/ttyACM8", kAdafruit, "A", "1-1"), port("/dev/ttyACM9", kAdafruit, "A", "1-1")},
             {},
             "/dev/ttyACM8"},
        Case{"of_two_the_remembered", AutoAddress{}, {kBoardMoved, kOtherMoved}, kBoard, "/dev/ttyACM8"},
        Case{"a_bridge_is_not_sure",
             AutoAddress{},
             {port("/dev/ttyUSB0", kBridge, "ABCDEF")},
             {},
             "",
             "/dev/ttyUSB0 (10c4:ea60, ABCDEF)"},
        Case{"a_remembered_bridge_is",
             AutoAddress{},
             {port("/dev/ttyUSB1", kBridge, "ABCDEF"), port("/dev/ttyUSB2", kBridge, "GHIJKL")},
             port("/dev/ttyUSB0", kBridge, "ABCDEF"),
             "/dev/ttyUSB1"},
        Case{"a_bridge_without_a_number_is_known_in_its_place",
             AutoAddress{},
             {port("/dev/ttyUSB0", 0x1a86), port("/dev/ttyUSB1", 0x1a86)},
             port("/dev/ttyUSB1", 0x1a86),
             "/dev/ttyUSB1"},
        Case{"nor_elsewhere",
             AutoAddress{},
             {port("/dev/ttyUSB0", 0x1a86)},
             port("/dev/ttyUSB1", 0x1a86),
             "",
             "no port is surely"},
        Case{"nothing", AutoAddress{}, {}, kBoard, "", "plug a device in"}),
    testing::PrintToStringParamName());

TEST(FindPort, ALinkToAPortMeansThePort) {
  std::string folder = testing::TempDir() + "leakhunt-ports-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  fs::create_symlink("/dev/null", folder + "/ttyACM0");
  fs::create_symlink(folder + "/ttyACM0", folder + "/bench");
  const auto found =
      find_port(SerialAddress{folder + "/bench"}, {port(folder + "/ttyACM0", kEspressif, "S")}, nullptr);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->usb_serial, "S");
  fs::remove_all(folder);
}

TEST(StableLink, IsWhatStaysTheSame) {
  const PortInfo named = by_id(kBoard, "/dev/serial/by-id/usb-A");
  EXPECT_EQ(stable_link(named, {named, kOtherMoved}), "serial:/dev/serial/by-id/usb-A");
  EXPECT_EQ(stable_link(kBoard, {kBoard, kOtherMoved}), "usb:34:85:18:AA:BB:01");
  const PortInfo bridge = port("/dev/ttyUSB0", 0x1a86);
  EXPECT_EQ(stable_link(bridge, {bridge}), "serial:/dev/ttyUSB0");
}

TEST(StableLink, IsNoNameThatTwoChipsFightFor) {
  const PortInfo winner = by_id(port("/dev/ttyUSB1", kBridge, "0001", "1-2"), "/dev/serial/by-id/usb-0001");
  const PortInfo loser = port("/dev/ttyUSB0", kBridge, "0001", "1-1");
  EXPECT_EQ(stable_link(winner, {loser, winner}), "serial:/dev/ttyUSB1");
  EXPECT_EQ(stable_link(winner, {winner}), "serial:/dev/serial/by-id/usb-0001");
}

TEST(LinkAdvice, WarnsOfANumberThatHasABetterName) {
  const PortInfo named = by_id(kBoard, "/dev/serial/by-id/usb-A");
  EXPECT_THAT(link_advice(kAcm7, named, {named}),
              AllOf(HasSubstr("/dev/ttyACM7"), HasSubstr("link = \"serial:/dev/serial/by-id/usb-A\"")));
  EXPECT_EQ(link_advice(SerialAddress{named.by_id}, named, {named}), "");
  const PortInfo bridge = port("/dev/ttyUSB0", 0x1a86);
  EXPECT_EQ(link_advice(SerialAddress{bridge.path}, bridge, {bridge}), "");
  EXPECT_EQ(link_advice(SerialAddress{"/dev/ttyS0"}, port("/dev/ttyS0"), {}), "");
  EXPECT_EQ(link_advice(AutoAddress{}, named, {named}), "");
}

TEST(LinkAdvice, NamesTheDeviceAndNotWhatHasItsNumberNow) {
  const PortInfo intruder = by_id(kOther, "/dev/serial/by-id/usb-B");
  EXPECT_THAT(link_advice(kAcm7, kBoardMoved, {intruder, kBoardMoved}), HasSubstr("usb:34:85:18:AA:BB:01"));
}

TEST(PortWords, TellTheChipAndWhetherBoardsUseIt) {
  EXPECT_EQ(word(meshtastic_use(kBoard)), "only");
  EXPECT_EQ(word(meshtastic_use(port("/dev/ttyUSB0", kBridge))), "often");
  EXPECT_EQ(word(meshtastic_use(port("/dev/ttyS0"))), "no");
  EXPECT_EQ(chip_name(port("/dev/ttyUSB0", kBridge)), "Silicon Labs CP210x bridge");
  EXPECT_EQ(usb_word(port("/dev/ttyUSB0", kBridge)), "10c4:ea60");
  EXPECT_EQ(usb_word(port("/dev/ttyS0")), "");
}

}  // namespace
}  // namespace leakhunt::daemon
