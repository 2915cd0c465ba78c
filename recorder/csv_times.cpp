// Scanners for cells of time, and one look at all times together.
#include "recorder/csv_times.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "recorder/csv_cells.h"
#include "recorder/stamps.h"

namespace leakhunt::recorder {
namespace {

constexpr double kDay_s = 86400;
constexpr std::size_t kFewest = 3;        // rows that show an order
constexpr std::size_t kOften = 3;         // fewer steps back are somebody setting the clock
constexpr std::size_t kRowsPerStep = 50;  // as are steps rarer than this
constexpr double kNearAnEnd = 0.25;       // of the range of all times

using Readings = std::vector<Reading>;

struct Order {
  double low = 0;
  double high = 0;
  std::size_t rises = 0;
  std::size_t falls = 0;
  bool begins_anew = true;  // each fall lands near the lowest time
};

bool over_midnight(double from_s, double to_s, TimeBase base) {
  return base == TimeBase::clock && to_s - from_s > kDay_s * (1 - kNearAnEnd);
}

Order order_of(const Readings& readings, TimeBase base) {
  const auto [low, high] = std::minmax_element(readings.begin(), readings.end(),
                                               [](const auto& a, const auto& b) { return a.t_s < b.t_s; });
  Order order{low->t_s, high->t_s};
  const double reach = kNearAnEnd * (order.high - order.low);
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const double before = readings[i - 1].t_s;
    const double now = readings[i].t_s;
    if (now < before) {
      ++order.falls;
      const bool from_the_top = base == TimeBase::relative || before >= order.high - reach;
      order.begins_anew = order.begins_anew && now <= order.low + reach && from_the_top;
    } else if (now > before) {
      over_midnight(before, now, base) ? ++order.falls : ++order.rises;
    }
  }
  return order;
}

void turn_round(Readings& readings, TimeBase base) {
  std::reverse(readings.begin(), readings.end());
  double days_s = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    auto& now = readings[i].t_s;
    days_s += over_midnight(now + days_s, readings[i - 1].t_s, base) ? kDay_s : 0;
    now += days_s;
  }
}

void space_evenly(Readings& readings) {
  for (std::size_t i = 0; i < readings.size(); ++i) readings[i].t_s = kAssumedStep_s * static_cast<double>(i);
}

void give_up_times(Recording& recording, const std::string& why) {
  for (auto& metric : recording.metrics) space_evenly(metric.readings);
  recording.time = TimeBase::none;
  recording.notes.push_back(why + ": even spacing of 60 s assumed, so no rate can be told");
}

}  // namespace

std::optional<double> TimeColumn::read(std::string_view cell) {
  if (form_ == Form::none) {
    form_ = form_of(cell);
  }
  if (form_ == Form::date) {
    return parse_date_time(cell);
  }
  if (form_ == Form::clock) {
    return steady_clock(parse_clock(cell));
  }
  const auto number = plain_number(cell);
  const bool usable = number && std::abs(*number * scale_) <= kLargestFigure;
  return usable ? std::optional(*number * scale_) : std::nullopt;
}

TimeBase TimeColumn::base() const {
  switch (form_) {
    case Form::date:
    case Form::epoch:
      return TimeBase::utc;
    case Form::clock:
      return TimeBase::clock;
    default:
      return TimeBase::relative;
  }
}

TimeColumn::Form TimeColumn::form_of(std::string_view cell) {
  if (const auto number = plain_number(cell)) {
    if (*number < 1e9) {
      return Form::number;
    }
    // Epoch seconds, milliseconds, microseconds or nanoseconds by their size.
    scale_ = *number < 1e11 ? 1 : *number < 1e14 ? 1e-3 : *number < 1e17 ? 1e-6 : 1e-9;
    return Form::epoch;
  }
  if (parse_date_time(cell)) {
    return Form::date;
  }
  return parse_clock(cell) ? Form::clock : Form::none;
}

std::optional<double> TimeColumn::steady_clock(std::optional<double> clock) {
  if (!clock) {
    return clock;
  }
  if (*clock + days_s_ < last_clock_s_ - kDay_s / 4) {
    days_s_ += kDay_s;
  }
  last_clock_s_ = *clock + days_s_;
  return last_clock_s_;
}

void settle_times(Recording& recording) {
  const auto fullest =
      std::max_element(recording.metrics.begin(), recording.metrics.end(),
                       [](const auto& a, const auto& b) { return a.readings.size() < b.readings.size(); });
  if (recording.time == TimeBase::none || fullest == recording.metrics.end() ||
      fullest->readings.size() < kFewest) {
    return;
  }
  const auto rows = fullest->readings.size();
  const auto order = order_of(fullest->readings, recording.time);
  if (order.rises == 0 && order.falls == 0) {
    give_up_times(recording, "all times are the same");
  } else if (order.rises == 0 && order.falls > 1) {
    for (auto& metric : recording.metrics) turn_round(metric.readings, recording.time);
    recording.notes.emplace_back("times only fall: rows written newest first, read from the last one on");
  } else if (order.falls >= kOften) {
    const auto often = "times go back " + std::to_string(order.falls) + " times";
    if (order.begins_anew) {
      recording.notes.push_back(often + ": a clock that begins anew, its times go on");
    } else if (order.falls * kRowsPerStep >= rows) {
      give_up_times(recording, often);
    } else {
      recording.notes.push_back(often + ": steps of the clock, not counted as time");
    }
  }
}

}  // namespace leakhunt::recorder
