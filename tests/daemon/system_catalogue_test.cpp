// The system's catalogue over a tree of devices that umockdev makes up. Runs under umockdev-wrapper, without
// udevd.
#include <glib-object.h>
#include <gtest/gtest.h>
#include <umockdev.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "daemon/port_catalogue.h"
#include "tests/daemon/watching.h"

namespace leakhunt::daemon::testing {
namespace {

constexpr const char* kAcm = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/tty/ttyACM0";
constexpr const char* kInterface = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0";

struct Unref {
  void operator()(UMockdevTestbed* bed) const { g_object_unref(bed); }
};

class SystemCatalogue : public ::testing::Test {
 protected:
  SystemCatalogue() {
    GError* error = nullptr;
    umockdev_testbed_add_from_file(bed_.get(), LEAKHUNT_TEST_DATA "/ports/bench.umockdev", &error);
    EXPECT_EQ(error, nullptr) << error->message;
  }
  void SetUp() override { ASSERT_TRUE(umockdev_in_mock_environment()) << "run this under umockdev-wrapper"; }

  void uevent(const char* device, const char* action) { umockdev_testbed_uevent(bed_.get(), device, action); }

  // The board of the tree comes back as ttyACM`number`.
  std::string plug(int number) {
    const std::string name = "ttyACM" + std::to_string(number);
    const std::string device = std::string{kInterface} + "/tty/" + name;
    const std::string text = "P: " + device.substr(std::strlen("/sys")) + "\nN: " + name +
                             "\nL: device=../../../1-1:1.0\nE: DEVNAME=/dev/" + name +
                             "\nE: MAJOR=166\nE: MINOR=" + std::to_string(number) + "\nE: SUBSYSTEM=tty\n";
    GError* error = nullptr;
    umockdev_testbed_add_from_string(bed_.get(), text.c_str(), &error);
    EXPECT_EQ(error, nullptr) << error->message;
    uevent(device.c_str(), "add");
    return device;
  }
  void unplug(const std::string& device) {
    uevent(device.c_str(), "remove");
    umockdev_testbed_remove_device(bed_.get(), device.c_str());
  }

  std::unique_ptr<UMockdevTestbed, Unref> bed_{umockdev_testbed_new()};
};

bool has(const std::vector<PortInfo>& ports, const std::string& path) {
  return std::any_of(ports.begin(), ports.end(), [&](const PortInfo& port) { return port.path == path; });
}

TEST_F(SystemCatalogue, ListsPortsWithWhatStandsBehindThem) {
  const auto ports = system_catalogue()->ports();
  ASSERT_EQ(ports.size(), 3U);  // and no virtual terminal
  EXPECT_EQ(ports[0].path, "/dev/ttyACM0");
  EXPECT_EQ(ports[0].by_id,
            "/dev/serial/by-id/usb-Espressif_USB_JTAG_serial_debug_unit_34:85:18:AA:BB:01-if00");
  EXPECT_EQ(ports[0].usb_vendor, 0x303a);
  EXPECT_EQ(ports[0].usb_product, 0x1001);
  EXPECT_EQ(ports[0].usb_serial, "34:85:18:AA:BB:01");
  EXPECT_EQ(ports[0].usb_position, "1-1");
  EXPECT_EQ(ports[0].description, "USB JTAG/serial debug unit");
  EXPECT_TRUE(ports[0].modem_manager_ignores);
  EXPECT_EQ(ports[1].path, "/dev/ttyS1");
  EXPECT_EQ(ports[1].usb_vendor, 0);
  EXPECT_EQ(ports[2].path, "/dev/ttyUSB0");
  EXPECT_EQ(ports[2].usb_vendor, 0x10c4);
  EXPECT_EQ(ports[2].usb_serial, "0001");
  EXPECT_EQ(ports[2].by_id, "");
  EXPECT_FALSE(ports[2].modem_manager_ignores);
}

TEST_F(SystemCatalogue, TellsOfABoardThatGoesAndComesBackUnderAnotherName) {
  Watching watching{system_catalogue()};
  EXPECT_TRUE(
      watching.tells([&] { unplug(kAcm); }, [](const auto& ports) { return !has(ports, "/dev/ttyACM0"); }));
  std::string device;
  EXPECT_TRUE(watching.tells([&] { device = plug(1); },
                             [](const auto& ports) { return has(ports, "/dev/ttyACM1"); }));
  EXPECT_TRUE(
      watching.tells([&] { unplug(device); }, [](const auto& ports) { return !has(ports, "/dev/ttyACM1"); }));
}

TEST_F(SystemCatalogue, IsSilentAboutVirtualTerminals) {
  Watching watching{system_catalogue()};
  uevent("/sys/devices/virtual/tty/tty1", "change");
  // What was sent before it is read before it.
  EXPECT_TRUE(watching.tells([&] { unplug(kAcm); }, [](const auto&) { return true; }));
  EXPECT_EQ(watching.told(), 1);
}

}  // namespace
}  // namespace leakhunt::daemon::testing
