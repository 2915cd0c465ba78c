// All device I/O on one thread: links, framers, decoders and recorders. Knows neither store nor statistics.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "daemon/config.h"
#include "daemon/device_desk.h"
#include "daemon/event_log.h"
#include "daemon/link_status.h"
#include "daemon/loop.h"
#include "daemon/on_answer.h"
#include "daemon/port_catalogue.h"
#include "recorder/ids.h"
#include "recorder/rows.h"
#include "storage/queue.h"

namespace leakhunt::daemon {

struct LinksOptions {
  recorder::RecordOthers record_others = recorder::RecordOthers::counts;
  std::string host_boot;
  bool only_ptys = false;  // virtual time: no real device
  // How long the host has been suspended in all; unset: as the host's clocks tell.
  std::function<Duration()> suspended;
  // For a run that repeats itself: what waiting times and request ids are drawn from; unset: chance.
  std::optional<std::uint32_t> seed = std::nullopt;
};

class Links {
 public:
  // What is referred to must outlive it; the loop is run by its owner. `alarm_tap` is called on the loop.
  Links(Loop& loop, const std::vector<DeviceConfig>& devices, const recorder::RecordState& restored,
        recorder::Ids& ids, storage::RowQueue& queue, const Clock& clock, const EventLog& log,
        AlarmTap alarm_tap, PortCatalogue& catalogue, LinksOptions options);
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  ~Links();

  // Before the loop runs.
  void start();
  // Closes all streams and hands the last rows to the queue. The loop has ended.
  void stop();

  // From any thread: how devices and links stand, in the order of the configuration.
  [[nodiscard]] std::future<BenchSnapshot> snapshot();
  // From any thread: does what a release, resume, pause or debug_log asks, and answers when it is done.
  void carry_out(v1::Question question, OnAnswer on_answer);
  // From any thread: a person renamed, merged or forgot devices; other rows are of no interest.
  void changed(const std::vector<recorder::Row>& rows);
  // The ids the devices are recorded under, by the order of the configuration.
  [[nodiscard]] std::vector<recorder::DeviceRow> devices() const;

  // Whether it is a question for carry_out().
  [[nodiscard]] static bool takes(const v1::Question& question);

 private:
  class Impl;
  Loop& loop_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace leakhunt::daemon
