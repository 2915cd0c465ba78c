// Which alerts the schedule's verdicts call for (INTERFACES, "Alerts"). Pure; draws no conclusion of its own
// about memory, only holds what the verdicts say against the limits.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "daemon/alert_book.h"
#include "daemon/config.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::daemon {

// The causes that looks raise and, by not raising them any more, resolve.
inline constexpr std::array<std::string_view, 3> kLookCauses{"horizon", "steep_slope", "low_memory"};

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

  // The causes of kLookCauses that hold after a round of looks at one device.
  [[nodiscard]] std::vector<Cause> judge(recorder::DeviceId device,
                                         std::optional<std::int64_t> min_free_bytes,
                                         const std::vector<Look>& round, Utc now);
  // Losing fast enough that the range must be known as well.
  [[nodiscard]] bool needs_range(const v1::Verdict& verdict) const;

 private:
  [[nodiscard]] std::optional<Cause> horizon(const std::vector<Look>& round) const;
  [[nodiscard]] std::optional<Cause> steep_slope(recorder::DeviceId device, const std::vector<Look>& round,
                                                 Utc now);

  AlertLimits limits_;
  std::map<recorder::DeviceId, int> steep_looks_;  // in a row
};

}  // namespace leakhunt::daemon
