// Uptime or repaired host time as the steady clock; cuts at restarts.
#include "analysis/segments.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/numbers.h"
#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

constexpr double kUptimeWrap_s = 4294967;  // 2^32 milliseconds
constexpr double kBack_s = 5;
constexpr double kSetAhead_s = 86'400;
constexpr double kTimesTheRest = 20;

Point placed(const Row& row, double x_s) {
  Point p = row.point;
  p.t_s = row.t_s;
  p.x_s = x_s;
  return p;
}

std::vector<Stretch> numbered(std::vector<std::vector<Point>> parts) {
  std::vector<Stretch> out;
  for (std::vector<Point>& points : parts) {
    if (points.empty()) continue;
    Stretch s;
    s.boot_id = static_cast<std::int64_t>(out.size()) + 1;
    if (!out.empty()) s.began_s = points.front().t_s;
    s.points = std::move(points);
    out.push_back(std::move(s));
  }
  return out;
}

Stretches by_uptime(const std::vector<Row>& rows) {
  std::vector<std::vector<Point>> parts(1);
  double wrapped = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i].uptime_s < rows[i - 1].uptime_s - kBack_s) {
      const bool wrap = rows[i - 1].uptime_s > kUptimeWrap_s - 3600 && rows[i].uptime_s < 3600;
      wrapped = wrap ? wrapped + kUptimeWrap_s : 0;
      if (!wrap) parts.emplace_back();
    }
    double x = rows[i].uptime_s + wrapped;
    if (!parts.back().empty()) x = std::max(x, parts.back().back().x_s);
    parts.back().push_back(placed(rows[i], x));
  }
  return {numbered(std::move(parts)), true};
}

double cadence(const std::vector<Row>& rows) {
  Values gaps;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].t_s > rows[i - 1].t_s) gaps.push_back(rows[i].t_s - rows[i - 1].t_s);
  }
  return gaps.empty() ? 1.0 : median(std::move(gaps));
}

Values values_between(const std::vector<Row>& rows, std::size_t from, std::size_t to) {
  Values out;
  for (std::size_t i = from; i < std::min(to, rows.size()); ++i) out.push_back(rows[i].point.value);
  return out;
}

// Whether the level is clearly better after row i - 1 than before.
bool better_after(const std::vector<Row>& rows, std::size_t i, Sense sense, double noise) {
  const double before = median(values_between(rows, i < 5 ? 0 : i - 5, i));
  Values later = values_between(rows, i + 1, i + 6);
  const double after = later.empty() ? rows[i].point.value : median(std::move(later));
  const double gain = sense == Sense::used_rises_is_bad ? before - after : after - before;
  return gain > std::max({0.02 * std::abs(before), 600.0, noise});
}

// A step ahead that is many times all the rest of the record is a clock that was set, not a pause.
double longest_pause(const std::vector<Row>& rows) {
  Values steps;
  for (std::size_t i = 1; i < rows.size(); ++i) steps.push_back(std::max(0.0, rows[i].t_s - rows[i - 1].t_s));
  std::sort(steps.begin(), steps.end());
  double sum = 0;
  for (const double step : steps) {
    if (step > kSetAhead_s && step > kTimesTheRest * sum) return sum;
    sum += step;
  }
  return std::numeric_limits<double>::infinity();
}

Stretches by_lines(const std::vector<Row>& rows, const std::vector<EvidenceLine>& lines, Sense sense) {
  const double step = cadence(rows);
  const double noise = mad(values_between(rows, 0, rows.size()));
  const double pause = longest_pause(rows);
  std::vector<std::vector<Point>> parts(1);
  parts.back().push_back(placed(rows.front(), 0));
  double x = 0;
  std::size_t next = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double d = whole_microseconds(rows[i].t_s - rows[i - 1].t_s);
    x += d > 0 && d <= pause ? d : step;
    bool cut = false;
    for (; next < lines.size() && lines[next].t_s <= rows[i].t_s; ++next) {
      const LineKind kind = lines[next].kind;
      cut = cut || kind == LineKind::boot ||
            (kind == LineKind::connection_lost && better_after(rows, i, sense, noise));
    }
    if (cut) parts.emplace_back();
    parts.back().push_back(placed(rows[i], x));
  }
  return {numbered(std::move(parts)), false};
}

// Sorted by the host's clock, whatever it did.
Stretches as_recorded(const std::vector<Row>& rows) {
  std::vector<Point> points;
  for (const Row& row : rows) points.push_back(placed(row, row.t_s));
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.x_s < b.x_s; });
  std::vector<std::vector<Point>> parts;
  parts.push_back(std::move(points));
  return {numbered(std::move(parts)), false};
}

}  // namespace

Stretches split(const std::vector<Row>& rows, const std::vector<EvidenceLine>& lines, Sense sense,
                const Steps& steps) {
  if (rows.empty()) return {};
  if (!steps.segments) return as_recorded(rows);
  const bool uptime = std::all_of(rows.begin(), rows.end(), [](const Row& r) { return present(r.uptime_s); });
  return uptime ? by_uptime(rows) : by_lines(rows, lines, sense);
}

}  // namespace leakhunt::analysis
