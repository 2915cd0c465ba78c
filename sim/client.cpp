// A simulated device: what it answers its client.
#include <fmt/format.h>

#include "sim/chatter.h"
#include "sim/device.h"
#include "sim/handshake.h"

namespace leakhunt::sim {
namespace {

constexpr std::uint32_t kRoutingPort = 5;
constexpr std::uint32_t kAdminPort = 6;
constexpr std::uint32_t kTelemetryPort = 67;
constexpr double kReply_s = 0.1;
constexpr double kRebootAfterChange_s = 7;
constexpr double kHangUpAfterDisconnect_s = 0.1;
// Asked every 5 s, every second request stays unanswered; every 10 s, none does (seen).
constexpr Duration kTooSoon = std::chrono::seconds{9};

}  // namespace

void Device::opened(Mono now) {
  session_ = {.open = true, .last_heard = now, .number = session_.number + 1};
  reader_.reset();
}

void Device::closed() {
  session_ = {.open = setup_.serial, .number = session_.number + 1};
  reader_.reset();
}

void Device::heard(std::string_view bytes, Mono now) {
  if (setup_.text_only) return;
  for (const std::string& message : reader_.feed(bytes)) {
    ++counters_.frames_heard;
    if (!session_.api && setup_.serial && !setup_.old_console) port_.drop_unsent();
    session_.api = true;
    session_.idle = false;
    session_.last_heard = now;
    answer(read_client(message, setup_.identity.node), now);
  }
}

void Device::answer(const ClientMessage& message, Mono at) {
  std::visit([&](const auto& kind) { on(kind, at); }, message);
}

void Device::on(const WantConfig& message, Mono at) {
  log({Level::info, "SerialConsole", fmt::format("Client wants config, nonce={}", message.nonce)}, at);
  const Handshake about{.own = setup_.identity,
                        .reboot_count = setup_.reboot_count,
                        .security = setup_.security,
                        .others = other_nodes(),
                        .epoch_s = epoch_s(at)};
  session_.configured = false;
  for (const std::string& part : handshake(about, message.nonce)) transmit(part, at);
  session_.configured = true;
  // What has waited for a client comes now, however old it is.
  for (const Packet& packet : to_phone_) transmit(sim::packet(packet), at);
  to_phone_.clear();
}

void Device::on(const Heartbeat&, Mono at) {
  agenda_.at(at + from_seconds(kReply_s / 2), [this, number = session_.number](Mono due) {
    if (number == session_.number) transmit(queue_status(0), due);
  });
}

void Device::on(const Disconnect&, Mono at) {
  session_.configured = false;
  session_.idle = true;
  agenda_.at(at + from_seconds(kHangUpAfterDisconnect_s), [this, number = session_.number](Mono) {
    if (number == session_.number) port_.hang_up();
  });
}

bool Device::accept(std::uint32_t packet_id, Mono at) {
  transmit(queue_status(packet_id), at);
  return seen_.insert(packet_id).second;
}

void Device::reply(std::uint32_t port, std::uint32_t request_id, std::string payload, double delay_s,
                   Mono at) {
  Packet packet = local_packet(port, std::move(payload));
  packet.to = setup_.identity.node;
  packet.request_id = request_id;
  agenda_.at(at + from_seconds(delay_s), [this, number = session_.number, packet](Mono due) {
    if (number == session_.number) deliver(packet, due);
  });
}

void Device::on(const StatsRequest& message, Mono at) {
  ++counters_.stats_asked;
  if (!accept(message.id, at) || !scenario_.answers_stats) return;
  const bool too_soon = last_asked_at_ && at - *last_asked_at_ < kTooSoon;
  last_asked_at_ = at;
  last_answered_ = !(too_soon && last_answered_);
  if (!last_answered_) return;
  ++counters_.stats_answered;
  reply(kTelemetryPort, message.id, stats_payload(stats(at), epoch_s(at)), kReply_s, at);
  agenda_.at(at + from_seconds(kReply_s), [this, id = message.id, number = session_.number](Mono due) {
    if (number == session_.number) transmit(queue_status(id), due);
  });
}

void Device::on(const SecurityRequest& message, Mono at) {
  if (!accept(message.id, at)) return;
  reply(kAdminPort, message.id, security_answer_payload(setup_.security), kReply_s, at);
}

void Device::on(const SecurityChange& message, Mono at) {
  if (!accept(message.id, at)) return;
  setup_.security = message.security;
  reply(kRoutingPort, message.id, routing_ack_payload(), kReply_s, at);
  changed_ = true;
  if (!editing_) reboot_after(kRebootAfterChange_s, at);
}

void Device::on(const OtherChange& message, Mono at) {
  if (!accept(message.id, at)) return;
  reply(kRoutingPort, message.id, routing_ack_payload(), kReply_s, at);
  changed_ = true;
  if (!editing_) reboot_after(kRebootAfterChange_s, at);
}

void Device::on(const BeginEdit& message, Mono at) {
  editing_ = accept(message.id, at) || editing_;
}

void Device::on(const CommitEdit& message, Mono at) {
  if (!accept(message.id, at)) return;
  editing_ = false;
  if (changed_) reboot_after(kRebootAfterChange_s, at);
}

void Device::on(const RebootRequest& message, Mono at) {
  if (accept(message.id, at) && message.after_s >= 0) reboot_after(message.after_s, at);
}

void Device::on(const OtherPacket& message, Mono at) {
  accept(message.id, at);
}

void Device::on(const Unknown&, Mono) {}

void Device::reboot_after(double delay_s, Mono at) {
  log({Level::info, "AdminModule", fmt::format("Reboot in {} seconds", delay_s)}, at);
  agenda_.at(at + from_seconds(delay_s), [this](Mono due) { reboot(Restart::planned, due); });
}

}  // namespace leakhunt::sim
