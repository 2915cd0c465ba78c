// One device on the links' thread: its recorder, and the ways out for what it records. Knows no stream.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/time.h"
#include "daemon/config.h"
#include "daemon/event_log.h"
#include "daemon/port_catalogue.h"
#include "daemon/text_limit.h"
#include "recorder/device_recorder.h"
#include "storage/queue.h"

namespace leakhunt::daemon {

// Called for a line that cannot wait.
using AlarmTap = std::function<void(const recorder::Alarm&)>;

class DeviceDesk {
 public:
  // Nothing received for so long is an event.
  static constexpr Duration kSilent{300'000'000};

  // `port`: where the device was seen last, as the store knows it.
  DeviceDesk(DeviceConfig config, recorder::DeviceRecorder recorder, storage::RowQueue& queue,
             AlarmTap alarm_tap, const EventLog& log, std::optional<recorder::PortRow> port);

  [[nodiscard]] const DeviceConfig& config() const { return config_; }
  [[nodiscard]] recorder::DeviceRecorder& recorder() { return recorder_; }
  [[nodiscard]] const recorder::DeviceRecorder& recorder() const { return recorder_; }
  [[nodiscard]] const EventLog& log() const { return log_; }

  // False: more log text comes than any device writes; this line of `bytes` is counted in a gap.
  [[nodiscard]] bool admits_text(std::size_t bytes, Moment now) { return text_limit_.admits(bytes, now); }
  // Where the device was seen last; null when that is not known.
  [[nodiscard]] const recorder::PortRow* port() const { return port_ ? &*port_ : nullptr; }
  // The device spoke on this port.
  void seen_on(const PortInfo& port, Utc now);
  // While nothing is to be heard, silence is no event; afterwards it is counted anew.
  void expect_silence(bool expected, Mono now);
  void rename(const std::string& name);
  // Hands on what the recorder has given out: call after each input.
  void flush();
  // Once a second: steps of the clock, silence. `slept` when the host was suspended since the last call.
  void tick(Moment now, bool slept);
  void stop(Moment now);

 private:
  void watch_silence(Moment now);
  void tell(const Flood& flood);

  DeviceConfig config_;
  recorder::DeviceRecorder recorder_;
  storage::RowQueue& queue_;
  AlarmTap alarm_tap_;
  const EventLog& log_;
  TextLimit text_limit_;
  std::optional<recorder::PortRow> port_;
  bool silent_ = false;
  bool silence_expected_ = false;
  Mono listening_since_;
};

}  // namespace leakhunt::daemon
