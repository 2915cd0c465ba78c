// A simulated device: what it answers its clients.
#include <fmt/format.h>

#include <algorithm>

#include "sim/chatter.h"
#include "sim/device.h"
#include "sim/handshake.h"

namespace leakhunt::sim {
namespace {

constexpr std::uint32_t kRoutingPort = 5;
constexpr std::uint32_t kAdminPort = 6;
constexpr std::uint32_t kTelemetryPort = 67;
constexpr double kReply_s = 0.1;
constexpr double kNextNodeInfo_s = 1;
constexpr double kRebootAfterChange_s = 7;
constexpr double kHangUpAfterDisconnect_s = 0.1;
// Asked every 5 s, every second request stays unanswered; every 10 s, none does (seen).
constexpr Duration kTooSoon = std::chrono::seconds{9};

}  // namespace

void Device::opened(const Port& port, Mono now) {
  Session& session = session_of(port);
  if (!session.serial()) return session.begin(true, now);
  if (setup_.odd.resets_when_opened) reboot(Restart::power, now);
}

void Device::closed(const Port& port, Mono now) {
  Session& session = session_of(port);
  session.begin(session.serial(), now);
}

void Device::heard(const Port& port, std::string_view bytes, Mono now) {
  if (overheard_) overheard_(port, bytes, now);
  Session& session = session_of(port);
  if (session.serial() && (now < session.deaf_until || setup_.text_only)) return;
  for (const std::string& message : session.reader.feed(bytes)) {
    ++counters_.frames_heard;
    if (!session.api && session.serial() && !setup_.old_console) session.port.drop_unsent();
    session.api = true;
    session.idle = false;
    session.last_heard = now;
    answer(session, read_client(message, setup_.identity.node), now);
  }
}

void Device::answer(Session& session, const ClientMessage& message, Mono at) {
  std::visit([&](const auto& kind) { on(session, kind, at); }, message);
}

void Device::later(Session& session, double delay_s, Mono at, Agenda::Task task) {
  agenda_.at(at + from_seconds(delay_s),
             [&session, number = session.number, task = std::move(task)](Mono due) {
               if (number == session.number) task(due);
             });
}

void Device::on(Session& session, const WantConfig& message, Mono at) {
  log({Level::info, "SerialConsole", fmt::format("Client wants config, nonce={}", message.nonce)}, at);
  const Handshake about{.own = setup_.identity,
                        .reboot_count = setup_.reboot_count,
                        .security = told_security(),
                        .others = known_nodes(),
                        .knows_nonces = !setup_.odd.nodes,
                        .epoch_s = epoch_s(at)};
  session.configured = false;
  ++session.greetings;
  for (const std::string& part : handshake(about, message.nonce)) transmit(session, part, at);
  if (setup_.odd.endless_handshake) return node_infos_for_ever(session, session.greetings, 0, at);
  transmit(session, config_complete(message.nonce), at);
  session.configured = true;
  // What has waited for a client comes now, however old it is.
  for (const Packet& packet : to_phone_) transmit(session, sim::packet(packet), at);
  to_phone_.clear();
}

void Device::node_infos_for_ever(Session& session, std::uint64_t greeting, std::size_t next_node, Mono at) {
  later(session, kNextNodeInfo_s, at, [this, &session, greeting, next_node](Mono due) {
    if (greeting != session.greetings) return;
    const std::vector<Identity> nodes = known_nodes();
    transmit(session, node_info(nodes[next_node % nodes.size()], epoch_s(due)), due);
    node_infos_for_ever(session, greeting, next_node + 1, due);
  });
}

void Device::send_nodes(Mono now) {
  for (Session& session : sessions_)
    if (session.configured)
      for (const Identity& node : known_nodes()) transmit(session, node_info(node, epoch_s(now)), now);
}

std::vector<Identity> Device::known_nodes() const {
  return other_nodes(setup_.odd.nodes.value_or(kOrdinaryNodes));
}

Security Device::told_security() const {
  Security told = setup_.security;
  if (setup_.odd.hides_private_key) told.private_key.clear();
  return told;
}

void Device::on(Session& session, const Heartbeat&, Mono at) {
  later(session, kReply_s / 2, at, [this, &session](Mono due) { transmit(session, queue_status(0), due); });
}

void Device::on(Session& session, const Disconnect&, Mono at) {
  session.configured = false;
  session.idle = true;
  later(session, kHangUpAfterDisconnect_s, at, [&session](Mono) { session.port.hang_up(); });
}

bool Device::accept(Session& session, std::uint32_t packet_id, Mono at) {
  transmit(session, queue_status(packet_id), at);
  return seen_.insert(packet_id).second;
}

void Device::reply(Session& session, std::uint32_t port, std::uint32_t request_id, std::string payload,
                   double delay_s, Mono at) {
  Packet packet = local_packet(port, std::move(payload));
  packet.to = setup_.identity.node;
  packet.request_id = request_id;
  later(session, delay_s, at, [this, &session, packet](Mono due) { deliver_to(session, packet, due); });
}

bool Device::answers_now(Mono at) {
  const Answers answers = setup_.odd.answers.value_or(scenario_.answers);
  if (answers == Answers::none) return false;
  const bool too_soon = last_asked_at_ && at - *last_asked_at_ < kTooSoon;
  last_asked_at_ = at;
  last_answered_ = !(last_answered_ && (too_soon || answers == Answers::every_second));
  return last_answered_;
}

void Device::on(Session& session, const StatsRequest& message, Mono at) {
  ++counters_.stats_asked;
  if (!accept(session, message.id, at) || !answers_now(at)) return;
  ++counters_.stats_answered;
  later(session, setup_.odd.answer_after_s, at, [this, &session, id = message.id](Mono due) {
    Packet packet = local_packet(kTelemetryPort, stats_payload(stats(due), epoch_s(due)));
    packet.to = setup_.identity.node;
    packet.request_id = id;
    deliver_to(session, packet, due);
    transmit(session, queue_status(id), due);
  });
}

void Device::on(Session& session, const SecurityRequest& message, Mono at) {
  if (!accept(session, message.id, at)) return;
  std::string payload = security_answer_payload(told_security());
  payload.resize(std::min(payload.size(), setup_.odd.security_answer_bytes.value_or(payload.size())));
  reply(session, kAdminPort, message.id, std::move(payload), kReply_s, at);
}

void Device::on(Session& session, const SecurityChange& message, Mono at) {
  if (!accept(session, message.id, at)) return;
  reply(session, kRoutingPort, message.id, routing_ack_payload(), kReply_s, at);
  if (setup_.odd.ignores_set_config) return;
  setup_.security = message.security;
  changed(at);
}

void Device::on(Session& session, const OtherChange& message, Mono at) {
  if (!accept(session, message.id, at)) return;
  reply(session, kRoutingPort, message.id, routing_ack_payload(), kReply_s, at);
  if (!setup_.odd.ignores_set_config) changed(at);
}

void Device::changed(Mono at) {
  changed_ = true;
  if (!editing_) reboot_after(kRebootAfterChange_s, at);
}

void Device::on(Session& session, const BeginEdit& message, Mono at) {
  editing_ = accept(session, message.id, at) || editing_;
}

void Device::on(Session& session, const CommitEdit& message, Mono at) {
  if (!accept(session, message.id, at)) return;
  editing_ = false;
  if (changed_) reboot_after(kRebootAfterChange_s, at);
}

void Device::on(Session& session, const RebootRequest& message, Mono at) {
  if (accept(session, message.id, at) && message.after_s >= 0) reboot_after(message.after_s, at);
}

void Device::on(Session& session, const OtherPacket& message, Mono at) {
  if (message.to_others) ++counters_.to_others;
  accept(session, message.id, at);
}

void Device::on(Session&, const Unknown&, Mono) {}

void Device::reboot_after(double delay_s, Mono at) {
  log({Level::info, "AdminModule", fmt::format("Reboot in {} seconds", delay_s)}, at);
  agenda_.at(at + from_seconds(delay_s), [this](Mono due) { reboot(Restart::planned, due); });
}

}  // namespace leakhunt::sim
