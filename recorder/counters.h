// Named totals of one device that only ever grow. Bounded in names, since some come from the device.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recorder/rows.h"

namespace leakhunt::recorder {

class Counters {
 public:
  using Totals = std::map<std::string, std::int64_t, std::less<>>;

  explicit Counters(const std::vector<std::pair<std::string, std::int64_t>>& restored = {})
      : totals_(restored.begin(), restored.end()) {}

  void add(std::string_view name, std::int64_t more = 1) {
    auto found = totals_.find(name);
    if (found == totals_.end()) {
      found = totals_.try_emplace(std::string{totals_.size() < kMostNames ? name : kOverflow}, 0).first;
    }
    found->second += more;
    changed_.insert(found->first);
  }

  // The totals that changed since the last call, as rows.
  void write(DeviceId device, std::vector<Row>& out) {
    for (const auto& name : changed_) {
      out.emplace_back(CounterRow{.device = device, .name = name, .total = totals_[name]});
    }
    changed_.clear();
  }

  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  static constexpr std::size_t kMostNames = 128;
  static constexpr std::string_view kOverflow = "other";

  Totals totals_;
  std::set<std::string, std::less<>> changed_;
};

}  // namespace leakhunt::recorder
