// Waiting in the daemon's time, which may run faster than the host's or step. Includes Asio: for the parts of
// a link alone.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>

#include "base/time.h"

namespace leakhunt::daemon {

// One deadline that a coroutine waits for. Not thread-safe: belongs to the executor's thread.
class Timer {
 public:
  // The clock must outlive it.
  Timer(boost::asio::any_io_executor executor, const Clock& clock);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();

  // Due when `d` of the clock has passed. Whoever waits is woken, and waits anew.
  void after(Duration d);
  // Due only when woken.
  void never();
  // Wakes whoever waits.
  void wake();
  // Until due, woken or cancelled; never throws. A deadline that has passed ends it at once.
  [[nodiscard]] boost::asio::awaitable<void> wait();

 private:
  void clear_alarm();

  boost::asio::steady_timer timer_;
  const Clock& clock_;
  std::uint64_t alarm_ = 0;
};

// Waits while `d` of the clock passes.
[[nodiscard]] boost::asio::awaitable<void> pause_for(const Clock& clock, Duration d);

}  // namespace leakhunt::daemon
