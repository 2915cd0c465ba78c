// A steady timer, wound by the host's time or rung by the alarms of a clock that steps.
#include "daemon/timer.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace leakhunt::daemon {

namespace asio = boost::asio;

Timer::Timer(asio::any_io_executor executor, const Clock& clock)
    : timer_(std::move(executor), asio::steady_timer::time_point::max()), clock_(clock) {}

Timer::~Timer() {
  clear_alarm();
}

void Timer::clear_alarm() {
  if (alarm_ != 0) clock_.alarms()->clear(std::exchange(alarm_, 0));
}

void Timer::after(Duration d) {
  clear_alarm();
  Alarms* alarms = clock_.alarms();
  if (alarms == nullptr) {
    timer_.expires_after(clock_.real(d));
    return;
  }
  timer_.expires_at(asio::steady_timer::time_point::max());
  alarm_ = alarms->set(clock_.now().mono + d, [this] {
    alarm_ = 0;
    timer_.expires_at(asio::steady_timer::time_point::min());
  });
}

void Timer::never() {
  clear_alarm();
  timer_.expires_at(asio::steady_timer::time_point::max());
}

void Timer::wake() {
  timer_.cancel();
}

asio::awaitable<void> Timer::wait() {
  co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<void> pause_for(const Clock& clock, Duration d) {
  const auto executor = co_await asio::this_coro::executor;
  Timer timer{executor, clock};
  timer.after(d);
  co_await timer.wait();
}

}  // namespace leakhunt::daemon
