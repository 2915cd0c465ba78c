// How numbers, times and device text look on a page. Knows nothing of what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace leakhunt::ctl {

// 1234567 -> "1,234,567"; -82 -> "-82".
[[nodiscard]] std::string grouped(std::int64_t value);
// Rounded to an integer; values below 10 keep up to two decimals ("-0.35"), so that a slow slope is not 0.
[[nodiscard]] std::string figure(double value);
// 90 -> "90s", 5400 -> "1h30m", 200000 -> "2d7h": two units at most.
[[nodiscard]] std::string span(double seconds);
// Epoch seconds as local time "2026-03-01 14:05:09".
[[nodiscard]] std::string local_time(double epoch_s);
// "+4h12m" since the start of a window, in whole minutes passed; below an hour in seconds,
// from two days on in days.
[[nodiscard]] std::string offset(double seconds);
// Minutes with the hours or days beside them: "~1,127 min (~18.8 h)".
[[nodiscard]] std::string minutes_words(double minutes);

// Columns padded to the widest cell; the first row is the heading. Cells are made printable.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows);
// Lines longer than so many columns are broken at spaces; what follows a break is indented as far as the
// words behind a "label : ". A word that is longer stays whole.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns);
// RFC 4180, cells made printable; a cell that a spreadsheet would run as a formula gets a quote in front.
[[nodiscard]] std::string csv(const std::vector<std::vector<std::string>>& rows);

}  // namespace leakhunt::ctl
