// What the doctor says: over made-up facts, and over facts gathered from made-up /proc folders and real
// sockets.
#include "daemon/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace leakhunt::daemon {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

PortFacts board() {
  PortFacts facts;
  facts.port.path = "/dev/ttyACM0";
  facts.port.usb_vendor = 0x303a;
  facts.port.modem_manager_ignores = true;
  facts.may_open = true;
  facts.group = "dialout";
  facts.mode = 0660;
  return facts;
}

HostFacts well() {
  HostFacts facts;
  facts.user = "ada";
  facts.ports = {board()};
  facts.has_udev_rule = true;
  facts.clock_synchronised = true;
  facts.now = Utc{1'800'000'000'000'000};
  facts.state_dir = "/var/lib/leakhunt";
  facts.may_write_state = true;
  facts.free_bytes = std::int64_t{1} << 40;
  facts.unit = "active";
  return facts;
}

std::vector<DeviceConfig> one_device() {
  DeviceConfig device;
  device.name = "bench";
  device.links.push_back({TcpAddress{"bench.local"}, LinkMode::api});
  return {device};
}

v1::Status running(const std::string& state, double last_received = 1000) {
  v1::Status status;
  status.set_now(1060);
  v1::DeviceStatus& device = *status.add_devices();
  device.set_name("bench");
  v1::LinkStatus& link = *device.add_links();
  link.set_address("tcp:bench.local:4403");
  link.set_state(state);
  link.set_last_received_ts(last_received);
  return status;
}

const v1::Check* find(const v1::Doctor& doctor, const std::string& name) {
  for (const v1::Check& check : doctor.checks()) {
    if (check.name() == name) return &check;
  }
  return nullptr;
}

TEST(Doctor, FindsNothingWhereAllIsWell) {
  const v1::Status live = running("connected");
  const v1::Doctor doctor = judge(well(), one_device(), {}, &live);
  for (const v1::Check& check : doctor.checks()) {
    EXPECT_EQ(check.state(), "ok") << check.name() << ": " << check.what();
    EXPECT_EQ(check.remedy(), "") << check.name();
    EXPECT_NE(check.what(), "") << check.name();
  }
  for (const char* name : {"groups", "port /dev/ttyACM0", "udev rule", "ModemManager", "brltty", "clock",
                           "space", "unit", "device bench"})
    EXPECT_NE(find(doctor, name), nullptr) << name;
}

struct Trouble {
  const char* name;
  std::function<void(HostFacts&)> make;
  std::string check;
  std::string state;
  std::string what;
  std::string remedy;
};

void PrintTo(const Trouble& trouble, std::ostream* out) {
  *out << trouble.name;
}

class DoctorFinds : public testing::TestWithParam<Trouble> {};

TEST_P(DoctorFinds, OneLineAndOneRemedy) {
  const Trouble& trouble = GetParam();
  HostFacts facts = well();
  trouble.make(facts);
  const v1::Doctor doctor = judge(facts, one_device(), {}, nullptr);
  const v1::Check* check = find(doctor, trouble.check);
  ASSERT_NE(check, nullptr);
  EXPECT_EQ(check->state(), trouble.state) << check->what();
  EXPECT_THAT(check->what(), HasSubstr(trouble.what));
  EXPECT_THAT(check->remedy(), HasSubstr(trouble.remedy));
  EXPECT_EQ((check->what() + check->remedy()).find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Each, DoctorFinds,
    testing::Values(
        Trouble{"no_group", [](auto& f) { f.ports[0].may_open = false; }, "groups", "failed",
                "not in the group dialout", "usermod -aG dialout ada"},
        Trouble{"old_session",
                [](auto& f) {
                  f.ports[0].may_open = false;
                  f.ports[0].is_member = true;
                },
                "groups", "failed", "session began before", "log in again"},
        Trouble{"root", [](auto& f) { f.is_root = true; }, "groups", "ok", "root", ""},
        Trouble{"no_port", [](auto& f) { f.ports.clear(); }, "groups", "skipped", "no port", ""},
        Trouble{"no_permission", [](auto& f) { f.ports[0].may_open = false; }, "port /dev/ttyACM0", "failed",
                "group dialout, mode 0660", "usermod"},
        Trouble{"held", [](auto& f) { f.ports[0].holder = "4711 (minicom)"; }, "port /dev/ttyACM0", "warning",
                "4711 (minicom)", "leakhuntctl release"},
        Trouble{"held_by_a_recorder", [](auto& f) { f.ports[0].holder = "4711 (leakhuntd)"; },
                "port /dev/ttyACM0", "ok", "4711 (leakhuntd)", ""},
        Trouble{"no_rule",
                [](auto& f) {
                  f.has_udev_rule = false;
                  f.ports[0].port.modem_manager_ignores = false;
                },
                "udev rule", "warning", "/dev/ttyACM0", "60-leakhunt.rules"},
        Trouble{"no_rule_but_systemds", [](auto& f) { f.has_udev_rule = false; }, "udev rule", "ok",
                "no port", ""},
        Trouble{"rule_not_applied", [](auto& f) { f.ports[0].port.modem_manager_ignores = false; },
                "udev rule", "warning", "not applied", "udevadm"},
        Trouble{"modem_manager",
                [](auto& f) {
                  f.modem_manager_runs = true;
                  f.ports[0].port.modem_manager_ignores = false;
                },
                "ModemManager", "warning", "/dev/ttyACM0", "disable --now ModemManager"},
        Trouble{"modem_manager_that_keeps_away", [](auto& f) { f.modem_manager_runs = true; }, "ModemManager",
                "ok", "leaves the ports", ""},
        Trouble{"brltty", [](auto& f) { f.brltty_runs = true; }, "brltty", "warning", "braille",
                "disable --now brltty"},
        Trouble{"clock_of_1970", [](auto& f) { f.now = Utc{0}; }, "clock", "failed", "year", "timedatectl"},
        Trouble{"clock_alone", [](auto& f) { f.clock_synchronised = false; }, "clock", "warning",
                "not synchronised", "timedatectl"},
        Trouble{"little_space", [](auto& f) { f.free_bytes = 500 << 20; }, "space", "warning", "500 MiB",
                "free some"},
        Trouble{"no_space", [](auto& f) { f.free_bytes = 50 << 20; }, "space", "failed", "50 MiB",
                "free some"},
        Trouble{"no_folder", [](auto& f) { f.may_write_state = false; }, "space", "failed",
                "/var/lib/leakhunt", "--state-dir"},
        Trouble{"unit_failed", [](auto& f) { f.unit = "failed"; }, "unit", "failed", "has failed",
                "journalctl"},
        Trouble{"unit_absent", [](auto& f) { f.unit = "not-found"; }, "unit", "warning", "not installed",
                "README"},
        Trouble{"unit_stopped", [](auto& f) { f.unit = "inactive"; }, "unit", "warning", "inactive",
                "enable --now"},
        Trouble{"no_systemd", [](auto& f) { f.unit = ""; }, "unit", "skipped", "systemd does not run", ""},
        Trouble{"no_recorder", [](auto&) {}, "device bench", "skipped", "no recorder runs", ""}),
    testing::PrintToStringParamName());

TEST(Doctor, TellsWhetherADeviceAnswers) {
  const auto check_of = [](const v1::Status& live) {
    return *find(judge(well(), one_device(), {}, &live), "device bench");
  };
  EXPECT_EQ(check_of(running("connected")).state(), "ok");
  EXPECT_EQ(check_of(running("listening")).state(), "ok");
  EXPECT_EQ(check_of(running("listening", 10)).state(), "warning");
  EXPECT_EQ(check_of(running("released")).state(), "skipped");
  v1::Status live = running("waiting");
  live.mutable_devices(0)->mutable_links(0)->set_trouble("connection refused");
  EXPECT_EQ(check_of(live).state(), "failed");
  EXPECT_THAT(check_of(live).what(), HasSubstr("connection refused"));
  v1::LinkStatus& second = *live.mutable_devices(0)->add_links();
  second.set_address("serial:/dev/ttyACM0");
  second.set_state("connected");
  EXPECT_EQ(check_of(live).state(), "warning");
  EXPECT_THAT(check_of(live).what(), HasSubstr("answers over serial:/dev/ttyACM0"));
}

TEST(Doctor, WithoutARecorderLooksForThePorts) {
  std::vector<DeviceConfig> devices = one_device();
  devices[0].links = {{UsbAddress{"34:85:18:AA:BB:01"}, LinkMode::api}};
  const v1::Doctor absent = judge(well(), devices, {}, nullptr);
  EXPECT_EQ(find(absent, "device bench")->state(), "failed");
  EXPECT_THAT(find(absent, "device bench")->what(), HasSubstr("34:85:18:AA:BB:01"));
  PortInfo port = board().port;
  port.usb_serial = "34:85:18:AA:BB:01";
  EXPECT_EQ(find(judge(well(), devices, {port}, nullptr), "device bench")->state(), "skipped");
  devices[0].links = {{SerialAddress{"/dev/ttyACM0"}, LinkMode::api}};
  const v1::Doctor numbered = judge(well(), devices, {port}, nullptr);
  EXPECT_EQ(find(numbered, "device bench")->state(), "warning");
  EXPECT_THAT(find(numbered, "device bench")->remedy(), HasSubstr("usb:34:85:18:AA:BB:01"));
}

TEST(Doctor, SaysWhenNoDeviceIsConfigured) {
  EXPECT_THAT(find(judge(well(), {}, {}, nullptr), "devices")->remedy(), HasSubstr("--list-ports"));
}

class HostFactsOf : public testing::Test {
 protected:
  HostFactsOf() { EXPECT_NE(::mkdtemp(folder_.data()), nullptr); }
  ~HostFactsOf() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path at(const std::string& name) const { return fs::path{folder_} / name; }
  void process(const std::string& pid, const std::string& name, const std::string& opened = "") const {
    fs::create_directories(at(pid) / "fd");
    std::ofstream{at(pid) / "comm"} << name << '\n';
    if (!opened.empty()) fs::create_symlink(opened, at(pid) / "fd" / "3");
  }

  std::string folder_ = testing::TempDir() + "leakhunt-host-XXXXXX";
};

TEST_F(HostFactsOf, ProcessesByName) {
  process("10", "ModemManager");
  process("11", "brlttyd");
  EXPECT_TRUE(is_running(folder_, "ModemManager"));
  EXPECT_FALSE(is_running(folder_, "brltty"));
  EXPECT_FALSE(is_running(at("nowhere"), "brltty"));
}

TEST_F(HostFactsOf, APortAndItsHolder) {
  PortInfo port;
  port.path = at("ttyUSB0");
  std::ofstream{port.path} << "";
  ASSERT_EQ(::chmod(port.path.c_str(), 0640), 0);
  process("10", "minicom", port.path);
  const PortFacts facts = look_at(port, folder_);
  EXPECT_TRUE(facts.may_open);
  EXPECT_EQ(facts.mode, 0640U);
  EXPECT_EQ(facts.holder, "10 (minicom)");
  EXPECT_NE(facts.group, "");
}

TEST_F(HostFactsOf, TheUdevRule) {
  HostRoots roots;
  roots.udev_rules = {at("nowhere"), at("rules.d")};
  fs::create_directory(at("rules.d"));
  EXPECT_FALSE(has_udev_rule(roots));
  std::ofstream{at("rules.d") / kUdevRule} << "";
  EXPECT_TRUE(has_udev_rule(roots));
}

TEST_F(HostFactsOf, AFolderThatIsNotThereYet) {
  HostRoots roots;
  roots.proc = folder_;
  roots.run = folder_;  // no systemd
  const HostFacts facts = gather(roots, {}, at("state/of/mine"));
  EXPECT_TRUE(facts.may_write_state);
  ASSERT_TRUE(facts.free_bytes);
  EXPECT_GT(*facts.free_bytes, 0);
  EXPECT_EQ(facts.unit, "");
  EXPECT_FALSE(facts.modem_manager_runs);
  EXPECT_NE(facts.user, "");
}

}  // namespace
}  // namespace leakhunt::daemon
