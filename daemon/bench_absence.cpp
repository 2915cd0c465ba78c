// Devices that are handed over, and the pause of the whole recorder: begun, ended, kept over a restart.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "answer/json_read.h"
#include "daemon/bench.h"

namespace leakhunt::daemon {
namespace {

constexpr Duration kReleased{900'000'000};  // without a program whose end is awaited
constexpr recorder::DeviceId kRecorder{0};
constexpr std::string_view kHandedOver = "handed over";
constexpr std::string_view kTakenBack = "taken back";

Error bad(std::string what, std::string where, std::string hint) {
  return {ErrorCode::usage, std::move(what), std::move(where), std::move(hint)};
}

Result<std::optional<Duration>> limit_of(bool given, double seconds) {
  constexpr double kLongest_s = 366.0 * 86'400;
  if (!given) return std::optional<Duration>{};
  if (seconds > 0 && seconds <= kLongest_s) return std::optional{from_seconds(seconds)};
  return bad("the time must be above 0 and at most a year", "--for", "for example --for 15m");
}

std::string limit_words(const std::optional<Duration>& limit, bool holder) {
  if (limit) return "for " + duration_words(*limit);
  return holder ? "until the program ends" : "until leakhuntctl resume";
}

// What is needed to go on after a restart of the recorder.
std::string absence_json(const Release& told, std::optional<pid_t> holder) {
  std::string members;
  if (told.until) members += fmt::format("\"until\":{:.6f}", seconds(*told.until));
  if (holder) members += fmt::format("{}\"holder_pid\":{}", members.empty() ? "" : ",", *holder);
  return members.empty() ? "" : "{" + members + "}";
}

struct Kept {
  std::optional<Utc> until;
  std::optional<pid_t> holder;
};

Kept kept_in(const std::string& data) {
  v1::Released told;
  v1::ReleaseRequest asked;
  Kept kept;
  if (answer::read_json(data, told) && told.has_until()) kept.until = utc_from_seconds(told.until());
  if (answer::read_json(data, asked) && asked.has_holder_pid())
    kept.holder = static_cast<pid_t>(asked.holder_pid());
  return kept;
}

}  // namespace

Bench::Absence Bench::absence(std::optional<Duration> limit, std::optional<HolderWatch> holder) const {
  const Moment now = around_.clock.now();
  Absence absence{{now.utc, {}}, {}, std::move(holder)};
  if (limit) {
    absence.told.until = now.utc + *limit;
    absence.until = now.mono + *limit;
  }
  return absence;
}

bool Bench::is_over(const Absence& absence) const {
  if (absence.until && around_.clock.now().mono >= *absence.until) return true;
  return absence.holder && !absence.holder->runs();
}

Result<Bench::Device*> Bench::device_of(const v1::Question& question) {
  std::string names;
  for (auto& device : devices_) {
    const std::string& name = device->desk.config().name;
    if (name == question.device()) return device.get();
    names += (names.empty() ? "" : ", ") + name;
  }
  if (devices_.empty()) return bad("no device is configured", "", "add one to the configuration");
  if (!question.device().empty())
    return bad("no device \"" + question.device() + "\" is configured", "", "one of: " + names);
  if (devices_.size() == 1) return devices_.front().get();
  return bad("which device?", "", "name one of: " + names);
}

void Bench::carry_out(const v1::Question& question, OnAnswer on_answer) {
  if (question.has_release()) return release(question, std::move(on_answer));
  if (question.has_resume()) return resume(question, on_answer);
  if (question.has_pause()) return pause(question.pause(), std::move(on_answer));
  debug_log(question, std::move(on_answer));
}

// `until_closed` is let go when the last link has closed.
void Bench::hold(Device& device, Hold why, const std::shared_ptr<void>& until_closed) {
  for (auto& link : device.links) link->hold(why, [until_closed] {});
}

// A second program would lose the device when the first one ends. A mere time may be set anew.
std::optional<Error> Bench::already_handed_over(const Device& device, const v1::ReleaseRequest& ask) const {
  if (!device.released || is_over(*device.released)) return std::nullopt;
  if (!device.released->holder && !ask.has_holder_pid()) return std::nullopt;
  const auto& holder = device.released->holder;
  return Error{ErrorCode::failed,
               "the device is handed over already" +
                   (holder ? " to process " + std::to_string(holder->pid()) : std::string{}),
               device.desk.config().name, "wait for its end, or take it back with leakhuntctl resume"};
}

void Bench::release(const v1::Question& question, OnAnswer on_answer) {
  const auto device = device_of(question);
  if (!device) return on_answer(device.error());
  if (const auto taken = already_handed_over(**device, question.release())) return on_answer(*taken);
  const v1::ReleaseRequest& ask = question.release();
  auto limit = limit_of(ask.has_for_s(), ask.for_s());
  if (!limit) return on_answer(limit.error());
  std::optional<HolderWatch> holder;
  if (ask.has_holder_pid()) {
    holder = HolderWatch::on(static_cast<pid_t>(ask.holder_pid()));
    if (!holder) return on_answer(bad("there is no such process", std::to_string(ask.holder_pid()), ""));
  }
  if (!*limit && !holder) *limit = kReleased;
  Device& released = **device;
  const std::string words = limit_words(*limit, holder.has_value());
  const auto pid = holder ? std::optional{holder->pid()} : std::nullopt;
  released.released = absence(*limit, std::move(holder));
  const Release& told = released.released->told;
  const Moment now = around_.clock.now();
  released.desk.expect_silence(true, now.mono);
  released.desk.recorder().event("released", std::string{kHandedOver}, words, now, absence_json(told, pid));
  released.desk.flush();

  v1::Answer answer;
  auto& out = *answer.mutable_release();
  out.set_device(released.desk.config().name);
  out.set_since(seconds(told.since));
  if (told.until) out.set_until(seconds(*told.until));
  for (const auto& link : released.links) {
    const LinkSnapshot each = link->snapshot();
    out.add_links(each.port.empty() ? each.address : "serial:" + each.port);
  }
  hold(released, Hold::released,
       std::shared_ptr<void>{nullptr, [answer = std::move(answer), on_answer](void*) { on_answer(answer); }});
}

std::string Bench::over_words(const Absence& absence, std::string otherwise) const {
  if (absence.holder && !absence.holder->runs()) return "the program it was handed to has ended";
  return is_over(absence) ? "the time is over" : std::move(otherwise);
}

void Bench::take_back(Device& device, const std::string& why) {
  const Moment now = around_.clock.now();
  device.released.reset();
  device.desk.recorder().reboot_planned(now);
  device.desk.recorder().event("released", std::string{kTakenBack}, why, now);
  device.desk.flush();
  if (paused_) return hold(device, Hold::paused, nullptr);
  device.desk.expect_silence(false, now.mono);
  for (auto& link : device.links) link->go_on();
}

void Bench::resume(const v1::Question& question, const OnAnswer& on_answer) {
  v1::Answer answer;
  auto& out = *answer.mutable_resume();
  if (!question.device().empty()) {
    const auto device = device_of(question);
    if (!device) return on_answer(device.error());
    if ((*device)->released) {
      take_back(**device, over_words(*(*device)->released, "by leakhuntctl resume"));
      out.add_devices((*device)->desk.config().name);
    } else if (paused_) {
      return on_answer(bad("the whole recorder is paused", (*device)->desk.config().name,
                           "leakhuntctl resume, without a name, ends that"));
    } else {
      for (auto& link : (*device)->links) link->go_on();
    }
    return on_answer(answer);
  }
  out.set_recorder(paused_.has_value());
  if (paused_) end_pause("by leakhuntctl resume");
  for (auto& device : devices_) {
    if (!device->released) continue;
    take_back(*device, over_words(*device->released, "by leakhuntctl resume"));
    out.add_devices(device->desk.config().name);
  }
  on_answer(answer);
}

void Bench::note_pause(const std::string& kind, const std::string& note, const std::string& data) {
  log_.say(Priority::notice, "", kind, note);
  queue_.push(recorder::EventRow{kRecorder, around_.clock.now().utc, std::nullopt, kind, "", note, data});
}

void Bench::pause(const v1::PauseRequest& ask, OnAnswer on_answer) {
  const auto limit = limit_of(ask.has_for_s(), ask.for_s());
  if (!limit) return on_answer(limit.error());
  const auto before = paused_ ? std::optional{paused_->told.since} : std::nullopt;
  paused_ = absence(*limit, std::nullopt);
  if (before) paused_->told.since = *before;
  note_pause("recorder_pause", limit_words(*limit, false), absence_json(paused_->told, std::nullopt));

  v1::Answer answer;
  answer.mutable_pause()->set_since(seconds(paused_->told.since));
  if (paused_->told.until) answer.mutable_pause()->set_until(seconds(*paused_->told.until));
  const std::shared_ptr<void> until_closed{nullptr, [answer, on_answer](void*) { on_answer(answer); }};
  for (auto& device : devices_) {
    device->desk.expect_silence(true, around_.clock.now().mono);
    if (!device->released) hold(*device, Hold::paused, until_closed);
  }
}

void Bench::end_pause(const std::string& why) {
  paused_.reset();
  note_pause("recorder_resume", why, "");
  for (auto& device : devices_) {
    if (device->released) continue;
    device->desk.expect_silence(false, around_.clock.now().mono);
    for (auto& link : device->links) link->go_on();
  }
}

void Bench::debug_log(const v1::Question& question, OnAnswer on_answer) {
  const auto device = device_of(question);
  if (!device) return on_answer(device.error());
  Device& asked = **device;
  const std::string& name = asked.desk.config().name;
  const DebugLogErrand::Means means{
      [this] { return static_cast<std::uint32_t>(random_()); },
      [this, &asked] { asked.desk.recorder().reboot_planned(around_.clock.now()); },
      [on_answer](Result<v1::DebugLog> done) {
        if (!done) return on_answer(done.error());
        v1::Answer answer;
        *answer.mutable_debug_log() = *std::move(done);
        on_answer(answer);
      }};
  const auto errand = std::make_shared<DebugLogErrand>(name, question.debug_log().on(), means);
  for (const bool live : {true, false}) {
    for (auto& link : asked.links) {
      if (link->is_live() == live && link->take(errand)) return;
    }
  }
  const bool busy = std::any_of(asked.links.begin(), asked.links.end(),
                                [](const auto& link) { return link->has_errand(); });
  if (busy) {
    return on_answer(Error{ErrorCode::failed, "another debug-log is under way for it", name,
                           "wait for its end: at most 3 min"});
  }
  on_answer(
      Error{ErrorCode::unreachable, "no link can ask the device at the moment", name,
            "leakhuntctl status tells how its links stand: one that only listens, or is released, cannot"});
}

void Bench::restore_release(Device& device, const recorder::EventRow& event) {
  if (event.label != kHandedOver) return;
  const Kept kept = kept_in(event.data);
  const Moment now = around_.clock.now();
  auto holder = kept.holder ? HolderWatch::on(*kept.holder) : std::nullopt;
  const bool holds = kept.until ? *kept.until > now.utc : holder.has_value();
  if (!holds || (kept.holder && !holder)) return;
  device.released =
      absence(kept.until ? std::optional{*kept.until - now.utc} : std::nullopt, std::move(holder));
  device.released->told.since = event.utc;
  device.desk.expect_silence(true, now.mono);
  hold(device, Hold::released, nullptr);
}

void Bench::restore_pause(const recorder::EventRow& event) {
  if (event.kind != "recorder_pause") return;
  const Kept kept = kept_in(event.data);
  const Moment now = around_.clock.now();
  if (kept.until && *kept.until <= now.utc) return;
  paused_ = absence(kept.until ? std::optional{*kept.until - now.utc} : std::nullopt, std::nullopt);
  paused_->told.since = event.utc;
  log_.say(Priority::warning, "", "recorder_pause",
           "still paused, as before the restart; leakhuntctl resume ends it");
  for (auto& device : devices_) {
    device->desk.expect_silence(true, now.mono);
    hold(*device, Hold::paused, nullptr);
  }
}

}  // namespace leakhunt::daemon
