// Two stretches side by side (windows, boots, firmware versions, before and after a fix): is the leak gone,
// and is the second long enough to tell?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/input.h"
#include "analysis/verdict.h"

namespace leakhunt::analysis {

// A slope as an examination found it: per minute, falling is bad, with its standard error, degrees of freedom
// and detectability.
struct MeasuredSlope {
  double per_min = 0;
  double standard_error = 0;
  double degrees_of_freedom = 3;
  double mds_per_min = 0;
  double minutes = 0;  // length of the stretch
  bool leak = false;   // judged to be one by itself
};

enum class Outcome {
  fixed,        // no loss in the second, and one a quarter of the first's would have been seen
  improved,     // less is lost than before, but not nothing, or it cannot be told yet whether nothing
  no_change,    // what was lost (or nothing) is lost still
  worse,        // more is lost than before
  undecidable,  // the data show neither
};
[[nodiscard]] std::string_view word(Outcome o);

// What one thread does a minute, before and after.
struct ThreadChange {
  std::string thread;
  double events_per_min_before = 0;
  double events_per_min_after = 0;
  double net_per_min_before = 0;  // negative: lost for good
  double net_per_min_after = 0;
};

struct Comparison {
  Outcome outcome = Outcome::undecidable;
  Interval before;  // slopes with 95 % intervals, falling is bad
  Interval after;
  Interval difference_per_min;  // second - first
  double p = 1;                 // Welch's t test, two-sided
  bool passes = false;  // the second's interval holds 0 and its MDS is below a quarter of the first slope
  std::optional<double> minutes_needed;  // of the second stretch, where it is too short to tell
  std::vector<ThreadChange> threads;     // the largest change of net first; only by compare_stretches
  std::string sentence;
};

[[nodiscard]] Comparison compare(const MeasuredSlope& before, const MeasuredSlope& after);

// Examines both by the default rules (each by its own most telling source and main stretch). undecidable,
// with what is missing as the sentence, where one of them has too few readings.
[[nodiscard]] Comparison compare_stretches(const Question& before, const Question& after);

}  // namespace leakhunt::analysis
