// What a device's frames say, as plain values. No key, no message text, no position and no other content of
// channels or configuration ever gets into a record.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "proto/log_line.h"
#include "proto/telemetry_fields.h"

namespace leakhunt::proto {

// Who the device is; a changed reboot_count is a boot.
struct MyInfo {
  std::uint32_t node = 0;
  std::uint32_t reboot_count = 0;
  std::uint32_t nodedb_count = 0;
  std::string pio_env;  // empty in old firmware
};

// An entry of the node list; the device's own is the one with MyInfo.node.
struct NodeIdentity {
  std::uint32_t node = 0;
  std::string id;  // `!hex`
  std::string long_name;
  std::string short_name;
  std::uint32_t hw_model = 0;  // proto/hardware.h
  std::uint32_t role = 0;
  std::uint32_t last_heard = 0;  // epoch seconds, 0 unknown
};

struct Metadata {
  std::string firmware_version;
  std::uint32_t hw_model = 0;
  std::uint32_t role = 0;
  bool has_wifi = false;
  bool has_bluetooth = false;
  bool has_ethernet = false;
};

struct ConfigComplete {
  std::uint32_t nonce = 0;
};

// FromRadio.rebooted: the device has just booted (serial only).
struct Rebooted {};

// The transmit queue; also the answer to a heartbeat.
struct QueueStatus {
  std::int32_t result = 0;
  std::uint32_t free = 0;
  std::uint32_t size = 0;
  std::uint32_t packet_id = 0;
};

// A log line of API mode, parsed and redacted.
struct LogRecord {
  LogLine line;
  std::uint32_t time = 0;  // epoch seconds by the device's clock, 0 unknown
};

// What is kept of a packet: its envelope. The payload is never kept.
struct Packet {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t id = 0;
  std::uint32_t channel = 0;             // index, or hash when encrypted
  std::optional<std::uint32_t> portnum;  // missing: encrypted
  std::uint32_t payload_bytes = 0;
  std::uint32_t hop_limit = 0;
  std::uint32_t hop_start = 0;
  std::optional<std::int32_t> rx_rssi;  // dBm
  float rx_snr = 0;                     // dB
  std::uint32_t rx_time = 0;            // epoch seconds, 0 unknown or local
  std::uint32_t request_id = 0;
  std::uint32_t reply_id = 0;
  bool want_ack = false;
  bool want_response = false;
  bool via_mqtt = false;
  std::optional<std::uint32_t> routing_error;  // Routing.Error of a ROUTING_APP packet
};

// Heap figures of a LocalStats. A total without a free figure means 0 bytes free (proto3 sends no zeros);
// neither, or 4294967295, means the platform has no figures. total_bytes is 0 when only it is unknown.
struct HeapFigures {
  std::int64_t free_bytes = 0;
  std::int64_t total_bytes = 0;
};

using FieldValue = std::variant<std::int64_t, std::uint64_t, double, std::string>;

// One telemetry message, of any node. `name` of a field lives as long as the program.
struct Telemetry {
  struct Field {
    std::string_view name;  // snake_case, as on the wire
    FieldValue value;
  };

  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t packet_id = 0;
  std::uint32_t request_id = 0;  // the id of the request this answers, else 0
  std::uint32_t rx_time = 0;     // epoch seconds, 0 unknown or local
  std::uint32_t time = 0;        // Telemetry.time, epoch seconds by the sender's clock, 0 unknown
  Variant variant = Variant::device;
  std::vector<Field> fields;  // in wire-number order; those on the wire alone, heap figures as resolved
  std::optional<HeapFigures> heap;
  std::uint32_t unknown_fields = 0;       // fields newer than this program inside a known variant
  std::optional<std::uint32_t> uptime_s;  // present and not 0; up to 60 s old in an answer
};
// Nothing when the field was not on the wire.
[[nodiscard]] const FieldValue* find(const Telemetry& telemetry, std::string_view name);
// Numbers as a double; nothing for text.
[[nodiscard]] std::optional<double> number(const FieldValue& value);

// A notice for a person, redacted.
struct Notification {
  Level level = Level::none;
  std::uint32_t time = 0;
  std::string message;
};

// Something newer than this program: a FromRadio or Telemetry variant by its field number.
struct UnknownVariant {
  enum class Where : std::uint8_t { from_radio, telemetry };
  Where where = Where::from_radio;
  std::uint32_t field = 0;
  std::uint32_t from = 0;  // sender, of a telemetry variant
};

// A frame known but of no interest (channel, config, file list, ...): only its kind and size.
struct Other {
  std::string_view kind;  // the field's name in FromRadio; lives as long as the program
  std::uint32_t bytes = 0;
};

// A frame or telemetry payload that is no valid message.
struct Malformed {
  std::string why;
};

using Record = std::variant<MyInfo, NodeIdentity, Metadata, ConfigComplete, Rebooted, QueueStatus, LogRecord,
                            Packet, Telemetry, Notification, UnknownVariant, Other, Malformed>;

// The word of `decode`'s `type` and of counters: my_info, node_info, metadata, config_complete, rebooted,
// queue_status, log, packet, telemetry, notification, unknown, other, malformed.
[[nodiscard]] std::string_view type_word(const Record& record);

// Decodes one FromRadio. A packet that carries telemetry gives its Packet, then its Telemetry. An empty frame
// gives nothing. Never fails: what cannot be read is Malformed or UnknownVariant.
[[nodiscard]] std::vector<Record> decode_from_radio(std::span<const std::uint8_t> payload);

// Name of a port number, e.g. `TELEMETRY_APP`; empty when unknown (unknown numbers are normal).
[[nodiscard]] std::string_view port_name(std::uint32_t portnum);

}  // namespace leakhunt::proto
