// Entry points: a question in, a verdict out. Pure functions of their arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/input.h"
#include "analysis/steps.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis {

inline constexpr double kImminent_min = 40;  // a leak with less time left is OOM-IMMINENT

// The default rules (docs/verdicts.md). Fills everything of Verdict but `state`, the published verdict
// included. `steps`: what a measurement leaves out.
[[nodiscard]] Verdict judge(const Question& question, const Steps& steps = {});

// The published rules to the letter of the interface, over all sources together.
[[nodiscard]] Verdict judge_published(const Question& question);

// One earlier judgement, or the present one.
struct Look {
  VerdictClass verdict = VerdictClass::insufficient_data;
  double at_s = 0;      // UTC seconds of the end it looked up to
  double uptime_s = 0;  // of the boot it looked at, at that time; the least possible where unknown
  VerdictClass underlying = verdict;
  std::string why = {};        // what a look without an alarm saw instead: the shape, the cycle, the load
  double level = absent;       // at rest at its end, falling is bad
  std::int64_t boot_id = 0;    // that it looked at
  std::string undecided = {};  // calm, though the level has moved the bad way beyond its noise: what it did
};

// Adds a look (the newest) and forgets what no longer matters: of those older than the window one per sixth
// of it is kept, for seven days.
void remember(std::vector<Look>& looks, Look look, double window_s);

// How far an alarm has come, and why; no reason where there is none to tell of.
struct Life {
  State state = State::provisional;
  std::string reason;  // "confirmed: ...", a sentence for a person
};

// A row of looks ends at one that saw something else, whether or not that one counts.
// The state after `looks` (oldest first, the present one last) at a window of `window_s` seconds. Looks
// closer than a sixth of the window to the next one that counts are skipped. `window_in_boot`: see
// fills_window. Only looks within that window count; older ones tell what the device did before: a leak is
// not confirmed while the level is no worse than at an earlier alarm from which memory came back by itself.
[[nodiscard]] Life confirm(const std::vector<Look>& looks, double window_s, bool window_in_boot);

// Whether a class calls for attention: fragmentation, leak, OOM.
[[nodiscard]] bool alarms(VerdictClass c);

// Whether readings over `covered_s` seconds of the only boot in a window of `window_s` are as good as a
// window of at least 6 h within that boot: 6 h of it, or nine tenths of a shorter one.
[[nodiscard]] bool fills_window(double covered_s, double window_s);

// Judges with the default rules and replays the two looks before (the end moved back by one and by two sixths
// of the window) to fill `state`.
[[nodiscard]] Verdict judge_with_replay(const Question& question);

// The question as it stood at an earlier end (UTC seconds, exclusive).
[[nodiscard]] Question cut_at(const Question& question, double end_s);

// The look a verdict on this question amounts to.
[[nodiscard]] Look look_of(const Question& question, const Verdict& verdict);

}  // namespace leakhunt::analysis
