// Handshake, heartbeat and polling of one link, as decisions. No I/O.
#include "daemon/conversation.h"

#include <algorithm>
#include <utility>

namespace leakhunt::daemon {

Patience Patience::under(const Clock& clock) {
  constexpr Duration kSecond{1'000'000};
  const double real_us = static_cast<double>(clock.real(kSecond).count()) * 1e-3;
  const Duration least{
      static_cast<std::int64_t>(1e6 * static_cast<double>(kSecond.count()) / std::max(real_us, 1.0))};
  Patience patience;
  patience.first_frame = std::max(patience.first_frame, least);
  patience.handshake = std::max(patience.handshake, least);
  patience.silence = std::max(patience.silence, least);
  patience.connect = std::max(patience.connect, 10 * least);
  patience.line = std::max(patience.line, least / 2);
  return patience;
}

Conversation::Conversation(LinkMode mode, Carrier carrier, std::optional<Duration> poll, Patience patience,
                           std::function<std::uint32_t()> fresh_id)
    : mode_(mode),
      carrier_(carrier),
      patience_(patience),
      draw_(std::move(fresh_id)),
      poll_(mode == LinkMode::gentle ? std::nullopt : poll) {}

proto::Bytes Conversation::bytes_of(const Action& action) {
  if (std::holds_alternative<Greet>(action)) return proto::want_config();
  if (std::holds_alternative<Beat>(action)) return proto::heartbeat();
  if (const auto* ask = std::get_if<Ask>(&action)) return proto::local_stats_request(ask->node, ask->id);
  return {};
}

std::vector<Conversation::Action> Conversation::opened(Mono now, bool known) {
  std::vector<Action> actions;
  known_ = known;
  unanswered_handshakes_ = 0;
  endless_handshakes_ = 0;
  if (mode_ == LinkMode::listen) {
    phase_ = Phase::listening;
  } else if (mode_ == LinkMode::automatic) {
    listen_first(now);
  } else {
    greet(now, actions);
  }
  return actions;
}

void Conversation::listen_first(Mono now) {
  phase_ = Phase::listening;
  node_told_ = false;
  listens_since_ = now;
  poll_.end();
  greet_at_ = now + kListensFirst;
}

void Conversation::greet(Mono now, std::vector<Action>& actions) {
  phase_ = Phase::handshake;
  greet_at_.reset();
  poll_.end();
  node_told_ = false;
  frame_since_greeting_ = false;
  unanswered_beat_.reset();
  greeted_ = last_frame_ = last_beat_ = now;
  actions.emplace_back(Greet{});
}

void Conversation::heard(const proto::Record& record, Mono now) {
  if (std::holds_alternative<proto::Malformed>(record)) return;
  known_ = true;
  last_frame_ = now;
  frame_since_greeting_ = true;
  unanswered_beat_.reset();
  if (mode_ == LinkMode::listen) return;
  if (phase_ == Phase::dormant) greet_at_ = std::min(greet_at_.value_or(now), now);
  if (std::holds_alternative<proto::Rebooted>(record)) boot_seen(now);
  if (const auto* info = std::get_if<proto::MyInfo>(&record)) {
    own_node_ = info->node;
    node_told_ = true;
  }
  if (const auto* end = std::get_if<proto::ConfigComplete>(&record)) {
    // An echo of another number ends our handshake only if the device began it anew: it may be the end of one
    // that another client had asked for.
    if (end->nonce == proto::config_nonce || node_told_) complete(now);
  }
  if (const auto* telemetry = std::get_if<proto::Telemetry>(&record)) {
    if (telemetry->from == own_node_ && telemetry->request_id != 0)
      poll_.answered(telemetry->request_id, now);
  }
}

void Conversation::heard(const proto::LogLine& line, Mono now) {
  if (mode_ == LinkMode::listen) return;
  if (line.boot) boot_seen(now);
  if (mode_ == LinkMode::automatic && phase_ == Phase::listening && line.has_heap_prefix) {
    // While it boots, more signs of that are to come.
    greet_at_ = std::min(greet_at_.value_or(now), std::max(now, listens_since_ + kBootSettles));
  }
}

void Conversation::boot_seen(Mono now) {
  poll_.booted();
  if (mode_ == LinkMode::automatic) return listen_first(now);
  greet_at_ = now + kBootSettles;
}

void Conversation::complete(Mono now) {
  if (phase_ != Phase::handshake) return;
  phase_ = Phase::live;
  // A boot told of since the greeting is over: the device has answered after it.
  greet_at_.reset();
  unanswered_handshakes_ = 0;
  endless_handshakes_ = 0;
  last_beat_ = now;
  if (own_node_ != 0) poll_.begin(now);
}

std::vector<Conversation::Action> Conversation::due(Mono now) {
  std::vector<Action> actions;
  if (greet_at_ && now >= *greet_at_) {
    greet(now, actions);
  } else if (phase_ == Phase::handshake) {
    handshake_due(now, actions);
  } else if (phase_ == Phase::live) {
    live_due(now, actions);
  }
  return actions;
}

void Conversation::handshake_due(Mono now, std::vector<Action>& actions) {
  if (!frame_since_greeting_ && now >= greeted_ + patience_.first_frame) {
    if (++unanswered_handshakes_ < kHandshakes) return greet(now, actions);
    return give_up(now, actions, std::to_string(kHandshakes) + " handshakes were not answered");
  }
  if (frame_since_greeting_ && now >= greeted_ + handshake_limit()) {
    unanswered_handshakes_ = 0;
    ++endless_handshakes_;
    greet(now, actions);
  }
}

void Conversation::live_due(Mono now, std::vector<Action>& actions) {
  if (const auto limit = silence_limit(); limit && now >= *limit) {
    // A serial port stays open: it cannot be half-open, and opening it again might reset the board.
    if (carrier_ == Carrier::serial) return greet(now, actions);
    actions.emplace_back(Close{"no answer to a heartbeat"});
    return;
  }
  if (poll_.next() && now >= *poll_.next()) {
    const std::uint32_t id = fresh_id();
    poll_.asked(id, now);
    actions.emplace_back(Ask{own_node_, id});
  }
  if (now >= next_heartbeat()) beat(now, actions);
}

void Conversation::give_up(Mono now, std::vector<Action>& actions, const std::string& why) {
  if (carrier_ == Carrier::serial && known_) {
    phase_ = Phase::dormant;
    unanswered_handshakes_ = 0;
    greet_at_ = now + kDormantRetry;
    return;
  }
  actions.emplace_back(Close{why, !known_});
}

void Conversation::beat(Mono now, std::vector<Action>& actions) {
  last_beat_ = now;
  if (!unanswered_beat_) unanswered_beat_ = now;
  actions.emplace_back(Beat{});
}

Mono Conversation::next_heartbeat() const {
  const Mono always = last_beat_ + kHeartbeat;
  if (mode_ == LinkMode::gentle) return always;
  return std::min(std::max(last_frame_, last_beat_) + kQuietHeartbeat, always);
}

// Twice as long after each handshake that did not end: begun anew it takes the device as long again.
Duration Conversation::handshake_limit() const {
  Duration limit = patience_.handshake;
  for (int i = 0; i < endless_handshakes_ && limit < kLongestHandshake; ++i) limit *= 2;
  return std::min(limit, std::max(kLongestHandshake, patience_.handshake));
}

std::optional<Mono> Conversation::silence_limit() const {
  if (!unanswered_beat_) return std::nullopt;
  return *unanswered_beat_ + patience_.silence;
}

std::optional<Mono> Conversation::next() const {
  std::optional<Mono> when = greet_at_;
  const auto consider = [&](std::optional<Mono> t) {
    if (t && (!when || *t < *when)) when = t;
  };
  if (phase_ == Phase::handshake) {
    consider(greeted_ + (frame_since_greeting_ ? handshake_limit() : patience_.first_frame));
  }
  if (phase_ == Phase::live) {
    consider(next_heartbeat());
    consider(silence_limit());
    consider(poll_.next());
  }
  return when;
}

std::string Conversation::trouble() const {
  if (phase_ == Phase::dormant)
    return "the device does not answer; greeted again when it is heard, or every 5 min";
  if (phase_ != Phase::handshake) return "";
  if (endless_handshakes_ > 0) {
    return "the device answers but has not finished its configuration in " +
           std::to_string(endless_handshakes_) + (endless_handshakes_ == 1 ? " handshake" : " handshakes") +
           "; what it sends is recorded";
  }
  if (unanswered_handshakes_ > 0) {
    return std::to_string(unanswered_handshakes_) + " of " + std::to_string(kHandshakes) +
           " handshakes not answered yet";
  }
  return "";
}

std::string Conversation::sends() const {
  if (mode_ == LinkMode::listen) return "nothing";
  if (mode_ == LinkMode::gentle) return "want_config at connect, heartbeat every 300 s, no requests";
  const std::string all =
      "want_config at connect, heartbeat every 60 s while nothing comes, else 300 s, LocalStats request " +
      poll_.words();
  if (mode_ != LinkMode::automatic || phase_ != Phase::listening) return all;
  return "nothing yet: it listens for 20 s, or until a [heap N] tells a DEBUG_HEAP build";
}

std::uint32_t Conversation::fresh_id() {
  std::uint32_t id = 0;
  while (id == 0) id = draw_();
  return id;
}

}  // namespace leakhunt::daemon
