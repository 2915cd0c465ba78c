// One pass with the last head at hand.
#include "recorder/report_times.h"

#include <cmath>

namespace leakhunt::recorder {
namespace {

constexpr std::size_t kReportLines = 64;

bool has_time(const TextItem& item) {
  return !std::isnan(item.utc_s) || !std::isnan(item.clock_s) || item.uptime_of != UptimeOf::none;
}

}  // namespace

void ReportTimes::see(const std::vector<TextItem>& items, std::size_t at) {
  if (has_time(items[at])) {
    head_ = at;
  }
}

void ReportTimes::give(std::vector<TextItem>& items, std::size_t at, std::optional<std::size_t> before) {
  auto& item = items[at];
  if (has_time(item)) {
    return;
  }
  const bool fresh = head_ && at - *head_ < kReportLines && (!before || *before < *head_);
  if (!fresh) {
    ++without_;
    return;
  }
  const auto& head = items[*head_];
  item.utc_s = head.utc_s;
  item.clock_s = head.clock_s;
  item.told_uptime_s = head.told_uptime_s;
  item.uptime_of = head.uptime_of;
  given_.push_back(at);
}

void ReportTimes::settle(std::vector<TextItem>& items) const {
  if (given_.size() >= without_) {
    return;
  }
  for (const auto at : given_) {
    items[at].utc_s = items[at].clock_s = items[at].told_uptime_s = kNoFigure;
    items[at].uptime_of = UptimeOf::none;
  }
}

}  // namespace leakhunt::recorder
