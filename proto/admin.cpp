// The security configuration, in and out, over the bare wire: no message object ever holds a key.
#include "proto/admin.h"

#include <algorithm>
#include <array>
#include <set>

#include "leakhunt/device/v1/mesh.pb.h"
#include "proto/wire_fields.h"

namespace leakhunt::proto {
namespace {

namespace wire = device::v1;
using Security = wire::Config::SecurityConfig;
using Span = std::span<const std::uint8_t>;

constexpr std::size_t kLargestData_bytes = 233;  // Data.payload [firmware's mesh.options]
constexpr int kDebugLog = Security::kDebugLogApiEnabledFieldNumber;

struct KnownField {
  std::uint32_t number = 0;
  WireKind kind = WireKind::varint;
  std::string_view name;
};
constexpr std::array kKnown{
    KnownField{Security::kPublicKeyFieldNumber, WireKind::delimited, "public_key"},
    KnownField{Security::kPrivateKeyFieldNumber, WireKind::delimited, "private_key"},
    KnownField{Security::kAdminKeyFieldNumber, WireKind::delimited, "admin_key"},
    KnownField{Security::kIsManagedFieldNumber, WireKind::varint, "is_managed"},
    KnownField{Security::kSerialEnabledFieldNumber, WireKind::varint, "serial_enabled"},
    KnownField{Security::kDebugLogApiEnabledFieldNumber, WireKind::varint, "debug_log_api_enabled"},
    KnownField{Security::kAdminChannelEnabledFieldNumber, WireKind::varint, "admin_channel_enabled"},
    KnownField{Security::kPacketSignaturePolicyFieldNumber, WireKind::varint, "packet_signature_policy"},
};

const KnownField* known(std::uint32_t number) {
  const auto found = std::find_if(kKnown.begin(), kKnown.end(),
                                  [&](const KnownField& each) { return each.number == number; });
  return found == kKnown.end() ? nullptr : &*found;
}

void append_varint(SecretBytes& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.append(static_cast<std::uint8_t>(value | 0x80));
  out.append(static_cast<std::uint8_t>(value));
}

void append_tag(SecretBytes& out, int number, WireKind kind) {
  append_varint(out, static_cast<std::uint64_t>(number) << 3 | static_cast<std::uint64_t>(kind));
}

void append_number(SecretBytes& out, int number, std::uint64_t value) {
  append_tag(out, number, WireKind::varint);
  append_varint(out, value);
}

void append_fixed32(SecretBytes& out, int number, std::uint32_t value) {
  append_tag(out, number, WireKind::fixed32);
  for (unsigned shift = 0; shift < 32; shift += 8) out.append(static_cast<std::uint8_t>(value >> shift));
}

void append_part(SecretBytes& out, int number, Span content) {
  append_tag(out, number, WireKind::delimited);
  append_varint(out, content.size());
  out.append(content);
}

// The frame around an AdminMessage for the own node. Each layer is a buffer of its own, wiped at the end.
SecretBytes admin_frame(std::uint32_t own_node, std::uint32_t id, Span admin) {
  SecretBytes data;
  append_number(data, wire::Data::kPortnumFieldNumber, wire::ADMIN_APP);
  append_part(data, wire::Data::kPayloadFieldNumber, admin);
  append_number(data, wire::Data::kWantResponseFieldNumber, 1);
  SecretBytes packet;
  append_fixed32(packet, wire::MeshPacket::kToFieldNumber, own_node);
  append_part(packet, wire::MeshPacket::kDecodedFieldNumber, data.view());
  append_fixed32(packet, wire::MeshPacket::kIdFieldNumber, id);
  SecretBytes to_radio;
  append_part(to_radio, wire::ToRadio::kPacketFieldNumber, packet.view());
  const std::size_t size = to_radio.size();
  SecretBytes frame{0x94, 0xC3, static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size & 0xFF)};
  frame.append(to_radio.view());
  return frame;
}

// The payload of an own-node packet on `port` that answers request `id`.
std::optional<Span> answer_payload(Span from_radio, std::uint32_t own_node, std::uint32_t id,
                                   std::uint32_t port) {
  const auto packet = only_field(from_radio, wire::FromRadio::kPacketFieldNumber, WireKind::delimited);
  if (!packet) return std::nullopt;
  const auto from = only_field(packet->bytes, wire::MeshPacket::kFromFieldNumber, WireKind::fixed32);
  if (!from || from->value != own_node) return std::nullopt;
  const auto data = only_field(packet->bytes, wire::MeshPacket::kDecodedFieldNumber, WireKind::delimited);
  if (!data) return std::nullopt;
  const auto told_port = only_field(data->bytes, wire::Data::kPortnumFieldNumber, WireKind::varint);
  const auto request = only_field(data->bytes, wire::Data::kRequestIdFieldNumber, WireKind::fixed32);
  if (!told_port || told_port->value != port || !request || request->value != id) return std::nullopt;
  const auto payload = only_field(data->bytes, wire::Data::kPayloadFieldNumber, WireKind::delimited);
  return payload ? payload->bytes : Span{};
}

// The security configuration inside an AdminMessage; nothing where it holds something else or is broken.
std::optional<Span> config_in(Span admin) {
  const auto response =
      only_field(admin, wire::AdminMessage::kGetConfigResponseFieldNumber, WireKind::delimited);
  if (!response) return std::nullopt;
  const auto security = only_field(response->bytes, wire::Config::kSecurityFieldNumber, WireKind::delimited);
  if (!security) return std::nullopt;
  return security->bytes;
}

std::vector<WireField> fields_of(Span config) {
  std::vector<WireField> fields;
  WireReader reader{config};
  while (const auto field = reader.next()) fields.push_back(*field);
  return fields;
}

// The fields of one number in both, byte for byte and in order.
bool same_field(const std::vector<WireField>& before, const std::vector<WireField>& after,
                std::uint32_t number) {
  const auto next = [&](auto at, const std::vector<WireField>& in) {
    return std::find_if(at, in.end(), [&](const WireField& field) { return field.number == number; });
  };
  auto left = next(before.begin(), before);
  auto right = next(after.begin(), after);
  for (; left != before.end() && right != after.end();
       left = next(left + 1, before), right = next(right + 1, after)) {
    if (!std::equal(left->whole.begin(), left->whole.end(), right->whole.begin(), right->whole.end()))
      return false;
  }
  return left == before.end() && right == after.end();
}

}  // namespace

SecurityFlags security_flags(Span config) {
  SecurityFlags flags;
  flags.complete = true;
  std::set<std::uint32_t> seen;
  WireReader reader{config};
  while (const auto field = reader.next()) {
    const KnownField* about = known(field->number);
    if (about == nullptr) continue;
    const bool first = seen.insert(field->number).second || about->number == Security::kAdminKeyFieldNumber;
    if (field->kind != about->kind || !first) flags.complete = false;
    if (about->number == Security::kPublicKeyFieldNumber) flags.has_public_key = !field->bytes.empty();
    if (about->number == Security::kPrivateKeyFieldNumber) flags.has_private_key = !field->bytes.empty();
    if (about->number == Security::kIsManagedFieldNumber) flags.is_managed = field->value != 0;
    if (about->number == kDebugLog) flags.debug_log_api_enabled = field->value != 0;
  }
  flags.complete = flags.complete && !reader.broken();
  return flags;
}

SecretBytes get_security_request(std::uint32_t own_node, std::uint32_t id) {
  SecretBytes admin;
  append_number(admin, wire::AdminMessage::kGetConfigRequestFieldNumber, wire::AdminMessage::SECURITY_CONFIG);
  return admin_frame(own_node, id, admin.view());
}

std::optional<SecretBytes> set_security_request(std::uint32_t own_node, std::uint32_t id, Span config,
                                                Span session_passkey) {
  SecretBytes section;
  append_part(section, wire::Config::kSecurityFieldNumber, config);
  SecretBytes admin;
  append_part(admin, wire::AdminMessage::kSetConfigFieldNumber, section.view());
  if (!session_passkey.empty())
    append_part(admin, wire::AdminMessage::kSessionPasskeyFieldNumber, session_passkey);
  if (admin.size() > kLargestData_bytes) return std::nullopt;
  return admin_frame(own_node, id, admin.view());
}

std::optional<SecurityAnswer> read_security_answer(Span from_radio, std::uint32_t own_node,
                                                   std::uint32_t id) {
  const auto admin = answer_payload(from_radio, own_node, id, wire::ADMIN_APP);
  if (!admin) return std::nullopt;
  SecurityAnswer answer;
  const auto config = config_in(*admin);
  if (!config) return answer;
  answer.config = SecretBytes{*config};
  answer.flags = security_flags(*config);
  if (const auto key =
          only_field(*admin, wire::AdminMessage::kSessionPasskeyFieldNumber, WireKind::delimited))
    answer.session_passkey = SecretBytes{key->bytes};
  return answer;
}

std::optional<std::uint32_t> read_routing_answer(Span from_radio, std::uint32_t own_node, std::uint32_t id) {
  const auto routing = answer_payload(from_radio, own_node, id, wire::ROUTING_APP);
  if (!routing) return std::nullopt;
  const auto reason = only_field(*routing, wire::Routing::kErrorReasonFieldNumber, WireKind::varint);
  return reason ? static_cast<std::uint32_t>(reason->value) : 0;
}

std::string routing_error_name(std::uint32_t error) {
  const std::string& name = wire::Routing::Error_Name(static_cast<int>(error));
  return name.empty() ? "error " + std::to_string(error) : name;
}

SecretBytes with_debug_log(Span config, bool on) {
  SecretBytes out;
  bool placed = !on;
  const auto place = [&] {
    if (!placed) append_number(out, kDebugLog, 1);
    placed = true;
  };
  WireReader reader{config};
  while (const auto field = reader.next()) {
    if (field->number >= kDebugLog) place();
    if (field->number != kDebugLog) out.append(field->whole);
  }
  place();
  return out;
}

std::vector<std::string> other_differences(Span before, Span after) {
  const auto left = fields_of(before);
  const auto right = fields_of(after);
  std::set<std::uint32_t> numbers;
  for (const auto& field : left) numbers.insert(field.number);
  for (const auto& field : right) numbers.insert(field.number);
  numbers.erase(kDebugLog);
  std::vector<std::string> names;
  for (const std::uint32_t number : numbers) {
    if (same_field(left, right, number)) continue;
    const KnownField* about = known(number);
    names.push_back(about != nullptr ? std::string{about->name} : "field " + std::to_string(number));
  }
  return names;
}

}  // namespace leakhunt::proto
