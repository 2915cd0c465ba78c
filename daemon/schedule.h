// Looks at each device over the scheduled windows, every 5 min, on a thread of its own. Knows no statistics.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/time.h"
#include "daemon/alert_desk.h"
#include "daemon/config.h"
#include "daemon/event_log.h"
#include "daemon/look_rules.h"
#include "daemon/loop.h"
#include "daemon/store_view.h"
#include "storage/queue.h"

namespace leakhunt::daemon {

struct Watched {
  recorder::DeviceId id;
  std::string name;
  std::optional<std::int64_t> min_free_bytes;
};

class Schedule {
 public:
  static constexpr Duration kInterval{300'000'000};
  static constexpr Duration kFirst{30'000'000};  // from the start

  // Whether what was recorded is in the store; while it is not, nothing is concluded from what is missing
  // there.
  using StoreIsWhole = std::function<bool()>;

  // What is referred to must outlive it.
  Schedule(std::vector<Watched> devices, std::vector<Duration> windows, StoreView& view, AlertLimits limits,
           AlertDesk& alerts, storage::RowQueue& queue, const Clock& clock, const EventLog& log,
           StoreIsWhole store_is_whole, OnFatal on_fatal);
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  ~Schedule();

  void start();
  // Waits for the look under way: interrupt its view first.
  void stop();
  // From any thread: the device is asked for by another name; gives the one before.
  std::string rename(recorder::DeviceId device, std::string name);

 private:
  void run();
  [[nodiscard]] bool wait(Duration d);
  void look_at(const Watched& device);
  void keep(const Watched& device, Duration window, const v1::Verdict& verdict);
  [[nodiscard]] std::optional<double> range_of(const Watched& device, Utc now);

  std::vector<Watched> devices_;
  std::vector<Duration> windows_;
  StoreView& view_;
  LookRules rules_;
  AlertDesk& alerts_;
  storage::RowQueue& queue_;
  const Clock& clock_;
  const EventLog& log_;
  StoreIsWhole store_is_whole_;
  OnFatal on_fatal_;
  std::map<std::pair<recorder::DeviceId, Duration>, v1::Verdict> last_;
  std::string told_;  // the failure logged last
  std::mutex mutex_;  // of devices_ and stopping_
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace leakhunt::daemon
