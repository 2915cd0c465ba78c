// The messages of the device and its client, in and out of nanopb. Knows nothing of when they are sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/logtext.h"

namespace leakhunt::sim {

// Who the device is.
struct Identity {
  std::uint32_t node = 0x51E0A7C3;
  std::string long_name = "Simulated device";
  std::string short_name = "SIM";
  std::string pio_env = "heltec-v3";
  std::string firmware = "2.8.0.5117c0d";
  std::int32_t hw_model = 43;  // HELTEC_V3 in facts/hardware-models.tsv
};

// config.security, whole. A set with one field clears the others, as on the device.
struct Security {
  std::string public_key = {};
  std::string private_key = {};
  std::vector<std::string> admin_keys = {};
  bool is_managed = false;
  bool serial_enabled = true;
  bool debug_log_api_enabled = true;
  bool admin_channel_enabled = false;
  std::int32_t packet_signature_policy = 0;
  std::string unknown_fields = {};  // of a schema newer than ours, encoded; kept as they came
};

// Two fields that no schema has yet: number 60 = 7, number 61 = "SIM-UNKNOWN-FIELD".
inline constexpr std::string_view kUnknownFields = "\xE0\x03\x07\xEA\x03\x11SIM-UNKNOWN-FIELD";

// Secrets of the handshake, chosen so that a search for "SIM-" proves that none of them was kept.
inline constexpr std::string_view kChannelKey = "SIM-CHANNEL-KEY-0123456789abcdef";
inline constexpr std::string_view kPrivateKey = "SIM-PRIVATE-KEY-0123456789abcdef";
inline constexpr std::string_view kWifiPassphrase = "SIM-WIFI-PASSPHRASE";
inline constexpr std::string_view kSessionKey = "SIM-SESS";

// The figures of a LocalStats. Absent heap means that the platform has none; 0 free is not sent by proto3.
struct Stats {
  std::uint32_t uptime_s = 0;
  std::uint32_t packets_tx = 0;
  std::uint32_t packets_rx = 0;
  std::uint32_t online_nodes = 0;
  std::uint32_t total_nodes = 0;
  std::optional<std::uint32_t> heap_total_bytes = std::nullopt;
  std::optional<std::uint32_t> heap_free_bytes = std::nullopt;
};

// A packet for the client.
struct Packet {
  std::uint32_t from = 0;
  std::uint32_t to = 0xFFFFFFFF;
  std::uint32_t id = 0;
  std::uint32_t request_id = 0;
  std::uint32_t port = 0;
  std::string payload = {};
  bool encrypted = false;
  std::uint32_t rx_time = 0;  // 0 on local packets
  float snr = 0;
  std::int32_t rssi = 0;
};

// What a client may say, as far as the device acts on it. `id` is that of the packet it came in.
struct WantConfig {
  std::uint32_t nonce = 0;
};
struct Heartbeat {};
struct Disconnect {};
struct StatsRequest {
  std::uint32_t id = 0;
};
struct SecurityRequest {
  std::uint32_t id = 0;
};
struct SecurityChange {
  std::uint32_t id = 0;
  Security security = {};
};
struct OtherChange {
  std::uint32_t id = 0;
};
struct BeginEdit {
  std::uint32_t id = 0;
};
struct CommitEdit {
  std::uint32_t id = 0;
};
struct RebootRequest {
  std::uint32_t id = 0;
  std::int32_t after_s = 0;
};
struct OtherPacket {
  std::uint32_t id = 0;
  bool to_others = false;  // it would go over the air
};
struct Unknown {};
using ClientMessage =
    std::variant<WantConfig, Heartbeat, Disconnect, StatsRequest, SecurityRequest, SecurityChange,
                 OtherChange, BeginEdit, CommitEdit, RebootRequest, OtherPacket, Unknown>;

// A ToRadio, as the device with node number `own` understands it. What cannot be read is Unknown.
[[nodiscard]] ClientMessage read_client(std::string_view message, std::uint32_t own);

// FromRadio messages, unframed.
[[nodiscard]] std::string my_info(const Identity& who, std::uint32_t reboot_count, std::uint32_t nodes);
[[nodiscard]] std::string metadata(const Identity& who);
[[nodiscard]] std::string network_config();
[[nodiscard]] std::string security_config(const Security& security);
[[nodiscard]] std::string config_complete(std::uint32_t nonce);
[[nodiscard]] std::string rebooted();
[[nodiscard]] std::string queue_status(std::uint32_t packet_id);
[[nodiscard]] std::string log_record(const LogLine& line, std::uint32_t epoch_s);
[[nodiscard]] std::string packet(const Packet& packet);
// A node of the list, with a position and a public key beside its names.
[[nodiscard]] std::string node_info(const Identity& who, std::uint32_t last_heard);
// A field of FromRadio whose message the schema keeps opaque, given as bytes.
[[nodiscard]] std::string opaque(std::uint32_t field, std::string_view message);

// Payloads of packets.
[[nodiscard]] std::string stats_payload(const Stats& stats, std::uint32_t epoch_s);
[[nodiscard]] std::string device_metrics_payload(std::uint32_t uptime_s, std::uint32_t battery,
                                                 std::uint32_t epoch_s);
[[nodiscard]] std::string environment_payload(float temperature, std::uint32_t epoch_s);
[[nodiscard]] std::string user_payload(const Identity& who);
[[nodiscard]] std::string position_payload(double latitude, double longitude);
[[nodiscard]] std::string security_answer_payload(const Security& security);
[[nodiscard]] std::string routing_ack_payload();

}  // namespace leakhunt::sim
