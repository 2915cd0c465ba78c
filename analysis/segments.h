// Rows as recorded, without boots or a steady clock, made into stretches: uptime is the clock where there is
// one, steps of the host's clock vanish, restarts are cut.
#pragma once

#include <vector>

#include "analysis/input.h"
#include "analysis/steps.h"

namespace leakhunt::analysis {

// One recorded row. uptime_s is `absent` where the record has none.
struct Row {
  double t_s = 0;
  double uptime_s = absent;
  Point point;  // x_s and t_s are not read
};

struct Stretches {
  std::vector<Stretch> stretches;
  bool uptime_known = false;
};

// Cuts rows (in the order they were recorded) into stretches. With uptime in every row: where it falls by
// more than 5 s (not at its wrap at 4294967 s). Without: at boot lines, and at a lost connection after which
// the level is clearly better.
[[nodiscard]] Stretches split(const std::vector<Row>& rows, const std::vector<EvidenceLine>& lines,
                              Sense sense, const Steps& steps = {});

}  // namespace leakhunt::analysis
