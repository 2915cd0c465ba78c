// A bucket that fills with time.
#include "daemon/text_limit.h"

#include <algorithm>
#include <utility>

namespace leakhunt::daemon {

bool TextLimit::admits(std::size_t bytes, Moment now) {
  const double passed_s = filled_ ? std::max(seconds(now.mono - *filled_), 0.0) : 0.0;
  filled_ = now.mono;
  credit_bytes_ = std::min(credit_bytes_ + passed_s * kBytesPerSecond, kBurstBytes);
  const auto wanted = static_cast<double>(bytes);
  if (wanted <= credit_bytes_) {
    credit_bytes_ -= wanted;
    return true;
  }
  if (!flood_) flood_ = Flood{now.utc, now.utc, 0};
  flood_->to = now.utc;
  ++flood_->lines;
  return false;
}

std::optional<Flood> TextLimit::over(Moment now) {
  if (!flood_) return std::nullopt;
  const bool ended = now.utc - flood_->to >= kOver || now.utc - flood_->from >= kLongest;
  return ended ? rest() : std::nullopt;
}

std::optional<Flood> TextLimit::rest() {
  return std::exchange(flood_, std::nullopt);
}

}  // namespace leakhunt::daemon
