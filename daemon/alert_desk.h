// Alerts of all devices on the serving thread: the book, the rows for the store, the lines for the journal.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "daemon/alert_book.h"
#include "daemon/event_log.h"
#include "daemon/loop.h"
#include "recorder/device_recorder.h"
#include "storage/queue.h"
#include "storage/writer_thread.h"

namespace leakhunt::daemon {

// Open alerts, by device.
using OpenAlerts = std::map<recorder::DeviceId, std::int64_t>;

// When rows that wait for the store are an alert, in real time.
struct StorePatience {
  std::chrono::milliseconds trouble{5'000};  // it takes nothing
  std::chrono::milliseconds look{2'500};     // how often a slow disk is looked for
};

// All methods may be called from any thread; the work is done on `loop`.
class AlertDesk {
 public:
  AlertDesk(Loop& loop, AlertBook book, storage::RowQueue& queue, const Clock& clock, const EventLog& log,
            StorePatience patience = {});
  AlertDesk(const AlertDesk&) = delete;
  AlertDesk& operator=(const AlertDesk&) = delete;
  ~AlertDesk();

  // The names of devices in lines; before the loop starts.
  void name(recorder::DeviceId device, std::string name);
  // A way out beside the log for what a person should hear of, called on the loop with the row and the name
  // of its device (empty: the recorder itself); before the loop starts.
  void tell_also(std::function<void(const recorder::AlertRow&, const std::string&)> way);
  // Begins to look after counts and lasting trouble; before the loop starts.
  void start();

  // In a flood some are not counted: the alert stands by then.
  void alarm(const recorder::Alarm& alarm);
  void store_health(const storage::StoreHealth& health);
  // Causes that hold after a round of looks; those of `decided` that are not among them are resolved.
  void looked(recorder::DeviceId device, std::vector<Cause> holding, std::vector<std::string_view> decided);
  // Empty ids: all that are open.
  void acknowledge(std::vector<std::int64_t> ids, std::string note);
  [[nodiscard]] std::future<OpenAlerts> open();

 private:
  class Impl;
  static constexpr int kWaitingAlarms = 256;

  Loop& loop_;
  std::unique_ptr<Impl> impl_;
  std::atomic<int> waiting_alarms_{0};
};

}  // namespace leakhunt::daemon
