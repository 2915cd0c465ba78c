// The default rules: each boot's stretch of each source is examined, the source that sees most is believed,
// log evidence is weighed, and the first class that applies is the verdict.
#include "analysis/judge.h"

#include <limits>

#include "analysis/findings.h"
#include "analysis/horizon.h"
#include "analysis/published.h"
#include "analysis/reboots.h"
#include "analysis/sense.h"
#include "analysis/suspects.h"
#include "analysis/watching.h"

namespace leakhunt::analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void fill_figures(const Question& q, Verdict& v) {
  const SlopeSummary slopes = summarise(q.series);
  v.slope_per_min = slopes.slope_per_min;
  v.slope_per_min_raw = slopes.slope_per_min_raw;
  v.minutes_to_zero = slopes.minutes_to_zero;
  v.published = judge_published(q, slopes).published;
}

void add(std::vector<Finding> findings, Verdict& v) {
  for (Finding& f : findings) v.findings.push_back(std::move(f));
}

Verdict begin(const Question& q) {
  Verdict v;
  v.reserve_bytes = q.reserve_bytes;
  v.reserve_reason = q.reserve_reason;
  return v;
}

// Nothing to examine: the lines alone.
Verdict judge_lines(const Question& q, std::size_t boots) {
  Verdict v = begin(q);
  const Evidence evidence = weigh(q, -kInfinity, kInfinity);
  v.findings = restarts(q, {}, boots);
  add(evidence.findings, v);
  v.ruled_out = evidence.ruled_out;
  if (evidence.exhausted() || evidence.failures_unknown > 0) v.verdict = VerdictClass::oom_imminent;
  v.underlying = v.verdict;
  if (boots > 1) v.verdict = VerdictClass::reboot_mid_window;
  v.needs = what_is_needed(nullptr);
  v.urgent = evidence.out_of_memory > 0;
  fill_figures(q, v);
  return v;
}

// A restart is told as such, unless memory ends now: an allocation failed in the leaking present boot, or
// less than the reserve is left.
VerdictClass headline_of(const Question& q, const Candidate& c, std::size_t boots, VerdictClass underlying) {
  const Examined& now = c.now();
  const bool ends_now = (now.evidence.exhausted() && now.exam.leak) || below_reserve(q, now);
  if (boots < 2) return underlying;
  return ends_now && now.verdict == VerdictClass::oom_imminent ? VerdictClass::oom_imminent
                                                               : VerdictClass::reboot_mid_window;
}

// In the order of the reasoning: what the window holds, what the level does, what is left and how long, what
// speaks for other causes, who did it, what could not be seen.
void tell(const Question& q, const Sources& sources, std::size_t boots, Verdict& v) {
  const Candidate& c = sources.chosen();
  const Examined& e = c.chosen();
  if (q.measure == Measure::low_water_mark) {
    v.findings.push_back({"a low-water mark only ever falls: alone it shows no leak", 1.0});
  }
  add(restarts(q, v.stretches, boots), v);
  if (auto falls = short_falls(q, c)) v.findings.push_back(*std::move(falls));
  v.findings.insert(v.findings.end(), e.exam.findings.begin(), e.exam.findings.end());
  v.ruled_out.insert(v.ruled_out.end(), e.exam.ruled_out.begin(), e.exam.ruled_out.end());
  tell_calm(q, e, v);
  tell_level(q, c.now(), v);
  tell_horizon(q, c, v);
  tell_pieces(c.now(), v);
  tell_evidence(c, v);
  name_suspects(q, e, v);
  tell_watching(q, e, v);
  tell_detectability(e, v);
  add(contradictions(q, sources), v);
}

}  // namespace

Verdict judge(const Question& q, const Steps& steps) {
  const auto sources = examine_sources(q, steps);
  const std::size_t boots = boots_in(q);
  if (!sources) return judge_lines(q, boots);
  const Candidate& c = sources->chosen();
  Verdict v = begin(q);
  v.source = c.series->source;
  v.samples = c.usable;
  v.leak = c.chosen().exam.leak && q.measure == Measure::level;
  v.shape = c.chosen().exam.shape;
  if (c.chosen().exam.mds_per_min) v.trend_per_min = field_slope(q, c.chosen().exam.slope);
  v.stretches = stretch_verdicts(q, *sources);
  v.underlying = most_urgent(v.stretches);
  v.verdict = headline_of(q, c, boots, v.underlying);
  tell(q, *sources, boots, v);
  if (v.verdict == VerdictClass::insufficient_data) v.needs = what_is_needed(&c);
  if (q.measure == Measure::low_water_mark) v.needs = "readings of the free memory itself";
  for (const Examined& e : c.stretches) v.urgent = v.urgent || e.evidence.exhausted();
  v.urgent = v.urgent || v.underlying == VerdictClass::oom_imminent;
  fill_figures(q, v);
  return v;
}

}  // namespace leakhunt::analysis
