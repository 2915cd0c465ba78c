// The figures of a window that timeline and report share: counts, extremes, slopes, cadence, boots.
#pragma once

#include <optional>

#include "answer/asked.h"
#include "answer/fields.h"
#include "answer/record.h"

namespace leakhunt::answer {

// Everything of a Timeline but points and trend.
void fill_figures(v1::Timeline& out, const Asked& asked, const FieldChoice& field, const AskedWindow& window,
                  const std::vector<analysis::Series>& series, const std::vector<storage::BootSpan>& boots);

// Median distance of the readings of the series with the most of them; unset below two readings.
[[nodiscard]] std::optional<double> cadence_s(const std::vector<analysis::Series>& series);
[[nodiscard]] std::optional<double> cadence_s(const analysis::Series& series);

// INTERFACES: the shortest of 1 h, 6 h, 24 h, 7 d that holds 24 samples since the last boot, else the
// longest.
[[nodiscard]] AskedWindow default_window(const Asked& asked, const FieldChoice& field);

// window_of() with that default.
[[nodiscard]] Result<AskedWindow> field_window(const Asked& asked, const v1::WindowSpec& spec,
                                               const FieldChoice& field);

}  // namespace leakhunt::answer
