// Rows to the queue, alarms to the tap, the events of a device that only a clock tells.
#include "daemon/device_desk.h"

#include <algorithm>
#include <string>
#include <utility>

namespace leakhunt::daemon {

DeviceDesk::DeviceDesk(DeviceConfig config, recorder::DeviceRecorder recorder, storage::RowQueue& queue,
                       AlarmTap alarm_tap, const EventLog& log, std::optional<recorder::PortRow> port)
    : config_(std::move(config)),
      recorder_(std::move(recorder)),
      queue_(queue),
      alarm_tap_(std::move(alarm_tap)),
      log_(log),
      port_(std::move(port)) {}

void DeviceDesk::expect_silence(bool expected, Mono now) {
  silence_expected_ = expected;
  listening_since_ = now;
}

void DeviceDesk::rename(const std::string& name) {
  config_.name = name;
  recorder_.renamed(name);
}

void DeviceDesk::seen_on(const PortInfo& port, Utc now) {
  // What has no USB identity is found by its path alone.
  if (port.usb_vendor == 0) return;
  if (port_ && port_->path == port.path && port_->usb_serial == port.usb_serial &&
      port_->usb_vendor == port.usb_vendor && port_->usb_product == port.usb_product)
    return;
  port_ = recorder::PortRow{recorder_.id(),   port.path,       port.by_id, port.usb_vendor,
                            port.usb_product, port.usb_serial, now};
  queue_.push(*port_);
}

void DeviceDesk::flush() {
  recorder::RecorderOutput out = recorder_.take();
  // An alarm goes first: it must not wait for a queue.
  for (const recorder::Alarm& alarm : out.alarms) alarm_tap_(alarm);
  for (const recorder::Row& row : out.rows) {
    const auto* event = std::get_if<recorder::EventRow>(&row);
    if (event == nullptr || event->kind == "mark") continue;
    const bool both = !event->label.empty() && !event->note.empty();
    log_.say(Priority::info, config_.name, event->kind, event->label + (both ? ": " : "") + event->note);
  }
  if (!out.rows.empty()) queue_.push(std::move(out.rows));
}

void DeviceDesk::tick(Moment now, bool slept) {
  if (slept) recorder_.host_slept(now);
  recorder_.tick(now);
  watch_silence(now);
  if (const auto flood = text_limit_.over(now)) tell(*flood);
  flush();
}

void DeviceDesk::tell(const Flood& flood) {
  log_.say(Priority::warning, config_.name, "text_flood",
           std::to_string(flood.lines) + " log lines were dropped: more came than any device writes");
  queue_.push(recorder::GapRow{recorder_.id(), flood.from, flood.to, "text_flood", flood.lines, 0});
}

void DeviceDesk::watch_silence(Moment now) {
  const auto received = recorder_.live().last_received;
  if (!received) return;
  if (silence_expected_) {
    silent_ = false;
    return;
  }
  const Duration quiet = now.mono - std::max(received->mono, listening_since_);
  if (quiet < kSilent) {
    silent_ = false;
  } else if (!silent_) {
    silent_ = true;
    recorder_.event("device_silent", "", "nothing received for 5 min", now);
  }
}

void DeviceDesk::stop(Moment now) {
  recorder_.stop(now);
  if (const auto flood = text_limit_.rest()) tell(*flood);
  flush();
}

}  // namespace leakhunt::daemon
