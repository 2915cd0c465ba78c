// Cleaning, columns and level changes at a reconnect.
#include "analysis/clean.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

constexpr double kWrap = 4294967296.0;    // 2^32
constexpr double kWrapZone = 16777216.0;  // a small negative number read as unsigned

constexpr std::size_t kLastingZeros = 4;  // in a row: no glitch
constexpr std::size_t kClosingZeros = 2;  // in a row at the end
constexpr double kNearZero = 8192;        // one 0 at the end after less than this closes a fall

// Above 0; a 0 is judged with its neighbours.
bool possible(const Point& p, const Question& question) {
  if (!(p.value > 0)) return false;
  if (p.value <= kWrap && p.value > kWrap - kWrapZone) return false;
  if (question.sense == Sense::used_rises_is_bad) return true;
  if (present(p.total) && p.total > 0) return p.value <= p.total;
  return !question.total_bytes || p.value <= *question.total_bytes;
}

double median_of(std::array<double, 6>& w, std::size_t n) {
  std::sort(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(n));
  return n % 2 == 1 ? w[n / 2] : 0.5 * (w[n / 2 - 1] + w[n / 2]);
}

// The rule of `prepare` for the reading at i, against up to three neighbours on each side.
bool stands_alone(const std::vector<const Point*>& points, std::size_t i) {
  const std::size_t from = i < 3 ? 0 : i - 3;
  const std::size_t to = std::min(points.size(), i + 4);
  double low = points[i]->value;
  double high = low;
  for (std::size_t j = from; j < to; ++j) {
    low = std::min(low, points[j]->value);
    high = std::max(high, points[j]->value);
  }
  if (high - low <= 0.25 * low) return false;
  std::array<double, 6> w{};
  std::size_t n = 0;
  for (std::size_t j = from; j < to; ++j) {
    if (j != i) w[n++] = points[j]->value;
  }
  const double m = median_of(w, n);
  for (std::size_t j = 0; j < n; ++j) w[j] = std::abs(w[j] - m);
  const double limit = std::max(0.25 * m, 8 * 1.4826 * median_of(w, n));
  return std::abs(points[i]->value - m) > limit;
}

// A device that tells no heap at all reports 0 too; one that tells its size, or was above 0, means it.
bool tells_heap(const std::vector<Point>& points, const Question& question) {
  if (question.total_bytes) return true;
  return std::any_of(points.begin(), points.end(),
                     [](const Point& p) { return p.value > 0 || (present(p.total) && p.total > 0); });
}

bool run_is_real(const std::vector<Point>& points, std::size_t from, std::size_t to) {
  if (to - from >= kLastingZeros) return true;
  if (to < points.size()) return false;
  return to - from >= kClosingZeros || (from > 0 && points[from - 1].value < kNearZero);
}

// By reading, whether it is a 0 that is memory that ran out; empty where none is.
std::vector<bool> real_zeros(const std::vector<Point>& points, const Question& question) {
  std::vector<bool> real;
  if (question.sense != Sense::free_falls_is_bad || question.measure != Measure::level) return real;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].value != 0) continue;
    const std::size_t from = i;
    while (i + 1 < points.size() && points[i + 1].value == 0) ++i;
    if (!run_is_real(points, from, i + 1) || !tells_heap(points, question)) continue;
    real.resize(points.size());
    std::fill(real.begin() + static_cast<std::ptrdiff_t>(from),
              real.begin() + static_cast<std::ptrdiff_t>(i + 1), true);
  }
  return real;
}

std::vector<const Point*> usable(const std::vector<Point>& points, const Question& question,
                                 const std::vector<bool>& zeros, bool clean) {
  std::vector<const Point*> some;
  some.reserve(points.size());
  if (!clean) {
    for (const Point& p : points) some.push_back(&p);
    return some;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if ((!zeros.empty() && zeros[i]) || possible(points[i], question)) some.push_back(&points[i]);
  }
  if (some.size() < 5) return some;
  std::vector<const Point*> kept;
  kept.reserve(some.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (some[i]->value == 0 || !stands_alone(some, i)) kept.push_back(some[i]);
  }
  return kept.size() >= 5 ? kept : some;
}

// A column, a gap filled from the reading before; empty unless the first and at least half of them are there.
Values column(const std::vector<const Point*>& points, double Point::*member) {
  if (points.empty() || !present(points.front()->*member)) return {};
  Values out;
  out.reserve(points.size());
  std::size_t there = 0;
  for (const Point* p : points) {
    const double v = p->*member;
    there += present(v) ? 1U : 0U;
    out.push_back(present(v) ? v : out.back());
  }
  return 2 * there >= points.size() ? out : Values{};
}

// The step of a coarse counter: the smallest change, if a fifth of the readings repeat the one before.
double step_of_counter(const Values& v) {
  double least = 0;
  std::size_t repeats = 0;
  for (std::size_t i = 1; i < v.size(); ++i) {
    const double d = std::abs(v[i] - v[i - 1]);
    repeats += d == 0 ? 1U : 0U;
    if (d > 0 && (least == 0 || d < least)) least = d;
  }
  return 5 * repeats >= v.size() ? least : 0;
}

Values part(const Values& v, std::size_t from, std::size_t to) {
  return Values(v.begin() + static_cast<std::ptrdiff_t>(from), v.begin() + static_cast<std::ptrdiff_t>(to));
}

// How much the level stepped between readings i - 1 and i beyond what its neighbours' trend would bring, or 0
// where that is not sharp against their own changes.
double level_step(const Track& track, std::size_t i) {
  constexpr std::size_t kSide = 10;
  const std::size_t from = i < kSide ? 0 : i - kSide;
  const std::size_t to = std::min(track.v.size(), i + kSide);
  if (i - from < 5 || to - i < 5) return 0;
  Values slopes;
  Values steps;
  for (std::size_t j = from + 1; j < to; ++j) {
    if (j == i || track.x[j] <= track.x[j - 1]) continue;
    slopes.push_back((track.v[j] - track.v[j - 1]) / (track.x[j] - track.x[j - 1]));
    steps.push_back(track.v[j] - track.v[j - 1]);
  }
  if (slopes.size() < 8) return 0;
  const double before = median(part(track.v, i - 5, i));
  const double after = median(part(track.v, i, i + 5));
  const double gap = track.x[i + 2] - track.x[i - 3];
  const double step = after - before - median(std::move(slopes)) * gap;
  const double limit = std::max({1500.0, 0.02 * std::abs(before), 6 * mad(steps)});
  return std::abs(step) > limit ? step : 0;
}

void take_out_level_changes(Track& track, const std::vector<const Point*>& points, const Question& question) {
  std::size_t i = 0;
  std::size_t last = 0;
  for (const EvidenceLine& line : question.lines) {
    if (line.kind != LineKind::connection_lost) continue;
    while (i < points.size() && points[i]->t_s <= line.t_s) ++i;
    if (i == 0 || i >= points.size() || i == last) continue;
    last = i;
    const double step = level_step(track, i);
    if (step == 0) continue;
    for (std::size_t j = 0; j < i; ++j) track.v[j] += step;  // the level now stays what it is
    ++track.level_changes;
    track.level_changed_by += step;
  }
}

}  // namespace

Track prepare(const Stretch& stretch, const Question& question, const Steps& steps) {
  const std::vector<bool> zeros = real_zeros(stretch.points, question);
  const std::vector<const Point*> points = usable(stretch.points, question, zeros, steps.clean);
  const double sign = question.sense == Sense::used_rises_is_bad ? -1.0 : 1.0;
  Track track;
  track.ends_at_zero = !zeros.empty() && zeros.back();
  track.dropped = stretch.points.size() - points.size();
  track.x.reserve(points.size());
  track.v.reserve(points.size());
  for (const Point* p : points) {
    track.x.push_back(whole_microseconds(p->x_s - points.front()->x_s));
    track.v.push_back(sign * p->value);
  }
  if (!points.empty()) track.first_x_s = points.front()->x_s;
  track.nodes = column(points, &Point::total_nodes);
  track.packets = column(points, &Point::packets_rx);
  track.block = column(points, &Point::largest_block);
  track.quantum = step_of_counter(track.v);
  if (question.uptime_known && !track.x.empty()) track.uptime_s = track.first_x_s;
  take_out_level_changes(track, points, question);
  return track;
}

Track last_part(const Track& track, double from_x) {
  const auto from =
      static_cast<std::size_t>(std::lower_bound(track.x.begin(), track.x.end(), from_x) - track.x.begin());
  const auto rest = [from](const Values& v) { return v.empty() ? v : part(v, from, v.size()); };
  Track out;
  out.x = rest(track.x);
  out.v = rest(track.v);
  out.nodes = rest(track.nodes);
  out.packets = rest(track.packets);
  out.block = rest(track.block);
  out.quantum = track.quantum;
  if (present(track.uptime_s) && !out.x.empty())
    out.uptime_s = track.uptime_s + out.x.front() - track.x.front();
  return out;
}

}  // namespace leakhunt::analysis
