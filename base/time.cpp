#include "base/time.h"

#include <time.h>

#include <algorithm>

namespace leakhunt {
namespace {

std::int64_t read_us(clockid_t id) {
  timespec t{};
  ::clock_gettime(id, &t);
  return std::int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1'000;
}

}  // namespace

Moment SystemClock::now() const {
  return {{read_us(CLOCK_REALTIME)}, {read_us(CLOCK_BOOTTIME)}};
}

std::chrono::nanoseconds SystemClock::real(Duration d) const {
  return std::max(d, Duration::zero());
}

ScaledClock::ScaledClock(double scale, Mono origin) : scale_(scale), origin_(origin) {
  const Moment host = SystemClock{}.now();
  origin_utc_ = host.utc - (host.mono - origin);
}

Moment ScaledClock::now() const {
  const Duration passed = SystemClock{}.now().mono - origin_;
  const Duration scaled{static_cast<std::int64_t>(static_cast<double>(passed.count()) * scale_)};
  const Duration shown = passed < Duration::zero() ? passed : scaled;
  return {origin_utc_ + shown, origin_ + shown};
}

std::chrono::nanoseconds ScaledClock::real(Duration d) const {
  const double ns = static_cast<double>(std::max(d, Duration::zero()).count()) * 1e3 / scale_;
  return std::chrono::nanoseconds{static_cast<std::int64_t>(ns)};
}

}  // namespace leakhunt
