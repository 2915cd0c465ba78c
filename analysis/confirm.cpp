// The life of an alarm: provisional, confirmed, withdrawn, from the looks that count.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/examine.h"
#include "analysis/judge.h"
#include "analysis/sense.h"
#include "analysis/words.h"

namespace leakhunt::analysis {
namespace {

constexpr std::size_t kLooks = 3;
constexpr double kLongUptime_s = 6 * 3600;
constexpr double kFreshBoot_s = 2 * 3600;

constexpr double kWindowsBack = 1.5;  // how far back looks count
constexpr double kKept_s = 7 * 86400;
constexpr double kLeastChange = 600;  // bytes that matter, of a heap of up to a megabyte
constexpr double kBeyond = 0.25;      // of what came back then: how much worse it must be now

// The newest look first; a look counts if it is at least a sixth of the window before the one that counted
// last.
std::vector<Look> that_count(const std::vector<Look>& looks, double window_s) {
  std::vector<Look> out;
  for (auto look = looks.rbegin(); look != looks.rend(); ++look) {
    if (look->at_s < looks.back().at_s - kWindowsBack * window_s) break;
    // Schedules come a little early now and then: a hundredth is forgiven.
    if (out.empty() || out.back().at_s - look->at_s >= window_s / 6 * 0.99) out.push_back(*look);
  }
  return out;
}

// The same class, or a leak that has come near its end since.
bool goes_on(VerdictClass before, VerdictClass now) {
  return before == now || (before == VerdictClass::slow_leak && now == VerdictClass::oom_imminent);
}

// A restart counts by what its stretches did.
VerdictClass counts_as(const Look& look) {
  return look.verdict == VerdictClass::reboot_mid_window ? look.underlying : look.verdict;
}

bool goes_on(const Look& before, const Look& now) {
  return goes_on(counts_as(before), counts_as(now));
}

// Looks that count since the last one that saw something else, whether or not that one counts.
std::size_t in_a_row(const std::vector<Look>& looks, const std::vector<Look>& counted) {
  const Look& now = looks.back();
  const auto other =
      std::find_if(looks.rbegin(), looks.rend(), [&](const Look& look) { return !goes_on(look, now); });
  std::size_t n = 0;
  while (n < counted.size() && (other == looks.rend() || counted[n].at_s > other->at_s)) ++n;
  return n;
}

// Whether a look within the last sixth of the window saw something else.
bool just_changed(const std::vector<Look>& looks, double window_s) {
  const Look& now = looks.back();
  return std::any_of(looks.begin(), looks.end(), [&](const Look& look) {
    return look.at_s > now.at_s - window_s / 6 * 0.99 && !goes_on(look, now);
  });
}

// The newest look with an alarm since the one that counted before the present one.
const Look* alarm_before(const std::vector<Look>& looks, const std::vector<Look>& counted, double window_s) {
  const double since_s = counted.size() > 1 ? counted[1].at_s : looks.back().at_s - kWindowsBack * window_s;
  for (auto look = looks.rbegin() + 1; look != looks.rend() && look->at_s >= since_s; ++look) {
    if (alarms(look->verdict)) return &*look;
  }
  return nullptr;
}

Life withdrawn(const Look& before, const Look& now) {
  return {State::withdrawn, "withdrawn: " + span_text(now.at_s - before.at_s) + " ago it was " +
                                std::string{text_word(before.verdict)} + "; with what has come since it is " +
                                std::string{text_word(now.verdict)} +
                                (now.why.empty() ? "" : " (" + now.why + ")")};
}

// An earlier alarm at a level no better than the present one, after which memory came back within that boot:
// what falls now may be the same cycle. The newest of them.
const Look* seen_before(const std::vector<Look>& looks) {
  const Look& now = looks.back();
  const double least = kLeastChange * std::max(1.0, std::abs(now.level) / 1e6);
  double best = absent;  // the best level since, within the boot of the look at hand
  std::int64_t boot = now.boot_id;
  for (auto look = looks.rbegin(); look != looks.rend(); ++look) {
    if (!present(look->level)) continue;
    best = present(best) && look->boot_id == boot ? std::max(best, look->level) : look->level;
    boot = look->boot_id;
    const double came_back = best - look->level;
    if (alarms(look->verdict) && came_back >= least && now.level > look->level - kBeyond * came_back) {
      return &*look;
    }
  }
  return nullptr;
}

Life provisional(std::string why) {
  return {State::provisional, "provisional: " + std::move(why)};
}

double end_of(const Question& q) {
  if (present(q.window_end_s)) return q.window_end_s;
  double end = 0;
  for (const Series& s : q.series) {
    for (const Stretch& stretch : s.stretches) {
      if (!stretch.points.empty()) end = std::max(end, stretch.points.back().t_s);
    }
  }
  return end + 1e-6;
}

double start_of(const Question& q) {
  if (present(q.window_start_s)) return q.window_start_s;
  double start = end_of(q);
  for (const Series& s : q.series) {
    for (const Stretch& stretch : s.stretches) {
      if (!stretch.points.empty()) start = std::min(start, stretch.points.front().t_s);
    }
  }
  return start;
}

// The stretch of the last boot that has most readings.
const Stretch* newest(const Question& q) {
  const Stretch* out = nullptr;
  for (const Series& s : q.series) {
    for (const Stretch& stretch : s.stretches) {
      if (stretch.points.empty()) continue;
      const bool later = out == nullptr || stretch.boot_id > out->boot_id;
      const bool fuller =
          out != nullptr && stretch.boot_id == out->boot_id && stretch.points.size() > out->points.size();
      if (later || fuller) out = &stretch;
    }
  }
  return out;
}

// "a plateau", or why the loss was not believed: it comes back, it fades, it follows the load.
std::string why_calm(const Verdict& v) {
  if (v.leak) return {};
  for (const std::string& text : v.ruled_out) {
    if (text.rfind("leak: ", 0) == 0) return text.substr(6);
  }
  return v.shape == "-" ? std::string{} : "shape " + v.shape;
}

// The level moves the bad way by an interval that does not hold 0 and by a sum that matters, and yet another
// cause is not excluded (the day, a cycle, a shape): the data decide nothing.
std::string why_undecided(const Question& q, const Verdict& v) {
  if (v.leak || v.verdict != VerdictClass::steady || !v.trend_per_min) return {};
  const Interval fall = field_slope(q, *v.trend_per_min);
  const double loss = -fall.value * (end_of(q) - start_of(q)) / 60;
  if (fall.high >= 0 || loss < kLeastChange * std::max(1.0, std::abs(v.level_bytes.value_or(0)) / 1e6))
    return {};
  return "the level moves by " + rate_text(v.trend_per_min->value) +
         " (95 %: " + rate_text(v.trend_per_min->low) + " to " + rate_text(v.trend_per_min->high) +
         "): a longer window decides";
}

}  // namespace

bool alarms(VerdictClass c) {
  return urgency(c) >= urgency(VerdictClass::fragmentation_suspect);
}

Life confirm(const std::vector<Look>& looks, double window_s, bool window_in_boot) {
  if (looks.empty() || looks.back().verdict == VerdictClass::insufficient_data) return {};
  const std::vector<Look> counted = that_count(looks, window_s);
  const Look& now = counted.front();
  const bool calm = !alarms(now.verdict) && now.verdict != VerdictClass::reboot_mid_window;
  if (const Look* before = calm ? alarm_before(looks, counted, window_s) : nullptr)
    return withdrawn(*before, now);
  if (now.uptime_s < kFreshBoot_s && counts_as(now) != VerdictClass::oom_imminent) {
    return calm ? Life{} : provisional("nothing is confirmed in the first 2 h of a boot");
  }
  if (const Look* then = now.verdict == VerdictClass::slow_leak ? seen_before(looks) : nullptr) {
    return provisional(span_text(now.at_s - then->at_s) +
                       " before memory was as low, and came back by itself: it may be the same cycle");
  }
  if (!now.undecided.empty()) return provisional(now.undecided);
  const std::size_t row = in_a_row(looks, counted);
  const std::string word{text_word(now.verdict)};
  if (row >= kLooks) {
    return {State::confirmed, "confirmed: " + word + " at " + count_text(row, "look", "looks") +
                                  " in a row that count (" + span_text(window_s / 6) + " apart)"};
  }
  const bool settled = now.uptime_s > kLongUptime_s && window_s >= kLongUptime_s && window_in_boot;
  if (settled && !just_changed(looks, window_s)) {
    return {State::confirmed, "confirmed: up for more than 6 h, and readings of this boot fill the window"};
  }
  return calm ? Life{}
              : provisional(word + " at " + count_text(row, "look", "looks") + " in a row that count (" +
                            span_text(window_s / 6) + " apart), three confirm it");
}

void remember(std::vector<Look>& looks, Look look, double window_s) {
  const double now_s = look.at_s;
  looks.push_back(std::move(look));
  double kept_s = -std::numeric_limits<double>::infinity();
  std::erase_if(looks, [&](const Look& l) {
    if (l.at_s >= now_s - kWindowsBack * window_s) return false;
    if (l.at_s < now_s - kKept_s || l.at_s - kept_s < window_s / 6 * 0.99) return true;
    kept_s = l.at_s;
    return false;
  });
}

bool fills_window(double covered_s, double window_s) {
  return covered_s >= std::min(kLongUptime_s, 0.9 * window_s);
}

Question cut_at(const Question& question, double end_s) {
  Question q = question;
  q.window_end_s = end_s;
  for (Series& s : q.series) {
    for (Stretch& stretch : s.stretches) {
      const auto from = std::find_if(stretch.points.begin(), stretch.points.end(),
                                     [end_s](const Point& p) { return p.t_s >= end_s; });
      stretch.points.erase(from, stretch.points.end());
    }
  }
  std::erase_if(q.lines, [end_s](const EvidenceLine& l) { return l.t_s >= end_s; });
  std::erase_if(q.heap_events, [end_s](const HeapEvent& e) { return e.t_s >= end_s; });
  std::erase_if(q.allocations, [end_s](const SiteAllocation& a) { return a.t_s >= end_s; });
  std::erase_if(q.holdings, [end_s](const Holding& h) { return h.t_s >= end_s; });
  std::erase_if(q.boots, [end_s](const Boot& b) { return present(b.began_s) && b.began_s >= end_s; });
  return q;
}

Look look_of(const Question& question, const Verdict& verdict) {
  Look out{verdict.verdict,   end_of(question), 0, verdict.underlying,
           why_calm(verdict), absent,           0, why_undecided(question, verdict)};
  if (verdict.level_bytes) out.level = field_value(question, *verdict.level_bytes);
  if (const Stretch* s = newest(question)) {
    out.uptime_s = s->points.back().x_s - (question.uptime_known ? 0.0 : s->points.front().x_s);
    out.boot_id = s->boot_id;
  }
  return out;
}

Verdict judge_with_replay(const Question& question) {
  Verdict v = judge(question);
  const double end = end_of(question);
  const double window = end - start_of(question);
  std::vector<Look> looks;
  for (const int sixths : {2, 1}) {
    if (window < kShortSpan_s) break;  // of so short a record an earlier end would tell nothing new
    const Question earlier = cut_at(question, end - window * sixths / 6);
    looks.push_back(look_of(earlier, judge(earlier)));
  }
  looks.push_back(look_of(question, v));
  const Stretch* now = newest(question);
  const double covered = now == nullptr ? 0 : now->points.back().x_s - now->points.front().x_s;
  Life life = confirm(looks, window, v.stretches.size() <= 1 && fills_window(covered, window));
  v.state = life.state;
  if (!life.reason.empty()) v.findings.push_back({std::move(life.reason), 0.1});
  return v;
}

}  // namespace leakhunt::analysis
