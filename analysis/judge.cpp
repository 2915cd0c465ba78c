// The default rules: each boot's stretch of each source is examined, the source that sees most is believed,
// log evidence is weighed, and the first class that applies is the verdict.
#include "analysis/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "analysis/attribution.h"
#include "analysis/detectability.h"
#include "analysis/evidence.h"
#include "analysis/examine.h"
#include "analysis/fragmentation.h"
#include "analysis/published.h"
#include "analysis/words.h"
#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSafeFree = 1500;  // MINIMUM_SAFE_FREE_HEAP of the firmware's configuration.h
constexpr double kLowTail = 4096;   // a leak whose last readings are below this, or 3 % of the heap
constexpr double kLowTailShare = 0.03;

// One boot's stretch of one source, examined.
struct Examined {
  const Stretch* stretch = nullptr;
  Examination exam;
  Evidence evidence;
  double share = 0;       // of the time of all stretches
  double tail = 0;        // 20 % quantile of its last readings, as free memory where that is known
  double last = 0;        // median of its last five
  double last_value = 0;  // the last reading as recorded
  double most = 0;        // its highest reading
  bool at_zero = false;   // its last readings are 0: nothing is free
  std::optional<Interval> minutes_to_oom;
  std::optional<BlockFall> block;
  VerdictClass verdict = VerdictClass::insufficient_data;
};

struct Candidate {
  const Series* series = nullptr;
  std::vector<Examined> stretches;
  std::size_t main = 0;  // the one the figures come from
  std::size_t usable = 0;
  [[nodiscard]] const Examined& chosen() const { return stretches[main]; }
};

bool used(const Question& q) {
  return q.sense == Sense::used_rises_is_bad;
}

// Free memory that a level of a track stands for; nothing where used memory has no limit.
std::optional<double> as_free(const Question& q, double track_level) {
  if (!used(q)) return track_level;
  if (!q.total_bytes) return std::nullopt;
  return *q.total_bytes + track_level;
}

double field_value(const Question& q, double track_level) {
  return used(q) ? -track_level : track_level;
}

Interval field_slope(const Question& q, const Interval& s) {
  return used(q) ? Interval{-s.value, -s.high, -s.low} : s;
}

double as_bound(double value, double fallback) {
  return present(value) ? value : fallback;
}

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

// At rest; the last reading where there are too few to tell.
double level_now(const Examined& e) {
  if (e.at_zero) return 0;
  return e.exam.too_short && !e.exam.leak ? e.last : e.exam.level;
}

bool nothing_left(const Question& q, const Examined& e) {
  return !used(q) && q.measure != Measure::largest_block && e.exam.samples > 0 && e.last < kSafeFree;
}

// What the device has left now.
bool below_reserve(const Question& q, const Examined& e) {
  if (e.at_zero || nothing_left(q, e)) return true;
  const auto left = as_free(q, e.last);
  return left && q.measure == Measure::level && e.exam.samples > 0 && *left < q.reserve_bytes;
}

VerdictClass class_of(const Question& q, const Examined& e) {
  if (e.evidence.exhausted()) return VerdictClass::oom_imminent;
  if (e.at_zero) return VerdictClass::oom_imminent;
  if (q.measure == Measure::low_water_mark) return VerdictClass::insufficient_data;
  if (q.measure == Measure::largest_block && e.exam.leak) return VerdictClass::fragmentation_suspect;
  if (end_is_near(q, e) || nothing_left(q, e)) return VerdictClass::oom_imminent;
  if (e.exam.leak) return VerdictClass::slow_leak;
  if (e.block || e.evidence.failures_high > 0) return VerdictClass::fragmentation_suspect;
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
    e.most = *std::max_element(track.v.begin(), track.v.end());
  }
  if (e.exam.leak) {
    if (const auto left = as_free(q, e.exam.level)) {
      e.minutes_to_oom = minutes_until(*left, e.exam.level_error, q.reserve_bytes, e.exam.slope);
    }
  }
  if (!used(q)) e.block = falling_block(e.exam.blocks);
  if (!used(q) && !e.block) e.block = no_usable_block(stretch);
  return e;
}

// Each stretch answers for the lines from its boot to the next one's.
void weigh_lines(const Question& q, std::vector<Examined>& stretches) {
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const auto begin = [&](std::size_t k) {
      const Stretch& s = *stretches[k].stretch;
      return as_bound(s.began_s, s.points.empty() ? -kInfinity : s.points.front().t_s);
    };
    stretches[i].evidence =
        weigh(q, i == 0 ? -kInfinity : begin(i), i + 1 < stretches.size() ? begin(i + 1) : kInfinity);
  }
}

Candidate examine_series(const Question& q, const Series& series, const Steps& steps) {
  Candidate c;
  c.series = &series;
  double span = 0;
  for (const Stretch& s : series.stretches) {
    if (s.points.empty()) continue;
    c.stretches.push_back(examine_stretch(q, s, steps));
    c.usable += c.stretches.back().exam.samples;
    span += c.stretches.back().exam.span_s;
  }
  weigh_lines(q, c.stretches);
  for (Examined& e : c.stretches) {
    e.share = span > 0 ? e.exam.span_s / span : 1.0;
    e.verdict = class_of(q, e);
  }
  const auto rank = [](const Examined& e) {
    return std::pair(e.exam.samples >= 5 && e.exam.leak && e.share >= 0.2,
                     e.exam.samples >= 5 ? e.share : -1.0);
  };
  for (std::size_t i = 0; i < c.stretches.size(); ++i) {
    if (rank(c.stretches[i]) > rank(c.stretches[c.main])) c.main = i;
  }
  return c;
}

double detectability(const Candidate& c) {
  if (c.stretches.empty()) return kInfinity;
  return c.chosen().exam.mds_per_min.value_or(kInfinity);
}

// The source with the smallest minimum detectable slope; without any, the one with most readings.
std::size_t most_telling(const std::vector<Candidate>& candidates) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const double a = detectability(candidates[i]);
    const double b = detectability(candidates[best]);
    if (a < b || (a == b && candidates[i].usable > candidates[best].usable)) best = i;
  }
  return best;
}

std::size_t boots_in(const Question& q) {
  std::set<std::int64_t> ids;
  for (const Boot& b : q.boots) ids.insert(b.id);
  for (const Series& s : q.series) {
    for (const Stretch& stretch : s.stretches) {
      if (!stretch.points.empty()) ids.insert(stretch.boot_id);
    }
  }
  return ids.size();
}

StretchVerdict summary(const Question& q, const Examined& e) {
  StretchVerdict out;
  out.boot_id = e.stretch->boot_id;
  out.began_s = e.stretch->points.front().t_s;
  out.ended_s = e.stretch->points.back().t_s;
  out.cause = e.stretch->cause;
  out.samples = e.exam.samples;
  out.verdict = e.verdict;
  out.leak = e.exam.leak;
  out.level_end_bytes = e.last_value;
  out.trend_per_min = field_slope(q, e.exam.slope);
  out.shape = e.exam.shape;
  return out;
}

VerdictClass most_urgent(const std::vector<Examined>& stretches) {
  VerdictClass worst = VerdictClass::insufficient_data;
  bool first = true;
  for (const Examined& e : stretches) {
    if (first || urgency(e.verdict) >= urgency(worst)) worst = e.verdict;
    first = false;
  }
  return worst;
}

void add_boots(const Question& q, const Candidate& c, std::size_t boots, Verdict& v) {
  std::size_t leaking = 0;
  for (const Examined& e : c.stretches) leaking += e.exam.leak ? 1U : 0U;
  std::string text = count_text(boots, "boot", "boots") + " in the window: each stretch is judged for itself";
  for (const Boot& b : q.boots) {
    if (!b.cause.empty()) text += "; boot " + number_text(static_cast<double>(b.id)) + " by " + b.cause;
  }
  v.findings.push_back({text, 1.0});
  if (leaking > 1) {
    std::string levels;
    for (std::size_t i = 0; i + 1 < c.stretches.size(); ++i) {
      levels += (i == 0 ? "" : ", ") + bytes_text(c.stretches[i].last_value);
    }
    v.findings.push_back({"the loss comes again after the reboot, in " +
                              count_text(leaking, "stretch", "stretches") +
                              "; the level before each reboot: " + levels,
                          0.9});
  }
}

void add_other_sources(const Question& q, const std::vector<Candidate>& all, std::size_t best, Verdict& v) {
  const double slope = all[best].chosen().exam.slope.value;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == best || all[i].stretches.empty() || !all[i].chosen().exam.mds_per_min) continue;
    const Interval& other = all[i].chosen().exam.slope;
    if (slope >= other.low && slope <= other.high) continue;
    const Interval shown = field_slope(q, other);
    v.findings.push_back({"source " + all[i].series->source + " tells another slope: " +
                              rate_text(shown.low) + " to " + rate_text(shown.high),
                          0.3});
  }
}

void add_detectability(const Examined& e, Verdict& v) {
  if (!e.exam.mds_per_min) return;
  const double more = 6 * 3600;
  const double ratio = e.exam.span_s / (e.exam.span_s + more);
  const double later =
      std::max(kLeastSlope * e.exam.unit,
               *e.exam.mds_per_min * (e.exam.standard_error > 0 ? std::pow(ratio, 1.5) : ratio));
  v.mds_per_min = e.exam.mds_per_min;
  v.findings.push_back({"a leak below " + rate_text(*e.exam.mds_per_min) +
                            " cannot be excluded with these data; 6 h more would lower that to about " +
                            rate_text(later),
                        0.2});
}

// What holds where nothing is lost.
void add_calm(const Question& q, const Examined& e, Verdict& v) {
  if (e.exam.leak || !e.exam.mds_per_min || e.exam.too_short) return;
  const Interval s = field_slope(q, e.exam.slope);
  v.findings.push_back({"the level at rest is " + bytes_text(field_value(q, e.exam.level)) + " (shape " +
                            e.exam.shape + "); beside that it moves by " + rate_text(s.value) +
                            " (95 %: " + rate_text(s.low) + " to " + rate_text(s.high) + ") over " +
                            span_text(e.exam.span_s),
                        0.6});
}

void add_level(const Question& q, const Examined& e, Verdict& v) {
  v.level_bytes = field_value(q, level_now(e));
  if (e.at_zero) {
    v.findings.push_back({"the last readings are 0 bytes free: memory has run out", 1.0});
  } else if (nothing_left(q, e)) {
    v.findings.push_back({"only " + bytes_text(e.last) + " are free: below the " + bytes_text(kSafeFree) +
                              " that the firmware itself holds to be safe",
                          1.0});
  }
  if (q.floor_bytes && !used(q) && e.last < *q.floor_bytes) {
    v.findings.push_back({"the level of " + bytes_text(e.last) + " is below the least that was asked for, " +
                              bytes_text(*q.floor_bytes),
                          0.7});
  }
  if (!used(q) && e.last < q.reserve_bytes && !nothing_left(q, e)) {
    v.findings.push_back({"the level of " + bytes_text(e.last) + " is below the reserve of " +
                              bytes_text(q.reserve_bytes) + (q.chip.empty() ? "" : " of " + q.chip),
                          0.7});
  }
}

void add_fragmentation(const Examined& e, Verdict& v) {
  if (!e.block) return;
  v.findings.push_back({"the largest free block fell from " + bytes_text(e.block->from) + " to " +
                            bytes_text(e.block->to) + " while " + bytes_text(e.block->free_at_end) +
                            " are free",
                        0.9});
}

void append(const Evidence& evidence, Verdict& v) {
  v.findings.insert(v.findings.end(), evidence.findings.begin(), evidence.findings.end());
  v.ruled_out.insert(v.ruled_out.end(), evidence.ruled_out.begin(), evidence.ruled_out.end());
}

// The events of the judged boot; an event that does not tell its boot belongs to every one.
std::vector<HeapEvent> events_of(const Question& q, std::int64_t boot_id) {
  std::vector<HeapEvent> out;
  for (const HeapEvent& e : q.heap_events) {
    if (e.boot_id == boot_id || e.boot_id == 0) out.push_back(e);
  }
  return out;
}

// What the threads' lines explain of the loss.
void add_suspects(const Question& q, const Examined& e, Verdict& v) {
  if (q.heap_events.empty() || !v.leak) return;
  const Attribution a = attribute(events_of(q, e.stretch->boot_id));
  v.lost_bytes = -e.exam.slope.value * e.exam.span_s / 60;
  for (const Suspect& s : a.threads) {
    if (s.net_bytes < 0) v.suspects.push_back(s);
  }
  v.attributed_bytes = a.attributed_bytes;
  v.primary_suspect = !v.suspects.empty() && v.suspects.front().share >= 0.5;
  v.unexplained_bytes = v.lost_bytes - v.attributed_bytes;
  v.unexplained_share = v.lost_bytes > 0 ? v.unexplained_bytes / v.lost_bytes : 0;
}

std::string what_is_needed(const Candidate* c) {
  if (c == nullptr || c->usable == 0) return "at least 5 usable readings; there are none";
  const Examined& e = c->stretches.back();
  const std::vector<Point>& points = e.stretch->points;
  const double span = points.back().x_s - points.front().x_s;
  if (e.exam.samples < 5) {
    std::string text =
        "at least 5 usable readings within one boot; there are " + std::to_string(e.exam.samples);
    if (points.size() > 1 && span > 0) {
      const double cadence = span / static_cast<double>(points.size() - 1);
      const auto missing = static_cast<double>(5 - e.exam.samples);
      text += ": wait about " + span_text(std::max(missing * cadence, kShortSpan_s - span)) + " more";
    }
    return text;
  }
  return "at least " + span_text(kShortSpan_s) + " of readings within one boot; there are " +
         span_text(span) + ": wait about " + span_text(std::max(60.0, kShortSpan_s - span)) + " more";
}

void fill_figures(const Question& q, Verdict& v) {
  const SlopeSummary slopes = summarise(q.series);
  v.slope_per_min = slopes.slope_per_min;
  v.slope_per_min_raw = slopes.slope_per_min_raw;
  v.minutes_to_zero = slopes.minutes_to_zero;
  v.reserve_bytes = q.reserve_bytes;
  v.published = judge_published(q, slopes).published;
}

// Nothing to examine: the lines alone.
Verdict judge_lines(const Question& q, std::size_t boots) {
  Verdict v;
  const Evidence evidence = weigh(q, -kInfinity, kInfinity);
  append(evidence, v);
  if (evidence.exhausted() || evidence.failures_unknown > 0) v.verdict = VerdictClass::oom_imminent;
  v.underlying = v.verdict;
  if (boots > 1) v.verdict = VerdictClass::reboot_mid_window;
  v.needs = what_is_needed(nullptr);
  v.urgent = evidence.out_of_memory > 0;
  fill_figures(q, v);
  return v;
}

// With the slope found, from where the present boot stands; none where that one was watched long enough to
// show such a leak and shows none.
std::optional<Interval> horizon(const Question& q, const Candidate& c) {
  const Examined& found = c.chosen();
  const Examined& now = c.stretches.back();
  if (&found == &now || !found.exam.leak) return found.minutes_to_oom;
  const bool would_show = now.exam.mds_per_min && *now.exam.mds_per_min < -found.exam.slope.value;
  const auto left = as_free(q, level_now(now));
  if (!left || (!now.exam.leak && !now.exam.too_short && would_show)) return std::nullopt;
  return minutes_until(*left, now.exam.level_error, q.reserve_bytes, found.exam.slope);
}

// A restart is told as such, unless memory ends now: an allocation failed in the leaking present boot, or
// less than the reserve is left.
VerdictClass headline_of(const Question& q, const Candidate& c, std::size_t boots, VerdictClass underlying) {
  const Examined& now = c.stretches.back();
  const bool ends_now = (now.evidence.exhausted() && now.exam.leak) || below_reserve(q, now);
  if (boots < 2) return underlying;
  return ends_now && now.verdict == VerdictClass::oom_imminent ? VerdictClass::oom_imminent
                                                               : VerdictClass::reboot_mid_window;
}

void fill_from(const Question& q, const Candidate& c, Verdict& v) {
  const Examined& e = c.chosen();
  v.source = c.series->source;
  v.samples = c.usable;
  v.leak = e.exam.leak;
  v.shape = e.exam.shape;
  if (e.exam.mds_per_min) v.trend_per_min = field_slope(q, e.exam.slope);
  v.minutes_to_oom = horizon(q, c);
  for (const Examined& s : c.stretches) v.stretches.push_back(summary(q, s));
  v.findings.insert(v.findings.end(), e.exam.findings.begin(), e.exam.findings.end());
  v.ruled_out.insert(v.ruled_out.end(), e.exam.ruled_out.begin(), e.exam.ruled_out.end());
  add_calm(q, e, v);
  add_level(q, c.stretches.back(), v);
  add_fragmentation(c.stretches.back(), v);
  for (const Examined& s : c.stretches) append(s.evidence, v);
  add_detectability(e, v);
}

}  // namespace

Verdict judge(const Question& q, const Steps& steps) {
  std::vector<Candidate> candidates;
  for (const Series& s : q.series) {
    Candidate c = examine_series(q, s, steps);
    if (!c.stretches.empty()) candidates.push_back(std::move(c));
  }
  const std::size_t boots = boots_in(q);
  if (candidates.empty()) return judge_lines(q, boots);
  const std::size_t best = most_telling(candidates);
  const Candidate& c = candidates[best];
  Verdict v;
  if (boots > 1) add_boots(q, c, boots, v);
  fill_from(q, c, v);
  add_other_sources(q, candidates, best, v);
  v.underlying = most_urgent(c.stretches);
  v.verdict = headline_of(q, c, boots, v.underlying);
  if (v.verdict == VerdictClass::insufficient_data) v.needs = what_is_needed(&c);
  if (q.measure == Measure::low_water_mark) {
    v.findings.insert(v.findings.begin(),
                      Finding{"a low-water mark only ever falls: alone it shows no leak", 1.0});
    v.needs = "readings of the free memory itself";
  }
  v.leak = v.leak && q.measure == Measure::level;
  for (const Examined& e : c.stretches) v.urgent = v.urgent || e.evidence.exhausted();
  v.urgent = v.urgent || v.underlying == VerdictClass::oom_imminent;
  add_suspects(q, c.chosen(), v);
  fill_figures(q, v);
  return v;
}

}  // namespace leakhunt::analysis
