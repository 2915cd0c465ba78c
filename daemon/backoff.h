// How long to wait before the next attempt. Knows no clock and no connection.
#pragma once

#include "base/time.h"

namespace leakhunt::daemon {

// Doubles from 0.5 s to 30 s; each wait is drawn between half of that and all of it (never below 0.5 s), so
// that many links do not come back in step.
class Backoff {
 public:
  static constexpr Duration kFirst{500'000};
  static constexpr Duration kLongest{30'000'000};

  // The next wait; `draw` is uniform in [0, 1).
  [[nodiscard]] Duration next(double draw);
  // The attempt succeeded: begin anew.
  void reset() { step_ = kFirst; }

 private:
  Duration step_ = kFirst;
};

}  // namespace leakhunt::daemon
