// Examines each boot's stretch and says what class it is by itself.
#include "analysis/stretches.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/horizon.h"
#include "analysis/judge.h"
#include "analysis/sense.h"
#include "analysis/words.h"
#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLowTail = 4096;  // a leak whose last readings are below this, or 3 % of the heap
constexpr double kLowTailShare = 0.03;

Values tail_of(const Values& v, std::size_t n) {
  return Values(v.end() - static_cast<std::ptrdiff_t>(std::min(n, v.size())), v.end());
}

bool end_is_near(const Question& q, const Examined& e) {
  if (!e.exam.leak) return false;
  if (e.minutes_to_oom && e.minutes_to_oom->value < kImminent_min) return true;
  const auto tail = as_free(q, e.tail);
  const double heap = q.total_bytes ? *q.total_bytes : 2 * e.most;
  return tail && *tail < std::max(kLowTail, used(q) ? 0.0 : kLowTailShare * heap);
}

VerdictClass class_of(const Question& q, const Examined& e) {
  if (e.evidence.exhausted()) return VerdictClass::oom_imminent;
  if (e.at_zero) return VerdictClass::oom_imminent;
  if (q.measure == Measure::low_water_mark) return VerdictClass::insufficient_data;
  if (q.measure == Measure::largest_block && e.exam.leak) return VerdictClass::fragmentation_suspect;
  if (end_is_near(q, e) || nothing_left(q, e)) return VerdictClass::oom_imminent;
  if (e.exam.leak) return VerdictClass::slow_leak;
  if (e.pieces.fall || e.evidence.failures_high > 0) return VerdictClass::fragmentation_suspect;
  if (e.exam.too_short) {
    return e.evidence.failures_unknown > 0 ? VerdictClass::oom_imminent : VerdictClass::insufficient_data;
  }
  return e.exam.rise ? VerdictClass::recovery_curve : VerdictClass::steady;
}

Examined examine_stretch(const Question& q, const Stretch& stretch, const Steps& steps) {
  Examined e;
  e.stretch = &stretch;
  const Track track = prepare(stretch, q, steps);
  e.exam = examine(track, q.sense, steps);
  // A coarse counter hides half a step of the level, however many readings agree.
  e.exam.level_error = std::max(e.exam.level_error, track.quantum / 2);
  if (track.level_changes > 0) {
    e.exam.findings.push_back({"level changed at a reconnect, by " +
                                   bytes_text(field_value(q, track.level_changed_by)) +
                                   ": no part of the trend",
                               0.3});
  }
  if (!track.v.empty()) {
    e.at_zero = track.ends_at_zero;
    e.tail = quantile(tail_of(track.v, std::max<std::size_t>(5, track.v.size() / 50)), 0.2);
    e.last = e.at_zero ? 0.0 : median(tail_of(track.v, 5));
    e.last_value = field_value(q, track.v.back());
    e.last_x_s = track.first_x_s + track.x.back();
    e.most = *std::max_element(track.v.begin(), track.v.end());
  }
  if (e.exam.leak) e.minutes_to_oom = horizon(q, e.exam.level, e.exam.level_error, e.exam.slope);
  if (!used(q)) e.pieces = in_pieces(q, stretch, e.exam.blocks, e.exam.leak);
  return e;
}

// Each stretch answers for the lines from its boot to the next one's.
void weigh_lines(const Question& q, std::vector<Examined>& stretches) {
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const auto begin = [&](std::size_t k) {
      const Stretch& s = *stretches[k].stretch;
      return present(s.began_s) ? s.began_s : s.points.front().t_s;
    };
    stretches[i].evidence =
        weigh(q, i == 0 ? -kInfinity : begin(i), i + 1 < stretches.size() ? begin(i + 1) : kInfinity);
  }
}

std::size_t main_of(const std::vector<Examined>& stretches) {
  const auto rank = [](const Examined& e) {
    return std::pair(e.exam.samples >= 5 && e.exam.leak && e.share >= 0.2,
                     e.exam.samples >= 5 ? e.share : -1.0);
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    if (rank(stretches[i]) > rank(stretches[best])) best = i;
  }
  return best;
}

}  // namespace

std::optional<Candidate> examine_series(const Question& q, const Series& series, const Steps& steps) {
  Candidate c;
  c.series = &series;
  double span = 0;
  for (const Stretch& s : series.stretches) {
    if (s.points.empty()) continue;
    c.stretches.push_back(examine_stretch(q, s, steps));
    c.usable += c.stretches.back().exam.samples;
    span += c.stretches.back().exam.span_s;
  }
  if (c.stretches.empty()) return std::nullopt;
  weigh_lines(q, c.stretches);
  for (Examined& e : c.stretches) {
    e.share = span > 0 ? e.exam.span_s / span : 1.0;
    e.verdict = class_of(q, e);
  }
  c.main = main_of(c.stretches);
  return c;
}

double level_now(const Examined& e) {
  if (e.at_zero) return 0;
  return e.exam.too_short && !e.exam.leak ? e.last : e.exam.level;
}

bool nothing_left(const Question& q, const Examined& e) {
  return !used(q) && q.measure != Measure::largest_block && e.exam.samples > 0 && e.last < kSafeFree;
}

bool below_reserve(const Question& q, const Examined& e) {
  if (e.at_zero || nothing_left(q, e)) return true;
  const auto left = as_free(q, e.last);
  return left && q.measure == Measure::level && e.exam.samples > 0 && *left < q.reserve_bytes;
}

bool below_floor(const Question& q, const Examined& e) {
  if (!q.floor_bytes || q.measure != Measure::level || e.exam.samples == 0) return false;
  const auto left = as_free(q, level_now(e));
  return left && *left < *q.floor_bytes;
}

VerdictClass most_urgent(const std::vector<StretchVerdict>& stretches) {
  const auto rank = [](VerdictClass c) { return c == VerdictClass::insufficient_data ? -1 : urgency(c); };
  VerdictClass worst = stretches.front().verdict;
  for (const StretchVerdict& s : stretches) {
    if (rank(s.verdict) >= rank(worst)) worst = s.verdict;
  }
  return worst;
}

}  // namespace leakhunt::analysis
