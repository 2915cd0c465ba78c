// Sentences with figures.
#include "analysis/findings.h"

#include <algorithm>
#include <cmath>

#include "analysis/horizon.h"
#include "analysis/reboots.h"
#include "analysis/sense.h"
#include "analysis/words.h"

namespace leakhunt::analysis {
namespace {

constexpr double kMore_min = 360;
constexpr double kHardlyLower = 0.9;
constexpr double kWhole = 0.5;  // of what is free, in one block: not in pieces
constexpr std::size_t kFewestBlocks = 8;

// With the slope found, from where the present boot stands; none where that one was watched long enough to
// show such a leak and shows none.
std::optional<Interval> minutes_left(const Question& q, const Candidate& c) {
  const Examined& found = c.chosen();
  const Examined& now = c.now();
  if (&found == &now || !found.exam.leak) return found.minutes_to_oom;
  const bool would_show = now.exam.mds_per_min && *now.exam.mds_per_min < -found.exam.slope.value;
  if (!now.exam.leak && !now.exam.too_short && would_show) return std::nullopt;
  return horizon(q, level_now(now), now.exam.level_error, found.exam.slope);
}

// The level at which earlier boots died, where it is above the reserve: it tells more of this device.
void tell_next_death(const Question& q, const Candidate& c, Verdict& v) {
  double died_at = 0;
  for (std::size_t i = 0; i < v.stretches.size(); ++i) {
    const StretchVerdict& s = v.stretches[i];
    if (!s.leak || !s.died_at_bytes) continue;
    const auto left = as_free(q, field_value(q, *s.died_at_bytes));
    if (left) died_at = std::max(died_at, *left);
  }
  const auto now = as_free(q, level_now(c.now()));
  if (!now || died_at <= q.reserve_bytes || *now <= died_at) return;
  const Interval m = minutes_until(*now, c.now().exam.level_error, died_at, c.chosen().exam.slope);
  v.findings.push_back({"at that slope the " + bytes_text(died_at) +
                            " left at which it died before are reached in about " + span_text(m.value * 60),
                        0.5});
}

std::string words_of(const BlockFall& fall) {
  const std::string free = bytes_text(fall.free_at_end) + " are free";
  if (fall.to >= fall.from) return "no free block above " + bytes_text(fall.to) + " is left though " + free;
  return "the largest free block fell from " + bytes_text(fall.from) + " to " + bytes_text(fall.to) +
         " while " + free + (fall.watermark_holds ? " and the low-water mark holds" : "");
}

void tell_mark(const Examined& now, Verdict& v) {
  const Pieces& pieces = now.pieces;
  if (!pieces.mark_fell_from || now.exam.leak) return;
  v.ruled_out.push_back("leak by the low-water mark (" + bytes_text(*pieces.mark_fell_from) + " to " +
                        bytes_text(*pieces.mark_fell_to) +
                        "): it only ever falls, with the deepest load so far");
}

}  // namespace

void tell_calm(const Question& q, const Examined& e, Verdict& v) {
  if (e.exam.leak || !e.exam.mds_per_min || e.exam.too_short) return;
  const Interval s = field_slope(q, e.exam.slope);
  v.findings.push_back({"the level at rest is " + bytes_text(field_value(q, e.exam.level)) + " (shape " +
                            e.exam.shape + "); beside that it moves by " + rate_text(s.value) +
                            " (95 %: " + rate_text(s.low) + " to " + rate_text(s.high) + ") over " +
                            span_text(e.exam.span_s),
                        0.6});
}

void tell_level(const Question& q, const Examined& e, Verdict& v) {
  const double level = level_now(e);
  v.level_bytes = field_value(q, level);
  v.below_floor = below_floor(q, e);
  if (e.exam.leak) {
    v.findings.push_back({"the level at rest is now " + bytes_text(*v.level_bytes), 0.6});
  }
  if (e.at_zero) {
    v.findings.push_back({"the last readings are 0 bytes free: memory has run out", 1.0});
  } else if (nothing_left(q, e)) {
    v.findings.push_back({"only " + bytes_text(e.last) + " are free: below the " + bytes_text(kSafeFree) +
                              " that the firmware itself holds to be safe",
                          1.0});
  } else if (below_reserve(q, e)) {
    v.findings.push_back({"the level of " + bytes_text(as_free(q, e.last).value_or(0)) +
                              " free is below the reserve (" + reserve_words(q) + ")",
                          0.7});
  }
  if (v.below_floor) {
    v.findings.push_back({"the level of " + bytes_text(as_free(q, level).value_or(0)) +
                              " free is below the least that was asked for, " + bytes_text(*q.floor_bytes) +
                              (e.exam.leak ? "" : ", though nothing leaks"),
                          0.7});
  }
}

void tell_horizon(const Question& q, const Candidate& c, Verdict& v) {
  v.minutes_to_oom = minutes_left(q, c);
  if (v.minutes_to_oom) v.findings.push_back({horizon_sentence(q, *v.minutes_to_oom), 0.7});
  if (c.chosen().exam.leak && used(q) && !q.total_bytes) {
    v.findings.push_back({"no limit of the used memory is known: when it ends cannot be told", 0.2});
  }
  if (v.minutes_to_oom) tell_next_death(q, c, v);
}

void tell_pieces(const Examined& now, Verdict& v) {
  const Pieces& pieces = now.pieces;
  if (pieces.external) {
    v.findings.push_back({"the free memory of " + bytes_text(*pieces.external) +
                              " counts external memory (PSRAM) in: what is left of the internal heap is not "
                              "seen, and thresholds grow with the figure",
                          0.4});
    v.reserve_reason += (v.reserve_reason.empty() ? "" : "; ") +
                        std::string("of the internal heap, which is not seen: it may end earlier");
  }
  if (!pieces.unusable.empty()) v.findings.push_back({pieces.unusable, 0.3});
  if (pieces.fall) {
    v.findings.push_back({words_of(*pieces.fall), 0.9});
  } else if (pieces.largest) {
    const std::string share =
        bytes_text(*pieces.largest) + " of " + bytes_text(*pieces.free_at_end) + " free";
    const bool whole = *pieces.largest >= kWhole * *pieces.free_at_end;
    if (whole && now.exam.blocks.size() >= kFewestBlocks) {
      v.ruled_out.push_back("fragmentation: the largest free block does not fall; it is " + share);
    } else {
      v.findings.push_back({"the largest free block is " + share, 0.1});
    }
  }
  tell_mark(now, v);
}

void tell_evidence(const Candidate& c, Verdict& v) {
  std::size_t failures = 0;
  for (const Examined& e : c.stretches) {
    v.findings.insert(v.findings.end(), e.evidence.findings.begin(), e.evidence.findings.end());
    v.ruled_out.insert(v.ruled_out.end(), e.evidence.ruled_out.begin(), e.evidence.ruled_out.end());
    failures += e.evidence.failures_high;
  }
  if (failures > 0 && c.now().pieces.external) {
    v.findings.push_back(
        {"what was free then counts external memory in: the internal heap may have been at its "
         "end",
         0.4});
  }
}

void tell_detectability(const Examined& e, Verdict& v) {
  v.mds_per_min = e.exam.mds_per_min;
  if (!v.mds_per_min) return;
  // Below the daily cycle no few hours more help: a whole window does.
  const Detectability& d = e.exam.detectability;
  const bool by_day = d.daily_slope >= *v.mds_per_min && d.span_min < d.daily_window_min;
  const double more_min = by_day ? std::max(kMore_min, d.daily_window_min - d.span_min) : kMore_min;
  const double later = minimum_detectable_slope(continued(d, more_min));
  std::string text = "a leak below " + rate_text(*v.mds_per_min) + " cannot be excluded with these data; " +
                     (more_min > kMore_min ? span_text(more_min * 60) : std::string{"6 h"}) + " more would ";
  v.mds_later_per_min = std::min(later, *v.mds_per_min);
  text += later < kHardlyLower * *v.mds_per_min ? "lower it to " + rate_text(later) : "hardly lower it";
  v.findings.push_back({text, 0.2});
}

std::string what_is_needed(const Candidate* c) {
  if (c == nullptr || c->usable == 0) return "at least 5 usable readings; there are none";
  const Examined& e = c->now();
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

}  // namespace leakhunt::analysis
