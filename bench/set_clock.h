// A clock that stands where it is put: what is measured lives through days in seconds.
#pragma once

#include "base/time.h"

namespace leakhunt::bench {

class SetClock final : public Clock {
 public:
  [[nodiscard]] Moment now() const override { return now_; }
  [[nodiscard]] std::chrono::nanoseconds real(Duration d) const override { return d; }
  void set(Duration since_start) { now_ = {kStart.utc + since_start, kStart.mono + since_start}; }

 private:
  static constexpr Moment kStart{{1'764'500'000'000'000}, {5'000'000'000}};
  Moment now_ = kStart;
};

}  // namespace leakhunt::bench
