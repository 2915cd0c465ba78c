// The figures of a window that timeline and report share: counts, extremes, slopes, cadence, boots.
#pragma once

#include <optional>

#include "answer/asked.h"
#include "answer/fields.h"
#include "answer/record.h"
#include "answer/window_figures.h"

namespace leakhunt::answer {

// Everything of a Timeline but points and trend.
void fill_figures(v1::Timeline& out, const Asked& asked, const FieldChoice& field, const AskedWindow& window,
                  const WindowFigures& figures, const std::vector<storage::BootSpan>& boots);

// INTERFACES: the shortest of 1 h, 6 h, 24 h, 7 d that holds 24 samples since the last boot, else the
// longest.
[[nodiscard]] AskedWindow default_window(const Asked& asked, const FieldChoice& field);

// window_of() with that default.
[[nodiscard]] Result<AskedWindow> field_window(const Asked& asked, const v1::WindowSpec& spec,
                                               const FieldChoice& field);

}  // namespace leakhunt::answer
