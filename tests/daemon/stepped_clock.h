// A clock that stands still until a test moves it. Knows nobody who asks it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/time.h"

namespace leakhunt::daemon::testing {

class SteppedClock final : public Clock {
 public:
  explicit SteppedClock(Moment start);
  ~SteppedClock() override;

  [[nodiscard]] Moment now() const override { return now_; }
  [[nodiscard]] std::chrono::nanoseconds real(Duration d) const override;
  [[nodiscard]] Alarms* alarms() const override;

  // When somebody wants to be woken next.
  [[nodiscard]] std::optional<Mono> next() const;
  // Moves on to `when`, not before now, and wakes all who are due by then, in that order.
  void move_to(Mono when);
  // Somebody sets the civil clock forward, or back.
  void set_by(Duration d) { now_.utc = now_.utc + d; }
  // The host sleeps: its CLOCK_BOOTTIME and civil clock go on, its timers do not.
  void suspend(Duration d);
  // How long it has slept in all.
  [[nodiscard]] Duration suspended() const { return suspended_; }

 private:
  class List;
  Moment now_;
  Duration suspended_{};
  std::unique_ptr<List> list_;
};

}  // namespace leakhunt::daemon::testing
