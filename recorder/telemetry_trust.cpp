// Tells live telemetry from the stale pair. Knows nothing of boots.
#include "recorder/telemetry_trust.h"

#include <algorithm>
#include <chrono>

namespace leakhunt::recorder {
namespace {

constexpr std::size_t kOpenRequests = 16;
// Without uptimes to compare, a second message of a variant this much later is no twin of the first; periodic
// ones are 60 s apart.
constexpr Duration kNoTwin = std::chrono::seconds{30};

}  // namespace

void TelemetryTrust::restart() {
  complete_ = false;
  live_ = false;
  device_.reset();
  local_.reset();
}

void TelemetryTrust::asked(std::uint32_t request_id, Moment /*now*/) {
  open_requests_.push_back(request_id);
  if (open_requests_.size() > kOpenRequests) {
    open_requests_.pop_front();
  }
  ++asked_count_;
  ++since_answer_;
}

std::int64_t TelemetryTrust::unanswered_in_a_row() const {
  return std::max<std::int64_t>(since_answer_ - 1, 0);
}

bool TelemetryTrust::answers(std::uint32_t request_id) {
  const auto found = std::find(open_requests_.begin(), open_requests_.end(), request_id);
  if (request_id == 0 || found == open_requests_.end()) {
    return false;
  }
  open_requests_.erase(found);
  ++answered_count_;
  since_answer_ = 0;
  return true;
}

Freshness TelemetryTrust::classify(const proto::Telemetry& telemetry, Moment now) {
  if (answers(telemetry.request_id)) {
    live_ = true;
    return Freshness::asked;
  }
  const bool of_the_pair =
      telemetry.variant == proto::Variant::device || telemetry.variant == proto::Variant::local;
  if (live_ || !of_the_pair) {
    return Freshness::periodic;
  }
  auto& first = telemetry.variant == proto::Variant::device ? device_ : local_;
  const bool twin = first && (telemetry.uptime_s ? telemetry.uptime_s == first->uptime_s
                                                 : now.mono - first->when.mono < kNoTwin);
  if (!complete_ || !first || twin) {
    if (!first) {
      first = First{.uptime_s = telemetry.uptime_s, .when = now};
    }
    return Freshness::stale;
  }
  live_ = true;
  return Freshness::periodic;
}

}  // namespace leakhunt::recorder
