// The times of a table: what a cell of the time column tells, and whether the times of all rows make sense
// together. Knows nothing of memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "recorder/recording.h"

namespace leakhunt::recorder {

// Above it a double no longer holds every whole number: no figure of memory or time.
inline constexpr double kLargestFigure = 9007199254740992.0;  // 2^53

// Times of one column as seconds; the form is that of the first cell.
class TimeColumn {
 public:
  // `scale`: seconds per unit of plain numbers.
  explicit TimeColumn(double scale) : scale_(scale) {}

  std::optional<double> read(std::string_view cell);
  [[nodiscard]] TimeBase base() const;

 private:
  enum class Form : std::uint8_t { none, number, epoch, date, clock };
  Form form_of(std::string_view cell);
  std::optional<double> steady_clock(std::optional<double> clock);

  double scale_;
  Form form_ = Form::none;
  double days_s_ = 0;
  double last_clock_s_ = 0;
};

// Rows written newest first are turned round. Times that stand still, or that go back again and again without
// the look of a clock that begins anew, are no times: TimeBase::none and even spacing. Each is noted.
void settle_times(Recording& recording);

}  // namespace leakhunt::recorder
