// The program of a user that is run for each alert a person should hear of. Never holds up who calls it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "daemon/event_log.h"
#include "daemon/worker.h"
#include "recorder/rows.h"

namespace leakhunt::daemon {

struct HookConfig {
  std::vector<std::string> program;  // and its arguments; empty: there is none
  std::chrono::milliseconds limit{30'000};
};

class Hook {
 public:
  static constexpr std::size_t kWaiting = 64;  // alerts; more are logged and let go

  Hook(HookConfig config, const EventLog& log, OnFatal on_fatal);
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;
  ~Hook();

  // Runs the program with the alert as JSON (a line, as `alerts --json` has it) on its standard input and as
  // LEAKHUNT_ID, _DEVICE, _CAUSE, _SEVERITY, _STATE, _COUNT, _FIRST, _LAST, _TEXT in its environment, one
  // alert after another. Failures are logged. From any thread; `device` is empty for the recorder's own.
  void tell(const recorder::AlertRow& alert, const std::string& device);

  // Within a second: a program under way is ended, alerts that wait are let go.
  void stop();

 private:
  HookConfig config_;
  const EventLog& log_;
  int stop_fd_;
  std::optional<Worker> worker_;  // none without a program
};

}  // namespace leakhunt::daemon
