// Civil time to a device's own time and back, through the anchors of its boots. Knows no SQL.
#pragma once

#include <span>
#include <vector>

#include "base/time.h"
#include "recorder/rows.h"

namespace leakhunt::storage {

// [start, end) in civil time.
struct Window {
  Utc start;
  Utc end;
};
// Everything there is; far enough inside the integers that arithmetic on it cannot overflow.
inline constexpr Window kAllTime{{-(std::int64_t{1} << 61)}, {std::int64_t{1} << 61}};

// A boot and where its rows stand in civil time.
struct BootSpan {
  recorder::BootRow boot;
  std::vector<recorder::AnchorRow> anchors;  // by `since`
  Duration first_t{};                        // of its first row
  Duration last_t{};                         // of its last row
  Utc began;                                 // when the device started: t = 0
  Utc ended;                                 // of its last row

  // The civil time of a place in this boot. Without an anchor it is t itself, counted from 1970.
  [[nodiscard]] Utc utc(Duration t) const;
};

// A stretch [from, to) of one boot in which utc = utc_zero + t.
struct BootRange {
  recorder::BootId boot;
  Duration from{};
  Duration to{};
  Utc utc_zero;
};

// The stretches of the boot that fall into the window, in the order of t. A clock that stepped makes several.
[[nodiscard]] std::vector<BootRange> ranges(const BootSpan& span, const Window& window);
// Of all boots, in their order.
[[nodiscard]] std::vector<BootRange> ranges(std::span<const BootSpan> spans, const Window& window);

}  // namespace leakhunt::storage
