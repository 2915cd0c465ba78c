// Frames to records.
#include "proto/records.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <array>
#include <utility>

#include "leakhunt/device/v1/mesh.pb.h"
#include "proto/keyless.h"
#include "proto/redact.h"
#include "proto/repair.h"
#include "proto/salvage.h"
#include "proto/telemetry_decode.h"

namespace leakhunt::proto {
namespace {

namespace wire = device::v1;
using google::protobuf::Arena;
using Records = std::vector<Record>;

std::string_view chars(std::span<const std::uint8_t> bytes) {
  return {static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size()};
}

Level level_of(wire::LogRecord::Level level) {
  switch (level) {
    case wire::LogRecord::TRACE:
      return Level::trace;
    case wire::LogRecord::DEBUG:
      return Level::debug;
    case wire::LogRecord::INFO:
      return Level::info;
    case wire::LogRecord::WARNING:
      return Level::warn;
    case wire::LogRecord::ERROR:
      return Level::error;
    case wire::LogRecord::CRITICAL:
      return Level::crit;
    default:
      return Level::none;
  }
}

// In API mode a HEAP line has no level of its own (it is UNSET): what it tells gives it back.
LogRecord read(const wire::LogRecord& record) {
  LogLine line = read_record_body(record.message(), level_of(record.level()), record.source());
  if (line.level == Level::none && (line.heap_event || line.heap_free_bytes || line.alloc))
    line.level = Level::heap;
  return {std::move(line), record.time()};
}

NodeIdentity read(const wire::NodeInfo& node) {
  const wire::User& user = node.user();
  return {node.num(),
          user.id(),
          user.long_name(),
          user.short_name(),
          static_cast<std::uint32_t>(user.hw_model()),
          static_cast<std::uint32_t>(user.role()),
          node.last_heard()};
}

Metadata read(const wire::DeviceMetadata& metadata) {
  return {metadata.firmware_version(),
          static_cast<std::uint32_t>(metadata.hw_model()),
          static_cast<std::uint32_t>(metadata.role()),
          metadata.haswifi(),
          metadata.hasbluetooth(),
          metadata.hasethernet()};
}

Notification read(const wire::ClientNotification& notice) {
  std::string message = notice.message();
  redact_message(message);
  return {level_of(notice.level()), notice.time(), std::move(message)};
}

Packet envelope(const wire::MeshPacket& packet) {
  Packet out;
  out.from = packet.from();
  out.to = packet.to();
  out.id = packet.id();
  out.channel = packet.channel();
  out.payload_bytes = static_cast<std::uint32_t>(packet.encrypted().size());
  out.hop_limit = packet.hop_limit();
  out.hop_start = packet.hop_start();
  if (packet.has_rx_rssi()) out.rx_rssi = packet.rx_rssi();
  out.rx_snr = packet.rx_snr();
  out.rx_time = packet.rx_time();
  out.want_ack = packet.want_ack();
  out.via_mqtt = packet.via_mqtt();
  return out;
}

void read_data(const wire::Data& data, Packet& out) {
  out.portnum = static_cast<std::uint32_t>(data.portnum());
  out.payload_bytes = static_cast<std::uint32_t>(data.payload().size());
  out.request_id = data.request_id();
  out.reply_id = data.reply_id();
  out.want_response = data.want_response();
  if (data.portnum() != wire::ROUTING_APP) return;
  wire::Routing routing;
  if (routing.ParseFromString(data.payload()) && routing.variant_case() == wire::Routing::kErrorReason)
    out.routing_error = static_cast<std::uint32_t>(routing.error_reason());
}

void read(const wire::MeshPacket& packet, Arena& arena, Records& out) {
  Packet summary = envelope(packet);
  if (packet.has_decoded()) read_data(packet.decoded(), summary);
  const Packet head = summary;
  constexpr std::size_t packet_and_telemetry = 2;
  out.reserve(packet_and_telemetry);
  out.emplace_back(std::move(summary));
  if (head.portnum == std::uint32_t{wire::TELEMETRY_APP})
    decode_telemetry(packet.decoded().payload(), head, arena, out);
}

// A variant of no interest, by its name in the schema.
Other other(int variant, std::size_t bytes) {
  const auto* field = wire::FromRadio::descriptor()->FindFieldByNumber(variant);
  return {field->name(), static_cast<std::uint32_t>(bytes)};
}

Malformed malformed(std::span<const std::uint8_t> payload) {
  return {"a frame of " + std::to_string(payload.size()) + " bytes is no FromRadio"};
}

void report_unknown(const wire::FromRadio& message, Records& out) {
  const auto& unknown = wire::FromRadio::GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const auto field = static_cast<std::uint32_t>(unknown.field(i).number());
    out.emplace_back(UnknownVariant{UnknownVariant::Where::from_radio, field, 0});
  }
}

void read(const wire::FromRadio& message, std::size_t bytes, Arena& arena, Records& out) {
  switch (message.payload_variant_case()) {
    case wire::FromRadio::kPacket:
      return read(message.packet(), arena, out);
    case wire::FromRadio::kLogRecord:
      out.emplace_back(read(message.log_record()));
      return;
    case wire::FromRadio::kMyInfo: {
      const wire::MyNodeInfo& my = message.my_info();
      out.emplace_back(MyInfo{my.my_node_num(), my.reboot_count(), my.nodedb_count(), my.pio_env()});
      return;
    }
    case wire::FromRadio::kNodeInfo:
      out.emplace_back(read(message.node_info()));
      return;
    case wire::FromRadio::kMetadata:
      out.emplace_back(read(message.metadata()));
      return;
    case wire::FromRadio::kConfigCompleteId:
      out.emplace_back(ConfigComplete{message.config_complete_id()});
      return;
    case wire::FromRadio::kRebooted:
      if (message.rebooted()) out.emplace_back(Rebooted{});
      return;
    case wire::FromRadio::kQueueStatus: {
      const wire::QueueStatus& queue = message.queuestatus();
      out.emplace_back(QueueStatus{queue.res(), queue.free(), queue.maxlen(), queue.mesh_packet_id()});
      return;
    }
    case wire::FromRadio::kClientNotification:
      out.emplace_back(read(message.clientnotification()));
      return;
    case wire::FromRadio::PAYLOAD_VARIANT_NOT_SET:
      return report_unknown(message, out);
    default:
      out.emplace_back(other(message.payload_variant_case(), bytes));
      return;
  }
}

bool parse(wire::FromRadio& message, std::string_view bytes) {
  const google::protobuf::LogSilencer quiet;  // a name cut in a character is no error, and mended below
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return true;
  const auto mended = with_valid_strings(*wire::FromRadio::descriptor(), bytes);
  return mended && message.ParseFromString(*mended);
}

}  // namespace

std::vector<Record> decode_from_radio(std::span<const std::uint8_t> payload) {
  if (const auto variant = variant_with_keys(payload)) {
    if (looks_like_from_radio(payload)) return {other(*variant, payload.size())};
    return {malformed(payload)};
  }
  const auto keyless = without_administration(payload);
  std::array<char, 4096> block;
  Arena arena{block.data(), block.size()};
  wire::FromRadio& message = *Arena::CreateMessage<wire::FromRadio>(&arena);
  Records out;
  if (parse(message, chars(keyless ? std::span{std::as_const(*keyless)} : payload))) {
    read(message, payload.size(), arena, out);
  } else {
    out.emplace_back(malformed(payload));
  }
  return out;
}

std::string_view type_word(const Record& record) {
  constexpr std::array<std::string_view, std::variant_size_v<Record>> words{
      "my_info", "node_info", "metadata",     "config_complete", "rebooted", "queue_status", "log",
      "packet",  "telemetry", "notification", "unknown",         "other",    "malformed"};
  return words[record.index()];
}

std::string_view port_name(std::uint32_t portnum) {
  const auto* value = wire::PortNum_descriptor()->FindValueByNumber(static_cast<int>(portnum));
  return value == nullptr ? std::string_view{} : std::string_view{value->name()};
}

}  // namespace leakhunt::proto
