// Holds telemetry that may have waited in the device until a trustworthy uptime tells where it belongs.
#pragma once

#include <deque>
#include <vector>

#include "proto/records.h"
#include "recorder/boot_timeline.h"

namespace leakhunt::recorder {

class LateTelemetry {
 public:
  struct Placed {
    proto::Telemetry telemetry;
    BootTime at;
  };
  struct Resolved {
    std::vector<Placed> placed;
    std::int64_t dropped = 0;  // of an earlier boot
  };

  // False: it can never be placed (no uptime, the same message again) and is not held.
  [[nodiscard]] bool hold(proto::Telemetry telemetry, Mono arrived);

  // What a confirmation since its arrival has decided: on the current boot at its own uptime, or nowhere.
  [[nodiscard]] Resolved resolve(const BootTimeline& timeline);

  [[nodiscard]] bool empty() const { return held_.empty(); }
  void clear() { held_.clear(); }

 private:
  struct Held {
    proto::Telemetry telemetry;
    Mono arrived;
  };
  struct Known {
    BootId boot;
    proto::Variant variant;
    std::uint32_t uptime_s;
  };
  [[nodiscard]] bool stored(BootId boot, const proto::Telemetry& telemetry) const;

  std::deque<Held> held_;    // at most 16
  std::deque<Known> known_;  // the last 16 placed
};

}  // namespace leakhunt::recorder
