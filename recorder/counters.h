// Named totals of one device that only ever grow. Bounded in names, since some come from the device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recorder/rows.h"

namespace leakhunt::recorder {

class Counters {
 public:
  using Totals = std::map<std::string, std::int64_t, std::less<>>;

  explicit Counters(const std::vector<std::pair<std::string, std::int64_t>>& restored = {}) {
    for (const auto& [name, total] : restored) {
      counters_[name].total = total;
    }
  }

  void add(std::string_view name, std::int64_t more = 1) {
    auto found = counters_.find(name);
    if (found == counters_.end()) {
      found = counters_.try_emplace(std::string{counters_.size() < kMostNames ? name : kOverflow}).first;
    }
    found->second.total += more;
    found->second.changed = true;
  }

  // The totals that changed since the last call, as rows.
  void write(DeviceId device, std::vector<Row>& out) {
    for (auto& [name, counter] : counters_) {
      if (counter.changed) {
        out.emplace_back(CounterRow{.device = device, .name = name, .total = counter.total});
        counter.changed = false;
      }
    }
  }

  [[nodiscard]] Totals totals() const {
    Totals totals;
    for (const auto& [name, counter] : counters_) {
      totals.emplace_hint(totals.end(), name, counter.total);
    }
    return totals;
  }

 private:
  static constexpr std::size_t kMostNames = 128;
  static constexpr std::string_view kOverflow = "other";

  struct Counter {
    std::int64_t total = 0;
    bool changed = false;  // since the last write()
  };
  std::map<std::string, Counter, std::less<>> counters_;
};

}  // namespace leakhunt::recorder
