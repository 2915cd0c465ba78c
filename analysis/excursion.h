// An experiment between two marks: how far a level went and whether it came back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/input.h"

namespace leakhunt::analysis {

struct Excursion {
  double level_before = 0;   // median of the readings before the start
  double noise_before = 0;   // their spread (1.4826 MAD)
  double lowest_within = 0;  // worst reading from the start to the end mark (and until it came back)
  double depth = 0;          // level_before - lowest_within, positive for a dip in `free`
  double level_after = 0;    // median of the last readings after the end mark
  double left_over = 0;      // level_before - level_after, positive: memory not back
  bool recovered = false;
  std::optional<double> minutes_to_baseline;  // from the end mark
  std::optional<int> cycles_to_baseline;      // the same in reporting cycles, at least 1
  int cycles_seen = 0;                        // cycles of data after the end mark
  std::string sentence;
};

// `points` of one source by rising t_s, from some time before the start mark to the last reading; nothing
// where fewer than 3 readings stand before the start or none after it. `cycle_s`: the reporting cycle of that
// source.
[[nodiscard]] std::optional<Excursion> excursion(const std::vector<Point>& points, double start_s,
                                                 double end_s, double cycle_s, Sense sense,
                                                 const std::string& field_name);

}  // namespace leakhunt::analysis
