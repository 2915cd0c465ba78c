// Every kind of row comes back as it went in.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using recorder::BootId;
using recorder::BootTime;
using recorder::Row;
using recorder::Source;
using recorder::Variant;

class Rows : public ::testing::Test {
 protected:
  // Writes the beginnings and the rows, closes, and opens for reading.
  Reader written(std::vector<Row> rows) {
    std::vector<Row> all = beginnings();
    all.insert(all.end(), rows.begin(), rows.end());
    Writer writer = writer_of(folder_.file(), clock_);
    EXPECT_TRUE(writer.write(all));
    EXPECT_EQ(writer.refused_rows(), 0);
    EXPECT_TRUE(writer.finish());
    return reader_of(folder_.file());
  }

  Folder folder_;
  SteppedClock clock_;
  const BootId boot_{1};
};

TEST_F(Rows, DeviceAndIdentity) {
  Reader reader = written({recorder::DeviceRow{kDevice, "renamed"}});
  ASSERT_EQ(reader.devices().size(), 1U);
  EXPECT_EQ(reader.devices()[0].name, "renamed");
  const auto identities = reader.identities(kDevice);
  ASSERT_EQ(identities.size(), 1U);
  EXPECT_EQ(identities[0].node, kNode);
  EXPECT_EQ(identities[0].long_name, "Bench One");
  EXPECT_EQ(identities[0].short_name, "B1");
  EXPECT_EQ(identities[0].hw_model, 43U);
  EXPECT_EQ(identities[0].first_seen, kBootUtc);
}

TEST_F(Rows, BootWithAnchors) {
  recorder::BootRow boot = boot_row(boot_);
  boot.cause = recorder::BootCause::watchdog;
  boot.signs = "rebooted banner";
  boot.start_seen = true;
  boot.reboot_count = 7;
  boot.firmware_version = "2.7.9";
  boot.pio_env = "heltec-v3";
  boot.debug_heap = false;
  Reader reader = written({boot, sample_row(boot_, 5s, 1)});
  const auto boots = reader.boots(kDevice);
  ASSERT_EQ(boots.size(), 1U);
  EXPECT_EQ(boots[0].boot.cause, recorder::BootCause::watchdog);
  EXPECT_EQ(boots[0].boot.signs, "rebooted banner");
  EXPECT_TRUE(boots[0].boot.start_seen);
  EXPECT_EQ(boots[0].boot.reboot_count, 7U);
  EXPECT_EQ(boots[0].boot.firmware_version, "2.7.9");
  EXPECT_EQ(boots[0].boot.pio_env, "heltec-v3");
  EXPECT_EQ(boots[0].boot.debug_heap, false);
  EXPECT_EQ(boots[0].boot.identity, kIdentity);
  EXPECT_EQ(boots[0].began, kBootUtc);
  EXPECT_EQ(boots[0].ended, kBootUtc + 5s);
  ASSERT_EQ(boots[0].anchors.size(), 1U);
  EXPECT_EQ(boots[0].anchors[0].host_boot, "host-boot");
}

TEST_F(Rows, TheEventOfABootFollowsItsCause) {
  const recorder::EventRow event{.device = kDevice,
                                 .utc = kBootUtc,
                                 .at = BootTime{boot_, 0s},
                                 .kind = "boot",
                                 .label = "unknown",
                                 .note = "rom_banner",
                                 .data = ""};
  recorder::BootRow told = boot_row(boot_);
  told.cause = recorder::BootCause::watchdog;
  told.signs = "rom_banner rom_reset";
  Reader reader = written({boot_row(boot_), event, told});
  const auto events = reader.events(kDevice, {Utc{0}, kBootUtc + 1h}, {"boot"}, false);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].label, "watchdog");
  EXPECT_EQ(events[0].note, "rom_banner rom_reset");
}

TEST_F(Rows, AGapIsAlsoAnEvent) {
  Reader reader =
      written({recorder::GapRow{kDevice, kBootUtc, kBootUtc + 75s, "the recorder did not run", 0, 0}});
  const auto events = reader.events(kDevice, {Utc{0}, kBootUtc + 1h}, {"gap"}, false);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].label, "the recorder did not run");
  EXPECT_EQ(events[0].utc, kBootUtc + 75s);
  EXPECT_EQ(events[0].note, "nothing for 75 s");
}

TEST_F(Rows, Sample) {
  recorder::SampleRow suspect = sample_row(boot_, 2s, 0, Source::debug_heap);
  suspect.suspect = true;
  Reader reader = written({sample_row(boot_, 1s, 123456789), suspect});
  const auto samples = reader.samples({.device = kDevice});
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].value_bytes, 123456789);
  EXPECT_EQ(samples[0].source, Source::poll);
  EXPECT_FALSE(samples[0].suspect);
  EXPECT_EQ(samples[0].utc, kBootUtc + 1s);
  EXPECT_EQ(samples[1].value_bytes, 0);
  EXPECT_EQ(samples[1].source, Source::debug_heap);
  EXPECT_TRUE(samples[1].suspect);
}

TEST_F(Rows, TelemetryOfEveryVariant) {
  std::map<Variant, std::vector<std::string>> names;  // outlive the rows that name them
  std::vector<Row> rows;
  for (int number = 2; number <= 9; ++number) {
    const auto variant = static_cast<Variant>(number);
    names[variant] = Reader::known_fields(variant);
    for (const std::string& field : names[variant]) {
      rows.emplace_back(recorder::TelemetryRow{kDevice,
                                               kIdentity,
                                               kNode,
                                               variant,
                                               Source::stats,
                                               BootTime{boot_, Duration{rows.size()}},
                                               {{field, 41.0}}});
    }
  }
  Reader reader = written(rows);
  for (const Row& row : rows) {
    const auto& telemetry = std::get<recorder::TelemetryRow>(row);
    const auto points = reader.telemetry(
        {.device = kDevice, .variant = telemetry.variant, .field = std::string{telemetry.values[0].first}});
    ASSERT_EQ(points.size(), 1U) << telemetry.values[0].first;
    EXPECT_EQ(points[0].value, 41.0);
    EXPECT_EQ(points[0].t, telemetry.at.t);
  }
  EXPECT_EQ(reader.fields(kDevice).size(), rows.size());
}

TEST_F(Rows, TelemetryKeepsLargeCountersFractionsAndUnknownFields) {
  Reader reader =
      written({recorder::TelemetryRow{kDevice,
                                      kIdentity,
                                      kNode,
                                      Variant::host,
                                      Source::poll,
                                      BootTime{boot_, 1s},
                                      {{"freemem_bytes", 9007199254740991.0}, {"brand_new", 1.5}}},
               recorder::TelemetryRow{kDevice,
                                      kIdentity,
                                      kNode,
                                      Variant::device,
                                      Source::poll,
                                      BootTime{boot_, 1s},
                                      {{"voltage", 3.2999999523162842}}}});
  const auto memory =
      reader.telemetry({.device = kDevice, .variant = Variant::host, .field = "freemem_bytes"});
  ASSERT_EQ(memory.size(), 1U);
  EXPECT_EQ(memory[0].value, 9007199254740991.0);
  EXPECT_EQ(memory[0].source, Source::poll);
  const auto voltage = reader.telemetry({.device = kDevice, .variant = Variant::device, .field = "voltage"});
  ASSERT_EQ(voltage.size(), 1U);
  EXPECT_EQ(voltage[0].value, 3.2999999523162842);
  EXPECT_EQ(number_in(folder_.file(), "SELECT extra = 'brand_new=1.500000' FROM telemetry_host"), 1);
}

TEST_F(Rows, OtherNodesStandApart) {
  const auto of = [&](std::uint32_t node, double value) {
    return recorder::TelemetryRow{kDevice,
                                  kIdentity,
                                  node,
                                  Variant::device,
                                  Source::stats,
                                  BootTime{boot_, 1s},
                                  {{"battery_level", value}}};
  };
  Reader reader = written({of(kNode, 90), of(77, 20), of(78, 30)});
  TelemetryQuery query{.device = kDevice, .variant = Variant::device, .field = "battery_level"};
  const auto own = reader.telemetry(query);
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own[0].value, 90);
  query.other_node = 77;
  const auto other = reader.telemetry(query);
  ASSERT_EQ(other.size(), 1U);
  EXPECT_EQ(other[0].value, 20);
  EXPECT_EQ(reader.totals(kDevice).other_node_records, 2);
}

TEST_F(Rows, LogLine) {
  recorder::LogRow line =
      log_row(boot_, 3s, "ERROR | ??:??:?? 3 [Router] Failed to allocate \xF0\x9F\x92\xA5");
  line.link = 2;
  line.level = "ERROR";
  line.body_offset = 28;
  line.uptime_us = 3'000'000;
  line.tells_heap = true;
  line.evidence = true;
  line.alarm = "allocation_failure";
  Reader reader = written({line});
  int seen = 0;
  reader.logs({.device = kDevice}, [&](const LogLine& found) {
    ++seen;
    EXPECT_EQ(found.row.text, line.text);
    EXPECT_EQ(found.row.level, "ERROR");
    EXPECT_EQ(found.row.thread, "Router");
    EXPECT_EQ(found.row.link, 2);
    EXPECT_EQ(found.row.body_offset, 28);
    EXPECT_EQ(found.row.uptime_us, 3'000'000);
    EXPECT_TRUE(found.row.tells_heap);
    EXPECT_TRUE(found.row.evidence);
    EXPECT_EQ(found.row.alarm, "allocation_failure");
    EXPECT_EQ(found.utc, kBootUtc + 3s);
    return true;
  });
  EXPECT_EQ(seen, 1);
}

TEST_F(Rows, HeapEventCallSiteAndAudit) {
  Reader reader =
      written({recorder::HeapEventRow{kDevice, {boot_, 1s}, "MeshPacket", 90000, 89568},
               recorder::CallSiteRow{kDevice, {boot_, 2s}, "Router::send", 432},
               recorder::MemAuditRow{kDevice, {boot_, 3s}, "boot", {{"pktpool(live)", 12}, {"a=b", -3}}, 9}});
  const auto events = reader.heap_events(kDevice, kAllTime);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].row.thread, "MeshPacket");
  EXPECT_EQ(events[0].row.before_bytes, 90000);
  EXPECT_EQ(events[0].row.after_bytes, 89568);
  EXPECT_EQ(events[0].utc, kBootUtc + 1s);
  const auto sites = reader.call_sites(kDevice, kAllTime);
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].row.context, "Router::send");
  EXPECT_EQ(sites[0].row.size_bytes, 432);
  const auto audits = reader.mem_audits(kDevice, kAllTime);
  ASSERT_EQ(audits.size(), 1U);
  EXPECT_EQ(audits[0].row.when, "boot");
  ASSERT_EQ(audits[0].row.tag_bytes.size(), 2U);
  EXPECT_EQ(audits[0].row.tag_bytes[0], std::make_pair(std::string{"pktpool(live)"}, std::int64_t{12}));
  EXPECT_EQ(audits[0].row.tag_bytes[1], std::make_pair(std::string{"a=b"}, std::int64_t{-3}));
  EXPECT_EQ(audits[0].row.total_bytes, 9);
}

TEST_F(Rows, Packet) {
  Reader reader = written({recorder::PacketRow{kDevice, {boot_, 1s}, 5, 0xFFFFFFFF, 67, 40, 3, 7, -97, 5.25F},
                           recorder::PacketRow{kDevice, {boot_, 2s}, 5, 6, 1, 0, 0, 0, {}, {}}});
  const auto packets = reader.packets(kDevice, kAllTime);
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_EQ(packets[0].row.to, 0xFFFFFFFF);
  EXPECT_EQ(packets[0].row.port, 67U);
  EXPECT_EQ(packets[0].row.hop_start, 7U);
  EXPECT_EQ(packets[0].row.rssi_dbm, -97);
  EXPECT_EQ(packets[0].row.snr_db, 5.25F);
  EXPECT_FALSE(packets[1].row.rssi_dbm);
  EXPECT_FALSE(packets[1].row.snr_db);
}

TEST_F(Rows, EventsOfTheDeviceAndTheRecorder) {
  Reader reader = written(
      {recorder::EventRow{kDevice, {1000}, BootTime{boot_, 1s}, "mark", "burst-start", "a note", "{\"n\":1}"},
       recorder::EventRow{recorder::DeviceId{0}, {2000}, {}, "recorder_start", "", "", ""}});
  const auto events = reader.events(kDevice, kAllTime);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].label, "burst-start");
  EXPECT_EQ(events[0].note, "a note");
  EXPECT_EQ(events[0].data, "{\"n\":1}");
  EXPECT_EQ(events[0].at, (BootTime{boot_, 1s}));
  EXPECT_FALSE(events[1].at);
  EXPECT_EQ(reader.events(kDevice, kAllTime, {"mark"}).size(), 1U);
  EXPECT_EQ(reader.events(kDevice, kAllTime, {}, false).size(), 1U);
  EXPECT_EQ(reader.events(kDevice, {{1001}, {3000}}).size(), 1U);
}

TEST_F(Rows, Gap) {
  Reader reader = written({recorder::GapRow{kDevice, {1000}, {2000}, "queue", 12, 3}});
  const auto gaps = reader.gaps(kDevice, {{1500}, {9000}});
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].reason, "queue");
  EXPECT_EQ(gaps[0].lines, 12);
  EXPECT_EQ(gaps[0].records, 3);
  EXPECT_TRUE(reader.gaps(kDevice, {{2001}, {9000}}).empty());
}

TEST_F(Rows, VerdictsNewestFirst) {
  const auto verdict = [](std::int64_t at, Duration window) {
    return recorder::VerdictRow{kDevice, {at}, window, "slow_leak", "confirmed", "leakhunt", "{}"};
  };
  Reader reader = written({verdict(1, 1h), verdict(2, 6h), verdict(3, 1h)});
  const auto all = reader.verdicts({.device = kDevice});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].utc, Utc{3});
  EXPECT_EQ(all[0].verdict_class, "slow_leak");
  EXPECT_EQ(reader.verdicts({.device = kDevice, .window = 6h}).size(), 1U);
  EXPECT_EQ(reader.verdicts({.device = kDevice, .max = 1}).size(), 1U);
}

TEST_F(Rows, AlertChangesInPlace) {
  recorder::AlertRow alert{4, kDevice, "panic", "critical", "open", {1}, {2}, 1, "it panicked", ""};
  recorder::AlertRow later = alert;
  later.state = "resolved";
  later.count = 3;
  later.last = {9};
  Reader reader = written({alert, later});
  const auto alerts = reader.alerts({.device = kDevice});
  ASSERT_EQ(alerts.size(), 1U);
  EXPECT_EQ(alerts[0].state, "resolved");
  EXPECT_EQ(alerts[0].count, 3);
  EXPECT_EQ(alerts[0].last, Utc{9});
  EXPECT_TRUE(reader.alerts({.device = kDevice, .open_only = true}).empty());
}

TEST_F(Rows, CounterHoldsItsLastTotal) {
  Reader reader =
      written({recorder::CounterRow{kDevice, "redacted", 5}, recorder::CounterRow{kDevice, "redacted", 8}});
  const auto counters = reader.counters(kDevice);
  ASSERT_EQ(counters.size(), 1U);
  EXPECT_EQ(counters[0].total, 8);
}

}  // namespace
}  // namespace leakhunt::storage::testing
