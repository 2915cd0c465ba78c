// Which alerts the schedule's verdicts call for (INTERFACES, "Alerts"). Pure; draws no conclusion of its own
// about memory, only holds what the verdicts say against the limits.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "daemon/alert_book.h"
#include "daemon/config.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::daemon {

inline constexpr Duration kSteepWindow{3'600'000'000LL};
inline constexpr Duration kSteepAfterBoot{15 * 60'000'000LL};

// One scheduled window of a device, judged.
struct Look {
  Duration window{};
  v1::Verdict verdict;
  std::optional<double> range_bytes;  // greatest less least reading; needed of kSteepWindow alone
};

class LookRules {
 public:
  explicit LookRules(AlertLimits limits) : limits_(limits) {}

  // The causes that hold after a round of looks at one device.
  [[nodiscard]] std::vector<Cause> judge(recorder::DeviceId device,
                                         std::optional<std::int64_t> min_free_bytes,
                                         const std::vector<Look>& round, Utc now);
  // The names of the causes that the looks so far decide on: what is among them and does not hold is over.
  // steep_slope needs two looks, so that a start of the daemon ends no alert that stands.
  [[nodiscard]] std::vector<std::string_view> decided(recorder::DeviceId device) const;
  // Losing fast enough that the range must be known as well.
  [[nodiscard]] bool needs_range(const v1::Verdict& verdict) const;

 private:
  [[nodiscard]] static std::optional<Cause> low_memory(std::optional<std::int64_t> min_free_bytes,
                                                       const std::vector<Look>& round);
  [[nodiscard]] std::optional<Cause> horizon(const std::vector<Look>& round) const;
  [[nodiscard]] std::optional<Cause> steep_slope(recorder::DeviceId device, const std::vector<Look>& round,
                                                 Utc now);

  AlertLimits limits_;
  struct Steepness {
    int looks = 0;  // since the start, two at most
    int steep = 0;  // of the last looks, in a row
  };
  std::map<recorder::DeviceId, Steepness> steep_looks_;
};

}  // namespace leakhunt::daemon
