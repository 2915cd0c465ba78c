// A loop on which a catalogue is watched, and a count of what it told that can be waited for.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "daemon/loop.h"
#include "daemon/port_catalogue.h"

namespace leakhunt::daemon::testing {

class Watching {
 public:
  explicit Watching(std::unique_ptr<PortCatalogue> catalogue) : catalogue_(std::move(catalogue)) {
    const auto watched = catalogue_->watch(loop_, [this] {
      const std::lock_guard lock{mutex_};
      ++told_;
      more_.notify_all();
    });
    EXPECT_TRUE(watched) << watched.error().line();
    loop_.start();
  }
  ~Watching() { loop_.stop(); }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  // True when `change` was told of and the ports are then as `expected`; gives up after a minute.
  [[nodiscard]] bool tells(const std::function<void()>& change,
                           const std::function<bool(const std::vector<PortInfo>&)>& expected) {
    std::unique_lock lock{mutex_};
    const int before = told_;
    lock.unlock();
    change();
    lock.lock();
    return more_.wait_for(lock, std::chrono::minutes{1},
                          [&] { return told_ > before && expected(catalogue_->ports()); });
  }
  [[nodiscard]] int told() {
    const std::lock_guard lock{mutex_};
    return told_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  int told_ = 0;
  Loop loop_{"ports", [](const std::string& what) { ADD_FAILURE() << what; }};
  std::unique_ptr<PortCatalogue> catalogue_;
};

}  // namespace leakhunt::daemon::testing
