// All device I/O on one thread: links, framers, decoders and recorders. Knows neither store nor statistics.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "daemon/config.h"
#include "daemon/device_desk.h"
#include "daemon/event_log.h"
#include "daemon/link_status.h"
#include "daemon/loop.h"
#include "recorder/ids.h"
#include "recorder/rows.h"
#include "storage/queue.h"

namespace leakhunt::daemon {

struct LinksOptions {
  recorder::RecordOthers record_others = recorder::RecordOthers::counts;
  std::string host_boot;
  bool only_ptys = false;  // virtual time: no real device
};

class Links {
 public:
  // What is referred to must outlive it. `alarm_tap` is called on the links' thread.
  Links(const std::vector<DeviceConfig>& devices, const recorder::RecordState& restored, recorder::Ids& ids,
        storage::RowQueue& queue, const Clock& clock, const EventLog& log, AlarmTap alarm_tap,
        OnFatal on_fatal, LinksOptions options);
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  ~Links();

  void start();
  // Closes all streams and hands the last rows to the queue.
  void stop();

  // From any thread: how devices and links stand, in the order of the configuration.
  [[nodiscard]] std::future<std::vector<DeviceSnapshot>> snapshot();
  // The ids the devices are recorded under, by the order of the configuration.
  [[nodiscard]] std::vector<recorder::DeviceRow> devices() const;

 private:
  class Impl;
  Loop loop_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace leakhunt::daemon
