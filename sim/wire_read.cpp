// What the device understands of a client, out of nanopb. Knows nothing of what is answered.
#include <pb_decode.h>

#include "leakhunt/device/v1/mesh.pb.h"
#include "sim/wire.h"

namespace leakhunt::sim {
namespace {

using WireSecurity = leakhunt_device_v1_Config_SecurityConfig;

template <class Message>
bool decode(const pb_msgdesc_t* fields, const pb_byte_t* bytes, std::size_t size, Message& message) {
  pb_istream_t stream = pb_istream_from_buffer(bytes, size);
  return pb_decode(&stream, fields, &message);
}

template <class Bytes>
std::string bytes_of(const Bytes& field) {
  return {reinterpret_cast<const char*>(field.bytes), field.size};
}

// Calls visit(number, content of a delimited field, whole field) for each field of a message.
template <class Visit>
void for_each_field(std::string_view message, Visit visit) {
  pb_istream_t stream =
      pb_istream_from_buffer(reinterpret_cast<const pb_byte_t*>(message.data()), message.size());
  for (;;) {
    const std::size_t left_before = stream.bytes_left;
    pb_wire_type_t type{};
    std::uint32_t number = 0;
    bool ended = false;
    if (!pb_decode_tag(&stream, &type, &number, &ended)) return;
    pb_istream_t ahead = stream;
    std::uint32_t size = 0;
    if (type == PB_WT_STRING && !pb_decode_varint32(&ahead, &size)) return;
    if (!pb_skip_field(&stream, type)) return;
    const std::string_view whole =
        message.substr(message.size() - left_before, left_before - stream.bytes_left);
    visit(number, whole.substr(whole.size() - size), whole);
  }
}

std::string_view content_of(std::string_view message, std::uint32_t number) {
  std::string_view found;
  for_each_field(message, [&](std::uint32_t each, std::string_view content, std::string_view) {
    if (each == number) found = content;
  });
  return found;
}

// The fields of a SecurityConfig that the schema does not know.
std::string unknown_fields(std::string_view security) {
  std::string unknown;
  for_each_field(security, [&](std::uint32_t number, std::string_view, std::string_view whole) {
    if (number > leakhunt_device_v1_Config_SecurityConfig_packet_signature_policy_tag) unknown += whole;
  });
  return unknown;
}

Security plain(const WireSecurity& from) {
  Security to;
  to.public_key = bytes_of(from.public_key);
  to.private_key = bytes_of(from.private_key);
  for (std::size_t i = 0; i < from.admin_key_count; ++i) to.admin_keys.push_back(bytes_of(from.admin_key[i]));
  to.is_managed = from.is_managed;
  to.serial_enabled = from.serial_enabled;
  to.debug_log_api_enabled = from.debug_log_api_enabled;
  to.admin_channel_enabled = from.admin_channel_enabled;
  to.packet_signature_policy = from.packet_signature_policy;
  return to;
}

Security read_security(const WireSecurity& known, std::string_view admin) {
  Security security = plain(known);
  security.unknown_fields =
      unknown_fields(content_of(content_of(admin, leakhunt_device_v1_AdminMessage_set_config_tag),
                                leakhunt_device_v1_Config_security_tag));
  return security;
}

ClientMessage read_admin(const leakhunt_device_v1_Data& data, std::uint32_t id) {
  leakhunt_device_v1_AdminMessage admin{};
  if (!decode(leakhunt_device_v1_AdminMessage_fields, data.payload.bytes, data.payload.size, admin))
    return OtherPacket{.id = id};
  const auto& variant = admin.payload_variant;
  switch (admin.which_payload_variant) {
    case leakhunt_device_v1_AdminMessage_get_config_request_tag:
      if (variant.get_config_request == leakhunt_device_v1_AdminMessage_ConfigType_SECURITY_CONFIG)
        return SecurityRequest{id};
      return OtherPacket{.id = id};
    case leakhunt_device_v1_AdminMessage_set_config_tag:
      if (variant.set_config.which_payload_variant == leakhunt_device_v1_Config_security_tag)
        return SecurityChange{
            id, read_security(variant.set_config.payload_variant.security, bytes_of(data.payload))};
      return OtherChange{id};
    case leakhunt_device_v1_AdminMessage_begin_edit_settings_tag:
      return BeginEdit{id};
    case leakhunt_device_v1_AdminMessage_commit_edit_settings_tag:
      return CommitEdit{id};
    case leakhunt_device_v1_AdminMessage_reboot_seconds_tag:
      return RebootRequest{id, variant.reboot_seconds};
    default:
      return OtherPacket{.id = id};
  }
}

bool asks_for_stats(const leakhunt_device_v1_Data& data) {
  leakhunt_device_v1_Telemetry question{};
  return data.want_response &&
         decode(leakhunt_device_v1_Telemetry_fields, data.payload.bytes, data.payload.size, question) &&
         question.which_variant == leakhunt_device_v1_Telemetry_local_stats_tag;
}

ClientMessage read_packet(const leakhunt_device_v1_MeshPacket& packet, std::uint32_t own) {
  if (packet.to != own || packet.which_payload_variant != leakhunt_device_v1_MeshPacket_decoded_tag)
    return OtherPacket{packet.id, packet.to != own};
  const leakhunt_device_v1_Data& data = packet.payload_variant.decoded;
  if (data.portnum == leakhunt_device_v1_PortNum_ADMIN_APP) return read_admin(data, packet.id);
  if (data.portnum == leakhunt_device_v1_PortNum_TELEMETRY_APP && asks_for_stats(data))
    return StatsRequest{packet.id};
  return OtherPacket{.id = packet.id};
}

}  // namespace

ClientMessage read_client(std::string_view message, std::uint32_t own) {
  leakhunt_device_v1_ToRadio heard{};
  if (!decode(leakhunt_device_v1_ToRadio_fields, reinterpret_cast<const pb_byte_t*>(message.data()),
              message.size(), heard))
    return Unknown{};
  switch (heard.which_payload_variant) {
    case leakhunt_device_v1_ToRadio_want_config_id_tag:
      return WantConfig{heard.payload_variant.want_config_id};
    case leakhunt_device_v1_ToRadio_heartbeat_tag:
      return Heartbeat{};
    case leakhunt_device_v1_ToRadio_disconnect_tag:
      return Disconnect{};
    case leakhunt_device_v1_ToRadio_packet_tag:
      return read_packet(heard.payload_variant.packet, own);
    default:
      return Unknown{};
  }
}

}  // namespace leakhunt::sim
