// Reading the config: what it gives, and that each fault gets one line with file, line, key, value and
// remedy.
#include "daemon/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <string_view>

namespace leakhunt::daemon {
namespace {

using recorder::RecordOthers;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Config, ReadsEveryKey) {
  const auto config = parse_config(R"(
state_dir = "/var/lib/leakhunt"
durable_interval = "30s"
queue_bytes = 2097152
record_others = "all"
[alerts]
warn_horizon = "48h"
critical_horizon = "2h"
imminent_horizon = "20m"
steep_slope_bytes_per_min = 80
steep_range_bytes = 2000
[[log_format]]
name = "mine"
pattern = '(?P<uptime>\d+) heap (?P<free>\d+)'
unit = "KiB"
[[device]]
name = "bench1"
link = "tcp:bench.local"
poll = "90s"
reserve_bytes = 4096
min_free_bytes = 20000
[[device]]
name = "bench2"
links = ["tcp:[fe80::1]:4404", "serial:/dev/serial/by-id/x#listen"]
poll = "off"
[[device]]
name = "bench3"
link = "serial:/dev/ttyUSB0"
mode = "listen"
)",
                                   "x.toml");
  ASSERT_TRUE(config) << config.error().line();
  EXPECT_EQ(config->state_dir, "/var/lib/leakhunt");
  EXPECT_EQ(config->durable_interval, Duration{30'000'000});
  EXPECT_EQ(config->queue_bytes, 2'097'152U);
  EXPECT_EQ(config->record_others, RecordOthers::all);
  EXPECT_EQ(config->alerts.warn_horizon, Duration{48 * 3'600'000'000LL});
  EXPECT_EQ(config->alerts.imminent_horizon, Duration{20 * 60'000'000LL});
  EXPECT_EQ(config->alerts.steep_slope_bytes_per_min, 80);
  EXPECT_EQ(config->alerts.steep_range_bytes, 2000);
  ASSERT_EQ(config->log_formats.size(), 1U);
  EXPECT_EQ(config->log_formats[0].name, "mine");
  EXPECT_EQ(config->log_formats[0].unit, "KiB");
  ASSERT_EQ(config->devices.size(), 3U);
  EXPECT_EQ(config->devices[0].poll, Duration{90'000'000});
  EXPECT_EQ(config->devices[0].reserve_bytes, 4096);
  EXPECT_EQ(config->devices[0].min_free_bytes, 20000);
  EXPECT_EQ(word(config->devices[0].links[0].address), "tcp:bench.local:4403");
  EXPECT_EQ(word(config->devices[1].links[0].address), "tcp:[fe80::1]:4404");
  EXPECT_EQ(config->devices[1].poll, std::nullopt);
  EXPECT_EQ(config->devices[1].links[1].mode, LinkMode::listen);
  EXPECT_EQ(config->devices[2].links[0].mode, LinkMode::listen);
}

TEST(Config, ALinkHasOneReader) {
  const auto twice = parse_config("[[device]]\nname='a'\nlinks=['tcp:h','tcp:h:4403']\n", "x.toml");
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().line(), AllOf(HasSubstr("x.toml:3"), HasSubstr("each link once")));
  EXPECT_FALSE(
      parse_config("[[device]]\nname='a'\nlink='auto'\n[[device]]\nname='b'\nlink='auto'\n", "x.toml"));
  Config config;
  ASSERT_TRUE(add_device_argument(config, "a=serial:/dev/x"));
  EXPECT_FALSE(add_device_argument(config, "b=serial:/dev/x#listen"));
  EXPECT_TRUE(add_device_argument(config, "a=serial:/dev/x#listen"));
}

TEST(Config, AModeStandsBehindALinkThatCanHaveIt) {
  for (const char* link : {"tcp:h#listen", "tcp:h#auto", "tcp:h#foo", "tcp:h:4403#foo", "serial:/x#foo",
                           "usb:#listen", "serial:#listen", "auto#"})
    EXPECT_FALSE(parse_link(link, LinkMode::api)) << link;
  EXPECT_EQ(parse_link("serial:/x#listen", LinkMode::api)->mode, LinkMode::listen);
  EXPECT_EQ(parse_link("usb:ABC#auto", LinkMode::api)->mode, LinkMode::automatic);
  EXPECT_EQ(parse_link("tcp:h#gentle", LinkMode::api)->mode, LinkMode::gentle);
  EXPECT_EQ(parse_link("auto#api", LinkMode::listen)->mode, LinkMode::api);
  EXPECT_EQ(*parse_link("usb:ABC", LinkMode::gentle), (LinkSpec{UsbAddress{"ABC"}, LinkMode::gentle}));
}

TEST(Config, AHookIsAProgramOrAListOfWords) {
  const auto hook_of = [](const std::string& value) {
    const auto config = parse_config("[alerts]\nhook = " + value + "\nhook_limit = \"5s\"\n", "x.toml");
    return config ? config->hook.program : std::vector<std::string>{config.error().line()};
  };
  EXPECT_EQ(hook_of("\"/bin/notify\""), (std::vector<std::string>{"/bin/notify"}));
  EXPECT_EQ(hook_of("[\"notify\", \"-t\", \"\"]"), (std::vector<std::string>{"notify", "-t", ""}));
  for (const char* bad : {"\"\"", "[]", "[\"\"]", "[1]", "true"})
    EXPECT_THAT(hook_of(bad).front(), testing::HasSubstr("alerts.hook = ")) << bad;
  EXPECT_EQ(parse_config("", "x.toml")->hook.limit, std::chrono::seconds{30});
  EXPECT_FALSE(parse_config("[alerts]\nhook_limit = \"100ms\"\n", "x.toml"));
}

TEST(Config, HorizonsStandInTheirOrder) {
  const auto inverted = parse_config("[alerts]\nwarn_horizon='1h'\ncritical_horizon='2h'\n", "x.toml");
  ASSERT_FALSE(inverted);
  EXPECT_THAT(inverted.error().line(), AllOf(HasSubstr("x.toml:1"), HasSubstr("out of order")));
}

TEST(Config, OnlyARegularFileIsRead) {
  for (const char* path : {"/", "/dev/zero"}) {
    const auto config = load_config(path);
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().code, ErrorCode::usage);
    EXPECT_EQ(config.error().where, path);
  }
}

TEST(Config, IsEmptyByDefault) {
  const auto config = parse_config("", "x.toml");
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->devices.empty());
  EXPECT_EQ(config->record_others, RecordOthers::counts);
  EXPECT_EQ(config->durable_interval, Duration{60'000'000});
}

TEST(Config, RetentionIsReadAndMinuteBucketsFollowTheRawSamples) {
  const auto config = parse_config(
      "[retention]\ntext = \"7d\"\npackets = \"2d\"\nheap_raw = \"30d\"\nmax_bytes = 0\n", "x.toml");
  ASSERT_TRUE(config) << config.error().line();
  EXPECT_EQ(config->retention.text, std::chrono::hours{7 * 24});
  EXPECT_EQ(config->retention.packets, std::chrono::hours{48});
  EXPECT_EQ(config->retention.telemetry_raw, std::chrono::hours{90 * 24});
  EXPECT_EQ(config->retention.heap_raw, std::chrono::hours{30 * 24});
  EXPECT_EQ(config->retention.minute_buckets, std::chrono::hours{120 * 24});
  EXPECT_EQ(config->retention.max_bytes, 0);
  const auto given = parse_config("[retention]\nminute_buckets = \"50d\"\n", "x.toml");
  ASSERT_TRUE(given);
  EXPECT_EQ(given->retention.minute_buckets, std::chrono::hours{50 * 24});
}

struct Fault {
  const char* name;
  const char* text;
  const char* place;    // file:line
  const char* key;      // key and value as shown
  const char* allowed;  // part of what is allowed
};

class ConfigFault : public testing::TestWithParam<Fault> {};

TEST_P(ConfigFault, IsOneLineThatNamesPlaceKeyValueAndRemedy) {
  const Fault& fault = GetParam();
  const auto config = parse_config(fault.text, "leakhuntd.toml");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::usage);
  EXPECT_THAT(config.error().line(), AllOf(HasSubstr(fault.place), HasSubstr(fault.key),
                                           HasSubstr(fault.allowed), Not(HasSubstr("\n"))));
}

INSTANTIATE_TEST_SUITE_P(
    Each, ConfigFault,
    testing::Values(
        Fault{"syntax", "state_dir = \n", "leakhuntd.toml:1", "", "TOML"},
        Fault{"unknown_key", "\nstate_dri = \"x\"\n", "leakhuntd.toml:2", "state_dri",
              "state_dir, durable_interval"},
        Fault{"unknown_device_key", "[[device]]\nname = \"a\"\nlink = \"auto\"\nmodus = 1\n",
              "leakhuntd.toml:4", "device[1].modus", "name, link, links, usb, mode, poll"},
        Fault{"shared_usb",
              "[[device]]\nname = \"a\"\nusb = \"X7\"\n[[device]]\nname = \"b\"\nusb = \"X7\"\n",
              "leakhuntd.toml:6", "device[2].usb", "each link once"},
        Fault{"usb_mode", "[[device]]\nname = \"a\"\nusb = \"X7#loud\"\n", "leakhuntd.toml:3",
              "device[1].usb", "USB serial number"},
        Fault{"signed_poll", "[[device]]\nname = \"a\"\nlink = \"auto\"\npoll = \"-60s\"\n",
              "leakhuntd.toml:4", "device[1].poll = '-60s'", "10s"},
        Fault{"dashed_name", "[[device]]\nname = \"--help\"\nlink = \"auto\"\n", "leakhuntd.toml:2",
              "device[1].name = '--help'", "the first no -"},
        Fault{"mode", "[[device]]\nname = \"a\"\nlink = \"auto\"\nmode = \"loud\"\n", "leakhuntd.toml:4",
              "device[1].mode = 'loud'", "allowed: api, listen"},
        Fault{"poll_too_short", "[[device]]\nname = \"a\"\nlink = \"auto\"\npoll = \"5s\"\n",
              "leakhuntd.toml:4", "device[1].poll = '5s'", "at least \"10s\""},
        Fault{"poll_without_unit", "[[device]]\nname = \"a\"\nlink = \"auto\"\npoll = 60\n",
              "leakhuntd.toml:4", "device[1].poll = 60", "\"off\" or a duration"},
        Fault{"link_form", "[[device]]\nname = \"a\"\nlink = \"udp:x\"\n", "leakhuntd.toml:3",
              "device[1].link = 'udp:x'", "tcp:HOST[:PORT]"},
        Fault{"tcp_port", "[[device]]\nname = \"a\"\nlink = \"tcp:x:0\"\n", "leakhuntd.toml:3",
              "device[1].link = 'tcp:x:0'", "port from 1 to 65535"},
        Fault{"tcp_listen", "[[device]]\nname = \"a\"\nlink = \"tcp:x\"\nmode = \"listen\"\n",
              "leakhuntd.toml:3", "device[1].link", "cannot listen"},
        Fault{"no_link", "[[device]]\nname = \"a\"\n", "leakhuntd.toml:1", "device[1].link is missing",
              "tcp:HOST"},
        Fault{"no_name", "[[device]]\nlink = \"auto\"\n", "leakhuntd.toml:1", "device[1].name is missing",
              "letters"},
        Fault{"name_form", "[[device]]\nname = \"a b\"\nlink = \"auto\"\n", "leakhuntd.toml:2",
              "device[1].name = 'a b'", "letters"},
        Fault{"same_name",
              "[[device]]\nname = \"a\"\nlink = \"auto\"\n[[device]]\nname = \"a\"\nlink = \"auto\"\n",
              "leakhuntd.toml:5", "device[2].name = 'a'", "no other device"},
        Fault{"device_no_block", "device = 3\n", "leakhuntd.toml:1", "device = 3", "[[device]]"},
        Fault{"empty_links", "[[device]]\nname = \"a\"\nlinks = []\n", "leakhuntd.toml:3", "device[1].links",
              "a list"},
        Fault{"queue_too_small", "queue_bytes = 12\n", "leakhuntd.toml:1", "queue_bytes = 12",
              "from 1048576"},
        Fault{"durable_zero", "durable_interval = \"0s\"\n", "leakhuntd.toml:1", "durable_interval = '0s'",
              "\"1s\""},
        Fault{"others", "record_others = \"some\"\n", "leakhuntd.toml:1", "record_others = 'some'",
              "none, counts, all"},
        Fault{"negative_reserve", "[[device]]\nname = \"a\"\nlink = \"auto\"\nreserve_bytes = -1\n",
              "leakhuntd.toml:4", "device[1].reserve_bytes = -1", "whole number from 0"},
        Fault{"retention_key", "[retention]\nlogs = \"30d\"\n", "leakhuntd.toml:2", "retention.logs", "text"},
        Fault{"retention_age", "[retention]\ntext = \"5m\"\n", "leakhuntd.toml:2", "retention.text = '5m'",
              "1d"},
        Fault{"retention_bytes", "[retention]\nmax_bytes = 1000\n", "leakhuntd.toml:2",
              "retention.max_bytes = 1000", "16777216"},
        Fault{"retention_block", "retention = 5\n", "leakhuntd.toml:1", "retention = 5", "[retention]"},
        Fault{"alert_key", "[alerts]\nwarn = \"1h\"\n", "leakhuntd.toml:2", "alerts.warn", "warn_horizon"},
        Fault{"alert_value", "[alerts]\nwarn_horizon = \"soon\"\n", "leakhuntd.toml:2",
              "alerts.warn_horizon = 'soon'", "24h"},
        Fault{"log_format_pattern", "[[log_format]]\nname = \"x\"\n", "leakhuntd.toml:1",
              "log_format[1].pattern is missing", "named groups"},
        Fault{"log_format_expression", "[[log_format]]\nname = \"x\"\npattern = \"(\"\n", "leakhuntd.toml:1",
              "log_format[1].pattern: the pattern is no RE2 expression", "groups"}),
    [](const auto& each) { return std::string{each.param.name}; });

// Every key stands in the commented example, which reads as it is and with all its examples taken.
TEST(Config, TheExampleReadsWithEveryKeyItShows) {
  const std::string path = std::string{LEAKHUNT_TEST_DATA} + "/../../docs/leakhuntd.toml";
  ASSERT_TRUE(load_config(path)) << load_config(path).error().line();
  std::ifstream in{path};
  std::string text;
  std::set<std::string> shown;
  for (std::string line; std::getline(in, line);) {
    const std::string bare = line.starts_with("# ") ? line.substr(2) : line;
    const auto equals = bare.find(" = ");
    const bool is_key = equals != std::string::npos && bare.find(' ') == equals;
    if (is_key) shown.insert(bare.substr(0, equals));
    text += (is_key || bare.starts_with("[") ? bare : line) + "\n";
  }
  const auto config = parse_config(text, path);
  ASSERT_TRUE(config) << config.error().line();
  EXPECT_EQ(config->devices.size(), 3U);
  EXPECT_EQ(config->log_formats.size(), 1U);
  const std::set<std::string> all{"state_dir",
                                  "durable_interval",
                                  "queue_bytes",
                                  "record_others",
                                  "text",
                                  "packets",
                                  "telemetry_raw",
                                  "heap_raw",
                                  "minute_buckets",
                                  "max_bytes",
                                  "name",
                                  "link",
                                  "links",
                                  "usb",
                                  "mode",
                                  "poll",
                                  "reserve_bytes",
                                  "min_free_bytes",
                                  "warn_horizon",
                                  "hook",
                                  "hook_limit",
                                  "critical_horizon",
                                  "imminent_horizon",
                                  "steep_slope_bytes_per_min",
                                  "steep_range_bytes",
                                  "pattern",
                                  "unit",
                                  "event",
                                  "last"};
  EXPECT_EQ(shown, all);
}

TEST(Config, MissingFileIsNamed) {
  const auto config = load_config("/nowhere/leakhuntd.toml");
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().line(), HasSubstr("/nowhere/leakhuntd.toml"));
}

TEST(DeviceArgument, AddsOrReplacesTheLinks) {
  Config config;
  ASSERT_TRUE(add_device_argument(config, "bench=tcp:localhost:4500"));
  ASSERT_TRUE(add_device_argument(config, "bench=serial:/dev/ttyACM0#listen"));
  ASSERT_EQ(config.devices.size(), 1U);
  EXPECT_EQ(config.devices[0].name, "bench");
  EXPECT_EQ(word(config.devices[0].links[0].address), "serial:/dev/ttyACM0");
  EXPECT_EQ(config.devices[0].links[0].mode, LinkMode::listen);
}

TEST(DeviceArgument, NoLinkThatCannotBeIsTaken) {
  Config config;
  for (const char* link : {"tcp:", "tcp:host#listen", "tcp:http://host", "tcp:a b", "tcp:host:0", "tcp:[::1",
                           "tcp:h:x", "serial:", "serial:#listen", "udp:host", "", "Auto"}) {
    const auto outcome = add_device_argument(config, std::string{"bench="} + link);
    ASSERT_FALSE(outcome) << link;
    EXPECT_THAT(outcome.error().line(), AllOf(HasSubstr(link), HasSubstr("tcp:HOST[:PORT]")));
  }
  EXPECT_TRUE(config.devices.empty());
}

TEST(DeviceArgument, WithoutANameIsRefused) {
  Config config;
  const auto outcome = add_device_argument(config, "tcp:localhost");
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().line(), HasSubstr("NAME=LINK"));
}

}  // namespace
}  // namespace leakhunt::daemon
