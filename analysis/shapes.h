// What kind of curve a level follows: chosen by Schwarz's criterion (1978) among shapes that are leaks and
// shapes that are not.
#pragma once

#include <array>
#include <string_view>

#include "analysis/numbers.h"

namespace leakhunt::analysis {

enum class Shape { constant, ramp, step, two_steps, warm_up, slowing, plateau, onset };

struct ShapeFit {
  Shape shape = Shape::constant;
  bool with_ramp = false;  // a straight line beside it
  double rss = 0;
  int parameters = 1;
  double parameter = 0;  // place of the change or time constant, as a fraction of the window
  Values regressor;      // empty for constant and ramp; the levels themselves for two steps
  double coefficient = 0;
  [[nodiscard]] std::string_view name() const;
};

// The simplest of the shapes whose criterion is within 4 of the best. `floor`: noise that any level has.
// x rising, at least 8 values.
[[nodiscard]] ShapeFit best_shape(const Values& x, const Values& y, double floor);
// The straight line alone.
[[nodiscard]] ShapeFit ramp_shape(const Values& x, const Values& y);

}  // namespace leakhunt::analysis
