// What the device says, into nanopb. Knows nothing of when it is said.
#include "sim/wire.h"

#include <pb_encode.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "leakhunt/device/v1/mesh.pb.h"

namespace leakhunt::sim {
namespace {

using FromRadio = leakhunt_device_v1_FromRadio;
using WireSecurity = leakhunt_device_v1_Config_SecurityConfig;

constexpr std::size_t kLargestEncoded = 1024;
constexpr std::uint32_t kPhoneHopLimit = 3;

template <class Message>
std::string encoded(const pb_msgdesc_t* fields, const Message& message) {
  std::string out(kLargestEncoded, '\0');
  pb_ostream_t stream = pb_ostream_from_buffer(reinterpret_cast<pb_byte_t*>(out.data()), out.size());
  out.resize(pb_encode(&stream, fields, &message) ? stream.bytes_written : 0);
  return out;
}

std::string encoded(const FromRadio& message) {
  return encoded(leakhunt_device_v1_FromRadio_fields, message);
}

template <std::size_t N>
void put(char (&field)[N], std::string_view text) {
  const std::size_t size = std::min(text.size(), N - 1);
  std::memcpy(field, text.data(), size);
  field[size] = '\0';
}

template <class Bytes>
void put_bytes(Bytes& field, std::string_view bytes) {
  field.size = static_cast<pb_size_t>(std::min(bytes.size(), sizeof field.bytes));
  std::memcpy(field.bytes, bytes.data(), field.size);
}

// One length-delimited field, for messages the schema keeps opaque.
std::string delimited(std::uint32_t field, std::string_view message) {
  std::string out(message.size() + 16, '\0');
  pb_ostream_t stream = pb_ostream_from_buffer(reinterpret_cast<pb_byte_t*>(out.data()), out.size());
  const bool done =
      pb_encode_tag(&stream, PB_WT_STRING, field) &&
      pb_encode_string(&stream, reinterpret_cast<const pb_byte_t*>(message.data()), message.size());
  out.resize(done ? stream.bytes_written : 0);
  return out;
}

WireSecurity wire(const Security& from) {
  WireSecurity to{};
  put_bytes(to.public_key, from.public_key);
  put_bytes(to.private_key, from.private_key);
  to.admin_key_count = static_cast<pb_size_t>(std::min(from.admin_keys.size(), std::size(to.admin_key)));
  for (std::size_t i = 0; i < to.admin_key_count; ++i) put_bytes(to.admin_key[i], from.admin_keys[i]);
  to.is_managed = from.is_managed;
  to.serial_enabled = from.serial_enabled;
  to.debug_log_api_enabled = from.debug_log_api_enabled;
  to.admin_channel_enabled = from.admin_channel_enabled;
  to.packet_signature_policy = from.packet_signature_policy;
  return to;
}

// A Config whose section is that.
std::string config_with(const Security& security) {
  return delimited(
      leakhunt_device_v1_Config_security_tag,
      encoded(leakhunt_device_v1_Config_SecurityConfig_fields, wire(security)) + security.unknown_fields);
}

leakhunt_device_v1_User wire_user(const Identity& who) {
  leakhunt_device_v1_User user{};
  char id[16];
  std::snprintf(id, sizeof id, "!%08x", who.node);
  put(user.id, id);
  put(user.long_name, who.long_name);
  put(user.short_name, who.short_name);
  user.hw_model = who.hw_model;
  put_bytes(user.public_key, "SIM-NODE-PUBLIC-KEY-0123456789ab");
  return user;
}

std::string telemetry(leakhunt_device_v1_Telemetry& message, pb_size_t variant, std::uint32_t epoch_s) {
  message.time = epoch_s;
  message.which_variant = variant;
  return encoded(leakhunt_device_v1_Telemetry_fields, message);
}

leakhunt_device_v1_LogRecord_Level wire_level(Level level) {
  switch (level) {
    case Level::heap:
      return leakhunt_device_v1_LogRecord_Level_UNSET;  // the API knows no such level
    case Level::trace:
      return leakhunt_device_v1_LogRecord_Level_TRACE;
    case Level::debug:
      return leakhunt_device_v1_LogRecord_Level_DEBUG;
    case Level::info:
      return leakhunt_device_v1_LogRecord_Level_INFO;
    case Level::warn:
      return leakhunt_device_v1_LogRecord_Level_WARNING;
    case Level::error:
      return leakhunt_device_v1_LogRecord_Level_ERROR;
    case Level::crit:
      return leakhunt_device_v1_LogRecord_Level_CRITICAL;
  }
  return leakhunt_device_v1_LogRecord_Level_UNSET;
}

}  // namespace

std::string my_info(const Identity& who, std::uint32_t reboot_count, std::uint32_t nodes) {
  FromRadio message{};
  message.which_payload_variant = leakhunt_device_v1_FromRadio_my_info_tag;
  auto& info = message.payload_variant.my_info;
  info.my_node_num = who.node;
  info.reboot_count = reboot_count;
  info.min_app_version = 30'200;
  put_bytes(info.device_id, "SIM-DEVICE-ID-01");
  put(info.pio_env, who.pio_env);
  info.nodedb_count = nodes;
  return encoded(message);
}

std::string metadata(const Identity& who) {
  FromRadio message{};
  message.which_payload_variant = leakhunt_device_v1_FromRadio_metadata_tag;
  auto& data = message.payload_variant.metadata;
  put(data.firmware_version, who.firmware);
  data.device_state_version = 25;
  data.canShutdown = true;
  data.hasWifi = true;
  data.hasBluetooth = true;
  data.hw_model = who.hw_model;
  data.hasPKC = true;
  return encoded(message);
}

std::string network_config() {
  FromRadio message{};
  message.which_payload_variant = leakhunt_device_v1_FromRadio_config_tag;
  auto& config = message.payload_variant.config;
  config.which_payload_variant = leakhunt_device_v1_Config_network_tag;
  auto& network = config.payload_variant.network;
  network.wifi_enabled = true;
  put(network.wifi_ssid, "SIM-WIFI-NAME");
  put(network.wifi_psk, kWifiPassphrase);
  put(network.ntp_server, "meshtastic.pool.ntp.org");
  return encoded(message);
}

std::string security_config(const Security& security) {
  return delimited(leakhunt_device_v1_FromRadio_config_tag, config_with(security));
}

std::string config_complete(std::uint32_t nonce) {
  FromRadio message{};
  message.which_payload_variant = leakhunt_device_v1_FromRadio_config_complete_id_tag;
  message.payload_variant.config_complete_id = nonce;
  return encoded(message);
}

std::string rebooted() {
  FromRadio message{};
  message.which_payload_variant = leakhunt_device_v1_FromRadio_rebooted_tag;
  message.payload_variant.rebooted = true;
  return encoded(message);
}

std::string queue_status(std::uint32_t packet_id) {
  FromRadio message{};
  message.which_payload_variant = leakhunt_device_v1_FromRadio_queueStatus_tag;
  message.payload_variant.queueStatus = {.res = 0, .free = 16, .maxlen = 16, .mesh_packet_id = packet_id};
  return encoded(message);
}

std::string log_record(const LogLine& line, std::uint32_t epoch_s) {
  FromRadio message{};
  message.which_payload_variant = leakhunt_device_v1_FromRadio_log_record_tag;
  auto& record = message.payload_variant.log_record;
  put(record.message, line.message);
  put(record.source, line.thread);
  record.time = epoch_s;
  record.level = wire_level(line.level);
  return encoded(message);
}

std::string packet(const Packet& from) {
  FromRadio message{};
  message.which_payload_variant = leakhunt_device_v1_FromRadio_packet_tag;
  auto& to = message.payload_variant.packet;
  to.from = from.from;
  to.to = from.to;
  to.id = from.id;
  to.has_rx_time = from.rx_time != 0;
  to.rx_time = from.rx_time;
  to.rx_snr = from.snr;
  to.has_rx_rssi = from.rssi != 0;
  to.rx_rssi = from.rssi;
  to.hop_limit = kPhoneHopLimit;
  to.hop_start = kPhoneHopLimit;
  to.priority = leakhunt_device_v1_MeshPacket_Priority_BACKGROUND;
  if (from.encrypted) {
    to.which_payload_variant = leakhunt_device_v1_MeshPacket_encrypted_tag;
    put_bytes(to.payload_variant.encrypted, from.payload);
    return encoded(message);
  }
  to.which_payload_variant = leakhunt_device_v1_MeshPacket_decoded_tag;
  auto& data = to.payload_variant.decoded;
  data.portnum = static_cast<leakhunt_device_v1_PortNum>(from.port);
  put_bytes(data.payload, from.payload);
  data.request_id = from.request_id;
  return encoded(message);
}

std::string node_info(const Identity& who, std::uint32_t last_heard) {
  leakhunt_device_v1_NodeInfo info{};
  info.num = who.node;
  info.has_user = true;
  info.user = wire_user(who);
  info.last_heard = last_heard;
  info.snr = 6.25F;
  constexpr std::uint32_t kPositionField = 3;
  const std::string message = encoded(leakhunt_device_v1_NodeInfo_fields, info) +
                              delimited(kPositionField, position_payload(51.4778, -0.0014));
  return delimited(leakhunt_device_v1_FromRadio_node_info_tag, message);
}

std::string opaque(std::uint32_t field, std::string_view message) {
  return delimited(field, message);
}

std::string stats_payload(const Stats& stats, std::uint32_t epoch_s) {
  leakhunt_device_v1_Telemetry message{};
  auto& to = message.variant.local_stats;
  to.uptime_seconds = stats.uptime_s;
  to.channel_utilization = 3.5F;
  to.air_util_tx = 0.25F;
  to.num_packets_tx = stats.packets_tx;
  to.num_packets_rx = stats.packets_rx;
  to.num_online_nodes = stats.online_nodes;
  to.num_total_nodes = stats.total_nodes;
  to.heap_total_bytes = stats.heap_total_bytes.value_or(0);
  to.heap_free_bytes = stats.heap_free_bytes.value_or(0);
  to.noise_floor = -110;
  return telemetry(message, leakhunt_device_v1_Telemetry_local_stats_tag, epoch_s);
}

std::string device_metrics_payload(std::uint32_t uptime_s, std::uint32_t battery, std::uint32_t epoch_s) {
  leakhunt_device_v1_Telemetry message{};
  auto& to = message.variant.device_metrics;
  to.has_battery_level = to.has_voltage = to.has_channel_utilization = to.has_air_util_tx =
      to.has_uptime_seconds = true;
  to.battery_level = battery;
  to.voltage = 4.1F;
  to.channel_utilization = 3.5F;
  to.air_util_tx = 0.25F;
  to.uptime_seconds = uptime_s;
  return telemetry(message, leakhunt_device_v1_Telemetry_device_metrics_tag, epoch_s);
}

std::string environment_payload(float temperature, std::uint32_t epoch_s) {
  leakhunt_device_v1_Telemetry message{};
  message.variant.environment_metrics.has_temperature = true;
  message.variant.environment_metrics.temperature = temperature;
  return telemetry(message, leakhunt_device_v1_Telemetry_environment_metrics_tag, epoch_s);
}

std::string user_payload(const Identity& who) {
  return encoded(leakhunt_device_v1_User_fields, wire_user(who));
}

std::string position_payload(double latitude, double longitude) {
  // Position: latitude_i = 1 and longitude_i = 2, both sfixed32 in 1e-7 degrees.
  const std::int32_t degrees[] = {static_cast<std::int32_t>(std::lround(latitude * 1e7)),
                                  static_cast<std::int32_t>(std::lround(longitude * 1e7))};
  std::string out(10, '\0');
  pb_ostream_t stream = pb_ostream_from_buffer(reinterpret_cast<pb_byte_t*>(out.data()), out.size());
  for (std::uint32_t field = 1; field <= 2; ++field)
    if (!pb_encode_tag(&stream, PB_WT_32BIT, field) || !pb_encode_fixed32(&stream, &degrees[field - 1]))
      return {};
  return out;
}

std::string security_answer_payload(const Security& security) {
  return delimited(leakhunt_device_v1_AdminMessage_get_config_response_tag, config_with(security)) +
         delimited(leakhunt_device_v1_AdminMessage_session_passkey_tag, kSessionKey);
}

std::string routing_ack_payload() {
  leakhunt_device_v1_Routing message{};
  message.which_variant = leakhunt_device_v1_Routing_error_reason_tag;
  message.variant.error_reason = leakhunt_device_v1_Routing_Error_NONE;
  return encoded(leakhunt_device_v1_Routing_fields, message);
}

}  // namespace leakhunt::sim
