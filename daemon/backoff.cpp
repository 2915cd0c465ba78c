// Waiting times between attempts. Knows no clock.
#include "daemon/backoff.h"

#include <algorithm>

namespace leakhunt::daemon {

Duration Backoff::next(double draw) {
  const double share = 0.5 + 0.5 * draw;
  const Duration wait{static_cast<std::int64_t>(static_cast<double>(step_.count()) * share)};
  step_ = std::min(step_ * 2, kLongest);
  return std::max(wait, kFirst);
}

}  // namespace leakhunt::daemon
