// A steady time for every item, after the boots are found.
#include "recorder/text_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "recorder/text_boots.h"

namespace leakhunt::recorder {
namespace {

constexpr double kDay_s = 86400;
constexpr double kFall_s = 5;  // an uptime may jitter by less

bool known(double value) {
  return !std::isnan(value);
}

// Fills the gaps of `values` [from, to): between neighbours evenly; equal neighbours of whole seconds are
// spread over their second. Nothing is done without any known value.
void fill(std::vector<double>& values, std::size_t from, std::size_t to) {
  std::size_t run = from;
  while (run < to && !known(values[run])) {
    ++run;
  }
  if (run == to) {
    return;
  }
  std::fill(values.begin() + static_cast<std::ptrdiff_t>(from),
            values.begin() + static_cast<std::ptrdiff_t>(run), values[run]);
  while (run < to) {
    std::size_t next = run + 1;
    while (next < to && (!known(values[next]) || values[next] <= values[run])) {
      ++next;
    }
    const double begin = values[run];
    const bool whole = begin == std::floor(begin);
    const double room = next < to ? values[next] - begin : 1.0;
    std::size_t last_told = next - 1;
    while (!known(values[last_told])) {
      --last_told;
    }
    // Lines that tell this same second share it; those behind them that tell nothing share what is left.
    const double second = whole ? std::min(1.0, room) : 0.0;
    const auto told = static_cast<double>(last_told - run + 1);
    for (std::size_t i = run; i <= last_told; ++i) {
      values[i] = begin + second * static_cast<double>(i - run) / told;
    }
    const double left = begin + room - values[last_told];
    for (std::size_t i = last_told + 1; i < next; ++i) {
      values[i] = values[last_told] +
                  left * static_cast<double>(i - last_told) / static_cast<double>(next - last_told);
    }
    run = next;
  }
}

// Dates or a running clock as one steady line: midnight adds a day, a step back is undone.
std::vector<double> host_times(const std::vector<TextItem>& items, bool dated, PlacedTimes& placed) {
  std::vector<double> times(items.size(), kNoFigure);
  double offset = 0;
  double last = kNoFigure;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double told = dated ? items[i].utc_s : items[i].clock_s;
    if (!known(told)) {
      continue;
    }
    if (known(last) && told + offset < last - (dated ? 0.0 : kDay_s / 4)) {
      if (dated) {
        offset = last + 1 - told;
        ++placed.clock_steps;
      } else {
        offset += kDay_s * std::ceil((last - told - offset) / kDay_s);
      }
    } else if (known(last) && told + offset < last) {
      placed.clock_steps += told + offset < last - kFall_s ? 1U : 0U;
      offset = last - told;
    }
    last = told + offset;
    times[i] = last;
  }
  return times;
}

double share(const std::vector<TextItem>& items, bool (*has)(const TextItem&)) {
  std::size_t readings = 0;
  std::size_t with = 0;
  const bool any_reading =
      std::any_of(items.begin(), items.end(), [](const TextItem& i) { return i.has_reading; });
  for (const auto& item : items) {
    if (item.has_reading || !any_reading) {
      ++readings;
      with += has(item) ? 1U : 0U;
    }
  }
  return readings == 0 ? 0 : static_cast<double>(with) / static_cast<double>(readings);
}

void place_uptimes(std::vector<TextItem>& items) {
  std::vector<double> uptimes(items.size());
  std::transform(items.begin(), items.end(), uptimes.begin(), [](const TextItem& i) { return i.uptime_s; });
  for (std::size_t from = 0; from < items.size();) {
    std::size_t to = from;
    while (to < items.size() && items[to].boot == items[from].boot) {
      ++to;
    }
    fill(uptimes, from, to);
    from = to;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].uptime_s = uptimes[i];
  }
}

// An uptime told in the text may count in any unit: one that runs at another rate than the host's clock is no
// seconds.
bool uptime_contradicts_host(const std::vector<TextItem>& items) {
  const TextItem* first = nullptr;
  const TextItem* last = nullptr;
  for (const auto& item : items) {
    const bool both = known(item.uptime_s) && (known(item.utc_s) || known(item.clock_s));
    if (!both || (first != nullptr && item.boot != first->boot)) {
      continue;
    }
    first = first == nullptr ? &item : first;
    last = &item;
  }
  if (first == nullptr) {
    return false;
  }
  const bool dated = known(first->utc_s) && known(last->utc_s);
  const double host = dated ? last->utc_s - first->utc_s : last->clock_s - first->clock_s;
  const double device = last->uptime_s - first->uptime_s;
  return host > 60 && (device > 2 * host || device < 0.5 * host);
}

// One line of time through all boots, each after the last.
void times_from_uptimes(std::vector<TextItem>& items) {
  double offset = 0;
  double last = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool new_boot = i > 0 && items[i].boot != items[i - 1].boot;
    const double uptime = known(items[i].uptime_s) ? items[i].uptime_s : last - offset;
    if (new_boot) {
      offset = last + 1 - uptime;
    }
    items[i].t_s = std::max(last, uptime + offset);
    last = items[i].t_s;
  }
}

void times_by_count(std::vector<TextItem>& items) {
  double t = 0;
  bool first = true;
  for (auto& item : items) {
    if (item.has_reading && !first) {
      t += kAssumedStep_s;
    }
    first = first && !item.has_reading;
    item.t_s = t;
  }
}

}  // namespace

PlacedTimes place(std::vector<TextItem>& items) {
  PlacedTimes placed;
  find_boots(items, placed);
  if (uptime_contradicts_host(items)) {
    for (auto& item : items) {
      item.uptime_s = kNoFigure;
    }
  }
  const double dated = share(items, [](const TextItem& i) { return known(i.utc_s); });
  const double clocked = share(items, [](const TextItem& i) { return known(i.clock_s); });
  const double aged = share(items, [](const TextItem& i) { return known(i.uptime_s); });
  const bool by_host = std::max(dated, clocked) > 0 && std::max(dated, clocked) >= std::min(aged, 0.5);
  if (aged >= 0.5 || (aged > 0 && !by_host)) {
    place_uptimes(items);
  } else {
    for (auto& item : items) {
      item.uptime_s = kNoFigure;
    }
  }
  if (by_host) {
    auto times = host_times(items, dated >= clocked, placed);
    fill(times, 0, times.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i].t_s = times[i];
    }
    placed.base = dated >= clocked ? TimeBase::utc : TimeBase::clock;
  } else if (aged > 0) {
    times_from_uptimes(items);
    placed.base = TimeBase::uptime;
  } else {
    times_by_count(items);
  }
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    placed.boots[item->boot].began_s = item->t_s;
  }
  if (!items.empty() && placed.boots.back().signs == "crash") {
    placed.boots.back().began_s = items.back().t_s;
  }
  return placed;
}

}  // namespace leakhunt::recorder
