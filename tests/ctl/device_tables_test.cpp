// The answers about devices and ports as a person and a program see them.
#include "ctl/device_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ctl/confirm.h"
#include "ctl/tables.h"

namespace leakhunt::ctl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::Answer devices() {
  v1::Answer answer;
  v1::Devices& out = *answer.mutable_devices();
  v1::DeviceStatus& bench = *out.add_devices();
  bench.set_name("bench1");
  bench.set_node("!42524331");
  bench.set_long_name("Bench\x1b[2J One");
  bench.set_hardware("HELTEC_V3");
  for (const char* address : {"serial:/dev/ttyUSB0", "tcp:10.0.0.9:4403"}) {
    v1::LinkStatus& link = *bench.add_links();
    link.set_address(address);
    link.set_state("connected");
    link.set_mode("api");
  }
  bench.mutable_links(0)->set_advice("ttyUSB0 is only a number: write usb = \"0001\"");
  v1::Port& port = *out.add_ports();
  port.set_path("/dev/ttyACM0");
  port.set_by_id("/dev/serial/by-id/usb-\n\x9b");
  port.set_usb("303a:1001");
  port.set_usb_serial("=cmd()");
  port.set_chip("Espressif USB JTAG");
  port.set_meshtastic("often");
  port.set_link("serial:/dev/serial/by-id/usb-x");
  out.add_unused("bench0");
  return answer;
}

TEST(DeviceTables, DevicesStandWithTheirLinksAndBelowThemThePorts) {
  const std::string text = text_of(devices(), false);
  EXPECT_THAT(text, HasSubstr("bench1  !42524331"));
  EXPECT_THAT(text, HasSubstr("bench1  connected  api   -     serial:/dev/ttyUSB0\n"));
  EXPECT_THAT(text, HasSubstr("bench1  connected  api   -     tcp:10.0.0.9:4403\n"));
  EXPECT_THAT(text, HasSubstr("bench1: ttyUSB0 is only a number"));
  EXPECT_LT(text.find("bench1"), text.find("/dev/ttyACM0"));
  EXPECT_THAT(text, HasSubstr("303a:1001"));
  EXPECT_THAT(text, HasSubstr("to record /dev/ttyACM0: link=\"serial:/dev/serial/by-id/usb-x\"\n"));
  EXPECT_THAT(text, HasSubstr("no longer configured: bench0"));
}

TEST(DeviceTables, LongNamesOfPortsStandBelowTheirTable) {
  v1::Answer answer = devices();
  v1::Port& port = *answer.mutable_devices()->mutable_ports(0);
  port.set_by_id("/dev/serial/by-id/usb-Silicon_Labs_CP2102_USB_to_UART_Bridge_Controller_0001-if00-port0");
  port.set_usb_serial("F4:12:FA:6A:1B:2C");
  port.set_chip("Silicon Labs CP210x bridge");
  port.set_device("bench1");
  const std::string text = text_of(answer, false);
  EXPECT_THAT(text, HasSubstr("\n/dev/ttyACM0: " + port.by_id() + "\n"));
  EXPECT_THAT(text, Not(HasSubstr("to record")));
  const std::size_t row = text.find("/dev/ttyACM0  ");
  ASSERT_NE(row, std::string::npos);
  EXPECT_LE(text.find('\n', row) - row, 100U);
}

TEST(DeviceTables, WhatADeviceOrAPortSaysIsMadePrintable) {
  for (const std::string& out : {text_of(devices(), false), csv_of(devices())}) {
    EXPECT_THAT(out, Not(HasSubstr("\x1b")));
    EXPECT_THAT(out, Not(HasSubstr("\x9b")));
    EXPECT_THAT(out, Not(HasSubstr("usb-\n")));
  }
  EXPECT_THAT(csv_of(devices()), HasSubstr(",'=cmd(),"));
}

TEST(DeviceTables, OfflineThereAreNoPorts) {
  v1::Answer answer = devices();
  answer.mutable_devices()->set_offline(true);
  answer.mutable_devices()->clear_ports();
  EXPECT_THAT(text_of(answer, false), HasSubstr("answered from the file"));
  EXPECT_THAT(text_of(answer, false), Not(HasSubstr("no serial port found")));
}

TEST(DeviceTables, CsvOfDevicesHasOneKindOfRow) {
  const std::string out = csv_of(devices());
  EXPECT_THAT(out, HasSubstr("kind,name,address,state"));
  EXPECT_THAT(out, HasSubstr("\nlink,bench1,serial:/dev/ttyUSB0,connected,api,!42524331"));
  EXPECT_THAT(out, HasSubstr("\nunused,bench0,"));
}

TEST(DeviceTables, AReleaseTellsHowToTakeItBack) {
  v1::Answer answer;
  answer.mutable_release()->set_device("bench1");
  answer.mutable_release()->add_links("serial:/dev/ttyACM0");
  answer.mutable_release()->set_until(1'764'500'000);
  EXPECT_THAT(text_of(answer, false), HasSubstr("given up: serial:/dev/ttyACM0, until 20"));
  EXPECT_THAT(text_of(answer, false), HasSubstr("leakhuntctl resume bench1\n"));
  EXPECT_EQ(csv_of(answer),
            "device,since,until,links\nbench1,0.000000,1764500000.000000,serial:/dev/ttyACM0\n");
}

TEST(DeviceTables, AResumeTellsWhatCameBack) {
  v1::Answer answer;
  answer.mutable_resume();
  EXPECT_EQ(text_of(answer, false), "nothing was released or paused\n");
  answer.mutable_resume()->set_recorder(true);
  answer.mutable_resume()->add_devices("bench1");
  EXPECT_EQ(text_of(answer, false), "the pause has ended\ntaken back: bench1\n");
}

TEST(DeviceTables, DebugLogTellsWhatWasReadBack) {
  v1::Answer answer;
  answer.mutable_debug_log()->set_device("bench1");
  answer.mutable_debug_log()->set_is(true);
  answer.mutable_debug_log()->set_rebooted(true);
  EXPECT_EQ(text_of(answer, false),
            "bench1: the API log was off, the device has rebooted, and reads back on\n");
  answer.mutable_debug_log()->set_was(true);
  answer.mutable_debug_log()->set_rebooted(false);
  EXPECT_THAT(text_of(answer, false), HasSubstr("was on already, nothing was changed"));
}

TEST(DeviceTables, EachCheckHasOneLineAndOneRemedy) {
  v1::Answer answer;
  v1::Check& check = *answer.mutable_doctor()->add_checks();
  check.set_name("port");
  check.set_state("failed");
  check.set_what("/dev/ttyACM0 is held by evil\x1b[m (pid 5)");
  check.set_remedy("stop it");
  EXPECT_EQ(text_of(answer, false),
            "failed   port: /dev/ttyACM0 is held by evil\\x1b[m (pid 5)\n         do: stop it\n");
}

TEST(DeviceTables, StatusTellsWhoIsReleasedAndPaused) {
  v1::Answer answer;
  v1::Status& status = *answer.mutable_status();
  status.set_paused(true);
  status.set_paused_since(1'764'500'000);
  v1::DeviceStatus& bench = *status.add_devices();
  bench.set_name("bench1");
  bench.set_released_since(1'764'500'000);
  v1::LinkStatus& link = *bench.add_links();
  link.set_address("usb:0001");
  link.set_port("/dev/ttyACM3");
  link.set_advice("write by-id");
  const std::string text = text_of(answer, false);
  EXPECT_THAT(text, HasSubstr("\npaused      : since 20"));
  EXPECT_THAT(text, HasSubstr("until leakhuntctl resume\n"));
  EXPECT_THAT(text, HasSubstr("until its program ends, or leakhuntctl resume bench1\n"));
  EXPECT_THAT(text, HasSubstr("port    : /dev/ttyACM3\n"));
  EXPECT_THAT(text, HasSubstr("advice  : write by-id\n"));
}

TEST(DeviceTables, StatusInOneLineIsOfTheLinkThatReceives) {
  v1::Answer answer;
  v1::DeviceStatus& bench = *answer.mutable_status()->add_devices();
  bench.add_links()->set_state("waiting");
  bench.add_links()->set_state("listening");
  EXPECT_THAT(text_of(answer, true), HasSubstr(": listening,"));
}

TEST(Confirm, WhatRebootsOrDeletesIsToldBeforehand) {
  v1::Question question;
  question.set_device("bench1");
  question.mutable_debug_log()->set_on(true);
  EXPECT_THAT(warning_of(question), HasSubstr("bench1"));
  EXPECT_THAT(warning_of(question), HasSubstr("REBOOTS"));
  EXPECT_THAT(warning_of(question), HasSubstr("over TCP a device sends none"));
  question.mutable_change_device()->set_forget(true);
  EXPECT_THAT(warning_of(question), HasSubstr("cannot be undone"));
  question.mutable_change_device()->set_rename_to("x");
  EXPECT_EQ(warning_of(question), "");
}

TEST(Confirm, TheDeviceIsTheOneTheRecorderHas) {
  v1::Question question;
  question.mutable_debug_log()->set_on(true);
  v1::Status status;
  EXPECT_FALSE(device_meant(question, status));
  status.add_devices()->set_name("attic");
  status.add_devices()->set_name("bench1");
  status.mutable_devices(1)->add_links();
  EXPECT_EQ(*device_meant(question, status), "bench1") << "attic is in the store alone";
  status.mutable_devices(0)->add_links();
  EXPECT_THAT(device_meant(question, status).error().hint, HasSubstr("attic, bench1"));
  status.mutable_devices()->RemoveLast();
  status.mutable_devices(0)->clear_links();
  question.set_device("attic");
  EXPECT_THAT(device_meant(question, status).error().what, HasSubstr("\"attic\" is configured"));
  question.mutable_change_device()->set_forget(true);
  EXPECT_EQ(*device_meant(question, status), "attic");
  status.mutable_devices(0)->add_links();
  EXPECT_THAT(device_meant(question, status).error().what, HasSubstr("is being recorded"));
}

}  // namespace
}  // namespace leakhunt::ctl
