// Fields that are not free memory (battery, temperature, counters): the same timeline in other words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/input.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis {

enum class FieldClass { insufficient, reboot, slow_decline, slow_rise, recovery, steady };
[[nodiscard]] std::string_view word(FieldClass c);

struct FieldVerdict {
  FieldClass verdict = FieldClass::insufficient;
  FieldClass underlying = FieldClass::insufficient;  // of the last boot's stretch, for `reboot`
  std::optional<Interval> trend_per_min;  // in the field's unit; for counters the change of their rate
  std::optional<double> minutes_to_zero;  // where it falls and stays above zero
  std::optional<double> rate_per_min;     // counters: the mean rate
  std::vector<Finding> findings;
};

// `counter`: a figure that only grows within a boot; its rate is judged instead of itself.
[[nodiscard]] FieldVerdict judge_field(const std::vector<Series>& series, bool counter);

}  // namespace leakhunt::analysis
