// One thread, one queue of jobs. Knows nothing of the jobs.
#include "daemon/worker.h"

#include <exception>
#include <utility>

namespace leakhunt::daemon {

Worker::Worker(std::string name, std::size_t max_jobs, OnFatal on_fatal)
    : name_(std::move(name)), max_jobs_(max_jobs), on_fatal_(std::move(on_fatal)), thread_([this] {
        name_thread(name_);
        try {
          run();
        } catch (const std::exception& error) {
          on_fatal_("the thread \"" + name_ + "\" ended: " + error.what());
        }
      }) {}

Worker::~Worker() {
  stop();
}

bool Worker::submit(std::function<void()> job) {
  const std::lock_guard lock{mutex_};
  if (stopping_ || jobs_.size() >= max_jobs_) return false;
  jobs_.push_back(std::move(job));
  wake_.notify_one();
  return true;
}

void Worker::stop() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
    jobs_.clear();
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Worker::run() {
  for (;;) {
    std::unique_lock lock{mutex_};
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    const auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
  }
}

}  // namespace leakhunt::daemon
