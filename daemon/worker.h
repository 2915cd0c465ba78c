// A thread that does jobs one after another, from a queue of bounded length. For work that may take seconds.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "daemon/loop.h"

namespace leakhunt::daemon {

class Worker {
 public:
  Worker(std::string name, std::size_t max_jobs, OnFatal on_fatal);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // False: the queue is full or the worker stopped, and the job was not taken.
  [[nodiscard]] bool submit(std::function<void()> job);
  // Waits for the job under way; those waiting are let go.
  void stop();

 private:
  void run();

  std::string name_;
  std::size_t max_jobs_;
  OnFatal on_fatal_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace leakhunt::daemon
