// The catalogue that tests use: links in a folder, described by files beside them, watched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "daemon/port_catalogue.h"
#include "tests/daemon/watching.h"

namespace leakhunt::daemon::testing {
namespace {

namespace fs = std::filesystem;

class FolderCatalogue : public ::testing::Test {
 protected:
  FolderCatalogue() { EXPECT_NE(::mkdtemp(folder_.data()), nullptr); }
  ~FolderCatalogue() override { fs::remove_all(folder_); }

  void plug(const std::string& name, const std::string& description = "") const {
    if (!description.empty()) std::ofstream{at(name) + ".toml"} << description;
    fs::create_symlink("/dev/null", at(name));
  }
  [[nodiscard]] std::string at(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_ = ::testing::TempDir() + "leakhunt-ports-XXXXXX";
};

TEST_F(FolderCatalogue, ListsLinksWithTheirDescriptions) {
  plug("ttyUSB10");
  plug("ttyUSB2");
  plug("ttyACM0",
       "usb_vendor = 0x303a\nusb_product = 0x1001\nusb_serial = \"A\\u001b1\"\nusb_position = \"1-1\"\n"
       "description = \"a board\"\nby_id = \"/dev/serial/by-id/usb-A\"\n");
  fs::create_symlink("/dev/ttyNOWHERE", at("ttyUSB3"));
  const auto ports = folder_catalogue(folder_)->ports();
  ASSERT_EQ(ports.size(), 3U);
  EXPECT_EQ(ports[0].path, at("ttyACM0"));
  EXPECT_EQ(ports[0].usb_vendor, 0x303a);
  EXPECT_EQ(ports[0].usb_product, 0x1001);
  EXPECT_EQ(ports[0].usb_serial, "A\\x1b1");
  EXPECT_EQ(ports[0].usb_position, "1-1");
  EXPECT_EQ(ports[0].description, "a board");
  EXPECT_EQ(ports[0].by_id, "/dev/serial/by-id/usb-A");
  EXPECT_EQ(ports[1].path, at("ttyUSB2"));
  EXPECT_EQ(ports[2].path, at("ttyUSB10"));
}

TEST_F(FolderCatalogue, TellsWhatIsPluggedInAndOut) {
  Watching watching{folder_catalogue(folder_)};
  const auto is_only = [&](const std::string& name) {
    return [this, name](const std::vector<PortInfo>& ports) {
      return ports.size() == 1 && ports[0].path == at(name);
    };
  };
  EXPECT_TRUE(watching.tells([&] { plug("ttyACM0"); }, is_only("ttyACM0")));
  EXPECT_TRUE(watching.tells([&] { fs::rename(at("ttyACM0"), at("ttyACM1")); }, is_only("ttyACM1")));
  EXPECT_TRUE(
      watching.tells([&] { fs::remove(at("ttyACM1")); }, [](const auto& ports) { return ports.empty(); }));
}

TEST_F(FolderCatalogue, SaysWhenThereIsNothingToWatch) {
  Loop loop{"ports", [](const std::string&) {}};
  const auto watched = folder_catalogue(at("nowhere"))->watch(loop, [] {});
  ASSERT_FALSE(watched);
  EXPECT_THAT(watched.error().line(), ::testing::HasSubstr("nowhere"));
}

}  // namespace
}  // namespace leakhunt::daemon::testing
