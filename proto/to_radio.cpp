// The few messages a recorder sends.
#include "proto/to_radio.h"

#include <google/protobuf/message_lite.h>

#include <algorithm>

#include "leakhunt/device/v1/mesh.pb.h"

namespace leakhunt::proto {
namespace {

Bytes framed_message(const google::protobuf::MessageLite& message) {
  Bytes payload(message.ByteSizeLong());
  message.SerializeToArray(payload.data(), static_cast<int>(payload.size()));
  return framed(payload);
}

}  // namespace

Bytes framed(std::span<const std::uint8_t> payload) {
  Bytes out(payload.size() + 4);
  out[0] = 0x94;
  out[1] = 0xC3;
  out[2] = static_cast<std::uint8_t>(payload.size() >> 8);
  out[3] = static_cast<std::uint8_t>(payload.size() & 0xFF);
  std::copy(payload.begin(), payload.end(), out.begin() + 4);
  return out;
}

Bytes want_config(std::uint32_t nonce) {
  device::v1::ToRadio message;
  message.set_want_config_id(nonce);
  return framed_message(message);
}

Bytes heartbeat() {
  device::v1::ToRadio message;
  message.mutable_heartbeat();
  return framed_message(message);
}

Bytes local_stats_request(std::uint32_t own_node, std::uint32_t id) {
  device::v1::Telemetry question;
  question.mutable_local_stats();
  device::v1::ToRadio message;
  device::v1::MeshPacket& packet = *message.mutable_packet();
  packet.set_to(own_node);
  packet.set_id(id);
  packet.mutable_decoded()->set_portnum(device::v1::TELEMETRY_APP);
  packet.mutable_decoded()->set_payload(question.SerializeAsString());
  packet.mutable_decoded()->set_want_response(true);
  return framed_message(message);
}

Bytes disconnect() {
  device::v1::ToRadio message;
  message.set_disconnect(true);
  return framed_message(message);
}

}  // namespace leakhunt::proto
