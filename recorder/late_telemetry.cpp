// Places late telemetry by its own uptime. Knows nothing of links.
#include "recorder/late_telemetry.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace leakhunt::recorder {
namespace {

constexpr std::size_t kMostHeld = 16;

bool same(const proto::Telemetry& a, const proto::Telemetry& b) {
  return a.variant == b.variant && a.uptime_s == b.uptime_s;
}

}  // namespace

bool LateTelemetry::hold(proto::Telemetry telemetry, Mono arrived) {
  const bool twice = std::any_of(held_.begin(), held_.end(),
                                 [&](const Held& held) { return same(held.telemetry, telemetry); });
  if (!telemetry.uptime_s || twice || held_.size() >= kMostHeld) {
    return false;
  }
  held_.push_back(Held{.telemetry = std::move(telemetry), .arrived = arrived});
  return true;
}

bool LateTelemetry::stored(BootId boot, const proto::Telemetry& telemetry) const {
  return std::any_of(known_.begin(), known_.end(), [&](const Known& known) {
    return known.boot == boot && known.variant == telemetry.variant && known.uptime_s == telemetry.uptime_s;
  });
}

LateTelemetry::Resolved LateTelemetry::resolve(const BootTimeline& timeline) {
  Resolved resolved;
  while (!held_.empty() && timeline.start_known() && timeline.last_confirmed() >= held_.front().arrived) {
    Held held = std::move(held_.front());
    held_.pop_front();
    const std::uint32_t uptime_s = *held.telemetry.uptime_s;
    const auto at = timeline.place_late(std::chrono::seconds{uptime_s}, held.arrived);
    if (!at || stored(at->boot, held.telemetry)) {
      ++resolved.dropped;
      continue;
    }
    known_.push_back(Known{.boot = at->boot, .variant = held.telemetry.variant, .uptime_s = uptime_s});
    if (known_.size() > kMostHeld) {
      known_.pop_front();
    }
    resolved.placed.push_back(Placed{.telemetry = std::move(held.telemetry), .at = *at});
  }
  return resolved;
}

}  // namespace leakhunt::recorder
