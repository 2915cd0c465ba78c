// The steps of switching a device's API log, as decisions. No I/O.
#include "daemon/debug_log_errand.h"

#include <algorithm>
#include <utility>

namespace leakhunt::daemon {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string on_off(bool on) {
  return on ? "on" : "off";
}

}  // namespace

DebugLogErrand::DebugLogErrand(std::string device, bool on, Means means)
    : device_(std::move(device)), on_(on), means_(std::move(means)) {}

void DebugLogErrand::live(std::uint32_t own_node, Mono now) {
  if (ended()) return;
  if (!started_) started_ = now;
  live_ = true;
  const bool known = own_node == own_node_;
  if (step_ == Step::connecting || (step_ == Step::reading && !known)) {
    own_node_ = own_node;
    if (own_node == 0)
      return end(unchanged("the device has not told its node number", "run it again in a minute"));
    return ask(Step::reading, now);
  }
  if (step_ == Step::reading) return;
  restarted_ = true;
  if (!known) end(unconfirmed("another node answers behind the link now"));
}

void DebugLogErrand::lost(Mono now) {
  if (ended()) return;
  if (!started_) started_ = now;
  live_ = false;
  outbox_.clear();
  if (step_ == Step::reading) step_ = Step::connecting;
  if (step_ == Step::confirming) step_ = Step::restarting;
  if (step_ != Step::restarting) return;
  if (!restarted_ && !acknowledged_) means_.plan_reboot();
  restarted_ = true;
}

void DebugLogErrand::heard(std::span<const std::uint8_t> from_radio, Mono now) {
  if (step_ == Step::reading || step_ == Step::confirming) return hear_answer(from_radio, now);
  if (step_ != Step::restarting) return;
  for (const std::uint32_t id : asked_.ids) {
    if (!ended()) hear_routing(from_radio, id);
  }
}

void DebugLogErrand::hear_answer(std::span<const std::uint8_t> from_radio, Mono now) {
  for (const std::uint32_t id : asked_.ids) {
    if (auto answer = proto::read_security_answer(from_radio, own_node_, id))
      return step_ == Step::reading ? read(*std::move(answer), now) : confirm(*answer);
    const auto error = proto::read_routing_answer(from_radio, own_node_, id);
    if (!error || *error == 0) continue;
    const std::string why =
        "the device does not tell its security configuration: " + proto::routing_error_name(*error);
    if (step_ == Step::confirming) return end(unconfirmed(why));
    return end(unchanged(why, "change the setting with the device's own app"));
  }
}

void DebugLogErrand::hear_routing(std::span<const std::uint8_t> from_radio, std::uint32_t id) {
  const auto error = proto::read_routing_answer(from_radio, own_node_, id);
  if (!error) return;
  if (*error != 0) {
    return end(unchanged("the device refused the change: " + proto::routing_error_name(*error),
                         "run it again; if it stays so, change the setting with the device's own app"));
  }
  acknowledged_ = true;
  means_.plan_reboot();
}

std::optional<Error> DebugLogErrand::objection(const proto::SecurityFlags& flags) const {
  if (!flags.complete)
    return unchanged("the security configuration came incomplete, and giving it back would clear the rest",
                     "run it again; if it stays so, change the setting with the device's own app");
  if (flags.is_managed)
    return unchanged("the device is managed: whoever manages it decides its settings",
                     "ask them, or use their client");
  if (flags.has_public_key && !flags.has_private_key)
    return unchanged(
        "the device told its public key without the private one, and giving that back would clear it",
        "change the setting with the device's own app");
  return std::nullopt;
}

void DebugLogErrand::read(proto::SecurityAnswer answer, Mono now) {
  if (auto error = objection(answer.flags)) return end(*std::move(error));
  if (answer.flags.debug_log_api_enabled == on_) return succeed(on_, false);
  change(std::move(answer), now);
}

void DebugLogErrand::change(proto::SecurityAnswer answer, Mono now) {
  wanted_ = proto::with_debug_log(answer.config.view(), on_);
  session_passkey_ = std::move(answer.session_passkey);
  asked_ = {};
  changed_at_ = now;
  step_ = Step::restarting;
  send_change(now);
}

void DebugLogErrand::send_change(Mono now) {
  const std::uint32_t id = new_id();
  auto frame = proto::set_security_request(own_node_, id, wanted_.view(), session_passkey_.view());
  if (!frame) {
    return end(unchanged("the security configuration is larger than a packet",
                         "change the setting with the device's own app"));
  }
  asked_.ids.push_back(id);
  asked_.at = now;
  outbox_.push_back(*std::move(frame));
}

void DebugLogErrand::confirm(const proto::SecurityAnswer& answer) {
  if (!answer.flags.complete) return end(unconfirmed("the configuration read back was incomplete"));
  if (answer.flags.debug_log_api_enabled != on_) {
    return end(unchanged("the device took no notice: read back, its API log is still " + on_off(!on_),
                         "run it again; if it stays so, change the setting with the device's own app"));
  }
  const auto others = proto::other_differences(wanted_.view(), answer.config.view());
  if (!others.empty()) {
    return end(Error{ErrorCode::partial,
                     "the API log is " + on_off(on_) +
                         ", but read back these settings are not as before: " + joined(others),
                     device_, "look at the device's security settings with its own app"});
  }
  if (!restarted_) {
    return end(Error{ErrorCode::partial,
                     "the API log is set to " + on_off(on_) + ", but the device did not restart within 60 s",
                     device_, "restart it, so that the setting takes effect"});
  }
  succeed(!on_, true);
}

void DebugLogErrand::ask(Step step, Mono now) {
  step_ = step;
  asked_ = {};
  ask_again(now);
}

void DebugLogErrand::ask_again(Mono now) {
  asked_.ids.push_back(new_id());
  asked_.at = now;
  outbox_.push_back(proto::get_security_request(own_node_, asked_.ids.back()));
}

std::vector<proto::SecretBytes> DebugLogErrand::due(Mono now) {
  if (!started_) started_ = now;
  switch (step_) {
    case Step::connecting:
      if (now >= *started_ + kConnects) out_of_patience();
      break;
    case Step::reading:
    case Step::confirming:
      if (now < asked_.at + kAnswers) break;
      if (asked_.again()) {
        out_of_patience();
      } else {
        ask_again(now);
      }
      break;
    case Step::restarting:
      wait_for_return(now);
      break;
    case Step::ended:
      break;
  }
  return std::exchange(outbox_, {});
}

void DebugLogErrand::wait_for_return(Mono now) {
  if (!restarted_ && !acknowledged_ && !asked_.again() && now >= asked_.at + kAnswers) send_change(now);
  const Duration wait = restarted_ ? kSettles : kRestarts;
  if (live_ && now >= changed_at_ + wait) return ask(Step::confirming, now);
  if (!live_ && now >= changed_at_ + kReturns) out_of_patience();
}

std::optional<Mono> DebugLogErrand::next() const {
  if (ended()) return std::nullopt;
  if (!started_ || !outbox_.empty()) return Mono{0};
  if (step_ == Step::connecting) return *started_ + kConnects;
  if (step_ != Step::restarting) return asked_.at + kAnswers;
  if (!live_) return changed_at_ + kReturns;
  if (restarted_) return changed_at_ + kSettles;
  const Mono restarts = changed_at_ + kRestarts;
  return acknowledged_ || asked_.again() ? restarts : std::min(restarts, asked_.at + kAnswers);
}

void DebugLogErrand::out_of_patience() {
  if (step_ == Step::connecting) {
    return end(Error{ErrorCode::no_data, "the device is not connected; nothing was changed", device_,
                     "see leakhuntctl status, then run it again"});
  }
  if (step_ == Step::reading) {
    return end(Error{
        ErrorCode::no_data, "the device does not tell its security configuration; nothing was changed",
        device_,
        "a managed device ignores local administration, old firmware may not answer; else run it again"});
  }
  end(unconfirmed(step_ == Step::restarting ? "the device did not come back"
                                            : "it does not answer after its restart"));
}

Error DebugLogErrand::unchanged(std::string what, std::string hint) const {
  return {ErrorCode::failed, std::move(what) + "; nothing was changed", device_, std::move(hint)};
}

Error DebugLogErrand::unconfirmed(std::string why) const {
  return {ErrorCode::partial,
          "the API log was set to " + on_off(on_) + ", but not confirmed: " + std::move(why), device_,
          "run it again: it reads the setting and changes nothing that is right already"};
}

std::uint32_t DebugLogErrand::new_id() {
  std::uint32_t id = 0;
  while (id == 0 || std::find(asked_.ids.begin(), asked_.ids.end(), id) != asked_.ids.end())
    id = means_.fresh_id();
  return id;
}

void DebugLogErrand::succeed(bool was, bool rebooted) {
  v1::DebugLog told;
  told.set_device(device_);
  told.set_was(was);
  told.set_is(on_);
  told.set_rebooted(rebooted);
  end(std::move(told));
}

void DebugLogErrand::end(Result<v1::DebugLog> result) {
  step_ = Step::ended;
  outbox_.clear();
  wanted_ = {};
  session_passkey_ = {};
  means_.done(std::move(result));
}

}  // namespace leakhunt::daemon
