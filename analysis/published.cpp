// The published rules to the letter (docs/verdicts.md): plain least squares over all samples, first rule that
// applies.
#include "analysis/published.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analysis/attribution.h"
#include "analysis/evidence.h"
#include "analysis/judge.h"
#include "analysis/slope.h"
#include "analysis/words.h"

namespace leakhunt::analysis {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Whether `text` holds `part` (given in lower case), any case.
bool holds(const std::string& text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return lower(a) == b; }) != text.end();
}

struct Lines {
  bool oom = false;       // "Alloc an err=" or "out of memory"
  std::string first_oom;  // the first such line
  bool alloc_without_equals = false;
  bool any_alarm = false;  // "Alloc an err", "out of memory", "panic", "abort"
};

Lines scan(const std::vector<EvidenceLine>& lines) {
  Lines out;
  for (const EvidenceLine& line : lines) {
    const bool alloc = holds(line.text, "alloc an err");
    const bool oom = is_published_oom(line);
    if (oom && !out.oom) out.first_oom = line.text;
    out.oom = out.oom || oom;
    out.alloc_without_equals = out.alloc_without_equals || alloc;
    out.any_alarm = out.any_alarm || alloc || oom || holds(line.text, "panic") || holds(line.text, "abort");
  }
  return out;
}

// A lost connection whose next sample lies above the last one before it.
bool rebooted(const std::vector<TimelinePoint>& points, const std::vector<EvidenceLine>& lines) {
  for (const EvidenceLine& line : lines) {
    if (line.kind != LineKind::connection_lost) continue;
    const auto after = std::upper_bound(points.begin(), points.end(), line.t_s,
                                        [](double t, const TimelinePoint& p) { return t < p.t_s; });
    if (after == points.begin() || after == points.end()) continue;
    if (after->value > (after - 1)->value) return true;
  }
  return false;
}

double lowest(const std::vector<TimelinePoint>& points, std::size_t from, std::size_t to) {
  double low = points[from].value;
  for (std::size_t i = from; i < to; ++i) low = std::min(low, points[i].value);
  return low;
}

// Whether the lowest of the last tenth lies below the lowest of the first tenth.
bool minima_fall(const std::vector<TimelinePoint>& points) {
  if (points.empty()) return false;
  const std::size_t tenth = std::max<std::size_t>(1, points.size() / 10);
  return lowest(points, points.size() - tenth, points.size()) < lowest(points, 0, tenth);
}

PublishedVerdict apply(const SlopeSummary& f, const Lines& lines, bool reboot, bool minima_fall) {
  const double slope = f.slope_per_min_raw;
  if (f.samples < 5) return {VerdictClass::insufficient_data, 1, "fewer than 5 samples"};
  if (reboot)
    return {VerdictClass::reboot_mid_window, 2,
            "the first sample after a lost connection lies above the last before it"};
  if (lines.oom) return {VerdictClass::oom_imminent, 3, "any \"Alloc an err=\" or \"out of memory\" line"};
  if (slope < -50 && f.max - f.min > 1000) {
    return {VerdictClass::slow_leak, 4, "slope below -50 B/min and a range above 1,000 B"};
  }
  const bool flat = std::abs(slope) < 50;
  if (flat && minima_fall && lines.alloc_without_equals) {
    return {VerdictClass::fragmentation_suspect, 5, "flat, falling minima and an \"Alloc an err\" line"};
  }
  if (flat && !lines.any_alarm) return {VerdictClass::steady, 6, "slope within 50 B/min and no alarm line"};
  if (slope > 0) return {VerdictClass::recovery_curve, 7, "slope above 0"};
  return {
      VerdictClass::steady, 0,
      "no published rule applies (slope " + rate_text(slope) + ", range " + bytes_text(f.max - f.min) + ")"};
}

}  // namespace

bool is_published_oom(const EvidenceLine& line) {
  return holds(line.text, "alloc an err=") || holds(line.text, "out of memory");
}

Verdict judge_published(const Question& question, const SlopeSummary& slopes) {
  const std::vector<TimelinePoint> points = merge(question.series);
  const Lines lines = scan(question.lines);
  Verdict v;
  v.rules = Rules::published;
  const bool fall = minima_fall(points);
  v.published = apply(slopes, lines, rebooted(points, question.lines), fall);
  v.verdict = v.published.verdict;
  v.underlying = apply(slopes, lines, false, fall).verdict;
  v.samples = slopes.samples;
  v.slope_per_min = slopes.slope_per_min;
  v.slope_per_min_raw = slopes.slope_per_min_raw;
  v.urgent = lines.oom;
  v.leak = v.verdict == VerdictClass::slow_leak || v.verdict == VerdictClass::oom_imminent;
  if (v.verdict == VerdictClass::slow_leak) v.minutes_to_zero = slopes.min / -slopes.slope_per_min_raw;
  if (v.verdict == VerdictClass::slow_leak || v.urgent) v.suspects = published_suspects(question.heap_events);
  v.primary_suspect = !v.suspects.empty() && v.suspects.front().share >= 0.5;
  for (const Suspect& s : v.suspects) v.attributed_bytes -= std::min(0.0, s.net_bytes);
  if (lines.oom && v.verdict != VerdictClass::oom_imminent) {
    v.findings.push_back({"act now: a line tells that memory ran out: " + quoted(lines.first_oom), 1.0});
  }
  v.findings.push_back({v.published.reason, 1.0});
  if (v.verdict == VerdictClass::insufficient_data) v.needs = "at least 5 samples";
  return v;
}

Verdict judge_published(const Question& question) {
  return judge_published(question, summarise(question.series));
}

}  // namespace leakhunt::analysis
