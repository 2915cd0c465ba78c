// Alerts to runs of a program, on a thread of its own.
#include "daemon/hook.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "answer/json.h"
#include "daemon/program.h"
#include "leakhunt/v1/api.pb.h"
#include "proto/printable.h"

namespace leakhunt::daemon {
namespace {

v1::Alert message_of(const recorder::AlertRow& row, const std::string& device) {
  v1::Alert alert;
  alert.set_id(row.id);
  alert.set_device(device);
  alert.set_cause(row.cause);
  alert.set_severity(row.severity);
  alert.set_state(row.state);
  alert.set_first(seconds(row.first));
  alert.set_last(seconds(row.last));
  alert.set_count(row.count);
  alert.set_text(proto::printable(row.text));
  alert.set_note(row.note);
  return alert;
}

std::vector<std::string> environment_of(const v1::Alert& alert) {
  return {"LEAKHUNT_ID=" + std::to_string(alert.id()),
          "LEAKHUNT_DEVICE=" + alert.device(),
          "LEAKHUNT_CAUSE=" + alert.cause(),
          "LEAKHUNT_SEVERITY=" + alert.severity(),
          "LEAKHUNT_STATE=" + alert.state(),
          "LEAKHUNT_COUNT=" + std::to_string(alert.count()),
          "LEAKHUNT_FIRST=" + std::to_string(alert.first()),
          "LEAKHUNT_LAST=" + std::to_string(alert.last()),
          "LEAKHUNT_TEXT=" + alert.text()};
}

}  // namespace

Hook::Hook(HookConfig config, const EventLog& log, OnFatal on_fatal)
    : config_(std::move(config)), log_(log), stop_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!config_.program.empty()) worker_.emplace("hook", kWaiting, std::move(on_fatal));
}

Hook::~Hook() {
  stop();
  ::close(stop_fd_);
}

void Hook::tell(const recorder::AlertRow& row, const std::string& device) {
  if (!worker_) return;
  const v1::Alert alert = message_of(row, device);
  Program program{config_.program, environment_of(alert), answer::to_json(alert) + "\n", config_.limit};
  const bool taken = worker_->submit([this, program = std::move(program), device, id = row.id] {
    const auto done = run_program(program, stop_fd_);
    if (done) return;
    log_.say(Priority::error, device, "hook",
             "the hook for alert " + std::to_string(id) + " failed: " + done.error().line());
  });
  if (!taken) {
    log_.say(Priority::error, device, "hook",
             "the hook was not run for alert " + std::to_string(row.id) + ": it is too slow for so many");
  }
}

void Hook::stop() {
  if (!worker_) return;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(stop_fd_, &one, sizeof one));
  worker_->stop();
}

}  // namespace leakhunt::daemon
