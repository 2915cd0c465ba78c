// Frames written by hand, and what they are read as.
#include "proto/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/proto/wire.h"

namespace leakhunt::proto {
namespace {

using testing::Bytes;
using testing::fixed32;
using testing::packet;
using testing::part;
using testing::real;
using testing::telemetry;
using testing::text;
using testing::operator+;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Bytes num(std::uint32_t field, std::uint64_t value) {
  return testing::number(field, value);
}

template <class T>
T only(const Bytes& payload) {
  const auto records = decode_from_radio(payload);
  EXPECT_THAT(records, SizeIs(1));
  return std::get<T>(records.at(0));
}

Telemetry read_telemetry(std::uint32_t variant, const Bytes& content, const Bytes& more_data = {}) {
  const auto records = decode_from_radio(telemetry(variant, content, more_data));
  EXPECT_THAT(records, SizeIs(2));
  return std::get<Telemetry>(records.at(1));
}

std::uint64_t whole(const Telemetry& telemetry, std::string_view name) {
  const FieldValue* value = find(telemetry, name);
  return value == nullptr ? std::numeric_limits<std::uint64_t>::max() : std::get<std::uint64_t>(*value);
}

constexpr std::uint32_t device_metrics = 2, environment = 3, local_stats = 6, host_metrics = 8, traffic = 9;

TEST(Records, MyInfoTellsNodeBootCountAndBuild) {
  const auto my = only<MyInfo>(part(3, num(1, 0x42524331) + num(8, 17) + text(13, "heltec-v3") + num(15, 3)));
  EXPECT_EQ(my.node, 0x42524331U);
  EXPECT_EQ(my.reboot_count, 17U);
  EXPECT_EQ(my.pio_env, "heltec-v3");
  EXPECT_EQ(my.nodedb_count, 3U);
}

TEST(Records, NodeInfoTellsNamesAndHardware) {
  const Bytes user = text(1, "!00000007") + text(2, "Bench one") + text(3, "B1") + num(5, 43) +
                     part(8, Bytes(32, 0x5A)) + part(4, Bytes(6, 0xAA));
  const auto node = only<NodeIdentity>(part(4, num(1, 7) + part(2, user) + fixed32(5, 99)));
  EXPECT_EQ(node.node, 7U);
  EXPECT_EQ(node.id, "!00000007");
  EXPECT_EQ(node.long_name, "Bench one");
  EXPECT_EQ(node.short_name, "B1");
  EXPECT_EQ(node.hw_model, 43U);
  EXPECT_EQ(node.last_heard, 99U);
}

TEST(Records, ANameCutInTheMiddleOfACharacterCostsNothingElse) {
  const auto node = only<NodeIdentity>(part(4, num(1, 7) + part(2, text(2, "Caf\xC3") + num(5, 9))));
  EXPECT_EQ(node.long_name, "Caf\xEF\xBF\xBD");
  EXPECT_EQ(node.hw_model, 9U);
}

TEST(Records, SmallVariants) {
  EXPECT_EQ(only<ConfigComplete>(num(7, 69420)).nonce, 69420U);
  EXPECT_EQ(only<ConfigComplete>(num(7, 0)).nonce, 0U);
  (void)only<Rebooted>(num(8, 1));
  EXPECT_THAT(decode_from_radio(num(8, 0)), IsEmpty());
  const auto queue = only<QueueStatus>(part(11, num(2, 15) + num(3, 16) + num(4, 77)));
  EXPECT_EQ(queue.free, 15U);
  EXPECT_EQ(queue.size, 16U);
  EXPECT_EQ(queue.packet_id, 77U);
  const auto metadata = only<Metadata>(part(13, text(1, "2.7.8") + num(4, 1) + num(9, 43)));
  EXPECT_EQ(metadata.firmware_version, "2.7.8");
  EXPECT_TRUE(metadata.has_wifi);
  EXPECT_EQ(metadata.hw_model, 43U);
}

TEST(Records, AnEmptyFrameSaysNothing) {
  EXPECT_THAT(decode_from_radio(Bytes{}), IsEmpty());
  EXPECT_THAT(decode_from_radio(num(1, 5)), IsEmpty());
}

TEST(Records, ALogRecordKeepsLevelThreadAndTime) {
  const auto log =
      only<LogRecord>(part(6, text(1, "------ Thread Router leaked heap 1000 -> 900 (-100) ------") +
                                  fixed32(2, 5) + text(3, "Router")));
  EXPECT_EQ(log.line.level, Level::heap) << "HEAP lines come with level UNSET";
  EXPECT_EQ(log.line.thread, "Router");
  EXPECT_EQ(log.time, 5U);
  ASSERT_TRUE(log.line.heap_event);
  EXPECT_EQ(log.line.heap_event->after_bytes, 900);
  EXPECT_EQ(only<LogRecord>(part(6, text(1, "bad") + num(4, 40))).line.level, Level::error);
}

TEST(Records, ALogRecordIsRedacted) {
  const auto log = only<LogRecord>(part(6, text(1, "Received text msg from=0x1, id=0x2, msg=secret")));
  EXPECT_EQ(log.line.message(), "Received text msg from=0x1, id=0x2, msg=…");
  EXPECT_EQ(log.line.redactions, 1U);
}

TEST(Records, ALogRecordCutInTheMiddleOfACharacterIsStillRead) {
  EXPECT_EQ(only<LogRecord>(part(6, text(1, "ok \xF0\x9F\x94") + num(4, 20))).line.message(),
            "ok \xEF\xBF\xBD");
}

TEST(Records, APacketIsItsEnvelopeAndNeverItsText) {
  const Bytes message = part(2, fixed32(1, 7) + fixed32(2, 0xFFFFFFFF) + num(3, 1) +
                                    part(4, num(1, 1) + text(2, "hello there")) + fixed32(6, 55) +
                                    fixed32(7, 1'700'000'000) + real(8, 6.25F) + num(9, 3) + num(10, 1) +
                                    num(12, static_cast<std::uint64_t>(-90)) + num(14, 1) + num(15, 5));
  const auto got = only<Packet>(message);
  EXPECT_EQ(got.from, 7U);
  EXPECT_EQ(got.to, 0xFFFFFFFFU);
  EXPECT_EQ(got.id, 55U);
  EXPECT_EQ(got.portnum, 1U);
  EXPECT_EQ(got.payload_bytes, 11U);
  EXPECT_EQ(got.hop_limit, 3U);
  EXPECT_EQ(got.hop_start, 5U);
  EXPECT_EQ(got.rx_rssi, -90);
  EXPECT_EQ(got.rx_snr, 6.25F);
  EXPECT_TRUE(got.want_ack);
  EXPECT_TRUE(got.via_mqtt);
  EXPECT_EQ(port_name(1), "TEXT_MESSAGE_APP");
  EXPECT_EQ(port_name(200), "");
}

TEST(Records, AnEncryptedPacketHasNoPort) {
  const auto got = only<Packet>(part(2, fixed32(1, 7) + part(5, Bytes(20, 1))));
  EXPECT_FALSE(got.portnum);
  EXPECT_EQ(got.payload_bytes, 20U);
}

TEST(Records, ARoutingErrorIsInThePacket) {
  EXPECT_EQ(only<Packet>(packet(5, num(3, 5))).routing_error, 5U);
  EXPECT_EQ(only<Packet>(packet(5, num(3, 0))).routing_error, 0U);
  EXPECT_FALSE(only<Packet>(packet(5, part(1, {}))).routing_error);
}

TEST(Records, TelemetryComesBehindItsPacketWithSenderAndRequest) {
  const Telemetry got =
      read_telemetry(local_stats, num(1, 3600) + num(12, 1000) + num(13, 600), fixed32(6, 0xABCD));
  EXPECT_EQ(got.from, 7U);
  EXPECT_EQ(got.to, 9U);
  EXPECT_EQ(got.packet_id, 0x1234U);
  EXPECT_EQ(got.request_id, 0xABCDU);
  EXPECT_EQ(got.time, 1'700'000'000U);
  EXPECT_EQ(got.variant, Variant::local);
  EXPECT_EQ(got.uptime_s, 3600U);
  ASSERT_TRUE(got.heap);
  EXPECT_EQ(got.heap->free_bytes, 600);
  EXPECT_EQ(got.heap->total_bytes, 1000);
  EXPECT_EQ(whole(got, "heap_free_bytes"), 600U);
}

TEST(Records, ATotalWithoutAFreeFigureIsZeroFree) {
  const Telemetry got = read_telemetry(local_stats, num(1, 60) + num(12, 200'000) + num(14, 3));
  ASSERT_TRUE(got.heap);
  EXPECT_EQ(got.heap->free_bytes, 0);
  EXPECT_EQ(whole(got, "heap_free_bytes"), 0U);
  std::vector<std::string_view> names;
  for (const auto& field : got.fields) names.push_back(field.name);
  EXPECT_THAT(names, ElementsAre("uptime_seconds", "heap_total_bytes", "heap_free_bytes", "num_tx_dropped"));
}

TEST(Records, NoHeapFieldsAndTheSentinelAreNoHeap) {
  for (const Bytes& content : {num(1, 60), num(12, 0xFFFFFFFF) + num(13, 0xFFFFFFFF), num(13, 0xFFFFFFFF)}) {
    const Telemetry got = read_telemetry(local_stats, content);
    EXPECT_FALSE(got.heap);
    EXPECT_EQ(find(got, "heap_free_bytes"), nullptr);
    EXPECT_EQ(find(got, "heap_total_bytes"), nullptr);
  }
}

TEST(Records, SixtyFourBitFieldsAreWhole) {
  const Telemetry got = read_telemetry(
      host_metrics, num(2, 17'179'869'184) + num(3, 0x123456789ABCDEF) + num(6, 150) + text(9, "rack 2"));
  EXPECT_EQ(whole(got, "freemem_bytes"), 17'179'869'184U);
  EXPECT_EQ(whole(got, "diskfree1_bytes"), 0x123456789ABCDEFU);
  EXPECT_EQ(whole(got, "load1"), 150U);
  EXPECT_EQ(std::get<std::string>(*find(got, "user_string")), "rack 2");
  EXPECT_FALSE(got.uptime_s) << "the uptime of a host is not the device's";
}

TEST(Records, OptionalZerosArePresentAndNegativeNumbersKeepTheirSign) {
  const Telemetry device = read_telemetry(device_metrics, num(1, 0) + real(2, 0.0F) + num(5, 0));
  EXPECT_EQ(whole(device, "battery_level"), 0U);
  EXPECT_EQ(std::get<double>(*find(device, "voltage")), 0.0);
  EXPECT_FALSE(device.uptime_s) << "0 before the telemetry thread ran: no reading";
  const Telemetry local = read_telemetry(local_stats, num(15, static_cast<std::uint64_t>(-95)));
  EXPECT_EQ(std::get<std::int64_t>(*find(local, "noise_floor")), -95);
}

TEST(Records, RepeatedTemperaturesComeUnderTheirChannelsNames) {
  Bytes packed = testing::bytes("");
  for (float value : {20.5F, -3.0F}) {
    const Bytes field = real(23, value);
    packed.insert(packed.end(), field.begin() + 2, field.end());
  }
  const Telemetry got = read_telemetry(environment, part(23, packed));
  EXPECT_EQ(std::get<double>(*find(got, "one_wire_temperature_ch0")), 20.5);
  EXPECT_EQ(std::get<double>(*find(got, "one_wire_temperature_ch1")), -3.0);
}

TEST(Records, AVariantNewerThanTheProgramIsReported) {
  const auto records = decode_from_radio(telemetry(42, num(1, 5)));
  ASSERT_THAT(records, SizeIs(2));
  const auto& unknown = std::get<UnknownVariant>(records[1]);
  EXPECT_EQ(unknown.where, UnknownVariant::Where::telemetry);
  EXPECT_EQ(unknown.field, 42U);
  EXPECT_EQ(unknown.from, 7U);
  const auto frame = only<UnknownVariant>(part(99, num(1, 5)));
  EXPECT_EQ(frame.where, UnknownVariant::Where::from_radio);
  EXPECT_EQ(frame.field, 99U);
}

TEST(Records, AFieldNewerThanTheProgramIsCountedAndDisturbsNothing) {
  const Telemetry got =
      read_telemetry(local_stats, num(12, 1000) + num(13, 600) + num(77, 1) + text(78, "new"));
  EXPECT_EQ(got.unknown_fields, 2U);
  EXPECT_EQ(got.heap->free_bytes, 600);
}

TEST(Records, ChannelsAndConfigurationAreOnlyKindAndSize) {
  const Bytes channel = part(10, part(2, part(2, Bytes(32, 0x77)) + text(3, "private")));
  const auto got = only<Other>(channel);
  EXPECT_EQ(got.kind, "channel");
  EXPECT_EQ(got.bytes, channel.size());
  EXPECT_EQ(only<Other>(part(5, part(8, part(2, Bytes(32, 0x77))))).kind, "config");
  EXPECT_EQ(only<Other>(part(18, num(1, 1))).kind, "lockdown_status");
  EXPECT_EQ(only<Other>(part(19, num(1, 1))).kind, "region_presets");
}

TEST(Records, ANotificationIsRedacted) {
  const auto got =
      only<Notification>(part(16, fixed32(2, 9) + num(3, 30) + text(4, "password: hunter2 is weak")));
  EXPECT_EQ(got.level, Level::warn);
  EXPECT_EQ(got.message, "password: … is weak");
}

TEST(Records, BrokenBytesAreMalformedAndNeverMore) {
  (void)only<Malformed>(Bytes{0x12, 0x50, 0x01});
  const auto records = decode_from_radio(packet(testing::telemetry_port, Bytes{0x32, 0x50, 0x01}));
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_THAT(std::get<Malformed>(records[1]).why, HasSubstr("Telemetry"));
  std::mt19937 random{3};
  std::uniform_int_distribution<int> byte{0, 255};
  for (int round = 0; round < 20'000; ++round) {
    Bytes noise(static_cast<std::size_t>(byte(random)));
    for (auto& b : noise) b = static_cast<std::uint8_t>(byte(random));
    (void)decode_from_radio(noise);
  }
}

// What @meshtastic/protobufs 2.7.18 does not know, by hand (tests/data/protobufs-2.7.18-lacks.json lists it).
TEST(Records, TrafficManagementStats) {
  const Telemetry got = read_telemetry(
      traffic, num(1, 11) + num(2, 12) + num(3, 13) + num(4, 14) + num(5, 15) + num(6, 16) + num(7, 17));
  EXPECT_EQ(got.variant, Variant::traffic);
  EXPECT_EQ(whole(got, "packets_inspected"), 11U);
  EXPECT_EQ(whole(got, "position_dedup_drops"), 12U);
  EXPECT_EQ(whole(got, "nodeinfo_cache_hits"), 13U);
  EXPECT_EQ(whole(got, "rate_limit_drops"), 14U);
  EXPECT_EQ(whole(got, "unknown_packet_drops"), 15U);
  EXPECT_EQ(whole(got, "hop_exhausted_packets"), 16U);
  EXPECT_EQ(whole(got, "router_hops_preserved"), 17U);
}

TEST(Records, NewerAirQualityField) {
  EXPECT_EQ(whole(read_telemetry(4, num(26, 5)), "pm_status_flags"), 5U);
}

TEST(Records, NewerEnvironmentFields) {
  Bytes content;
  for (std::uint32_t i = 0; i < 8; ++i)
    content =
        content + real(24 + i, 1.5F + static_cast<float>(i)) + real(32 + i, -1.5F - static_cast<float>(i));
  content = content + num(40, 9) + real(41, 12.5F);
  const Telemetry got = read_telemetry(environment, content);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(number(*find(got, "adc_voltage_ch" + std::to_string(i))), 1.5 + i);
    EXPECT_EQ(number(*find(got, "one_wire_temperature_ch" + std::to_string(i))), -1.5 - i);
  }
  EXPECT_EQ(whole(got, "lightning_strike_count_1h"), 9U);
  EXPECT_EQ(number(*find(got, "lightning_distance_km")), 12.5);
}

}  // namespace
}  // namespace leakhunt::proto
