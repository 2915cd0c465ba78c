// The examination in the making. Private to examine.cpp, which takes the level apart, and effect.cpp, which
// judges what is left.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/cycles.h"
#include "analysis/examine.h"
#include "analysis/shapes.h"
#include "analysis/trend.h"

namespace leakhunt::analysis {

class Examiner {
 public:
  Examiner(const Track& track, Sense sense, const Steps& steps)
      : track_(track), sense_(sense), steps_(steps) {}
  Examination run();

 private:
  enum class Envelope { blocks, cycles, few_cycles };

  void take_blocks();
  void take_out_nodes();
  void take_envelope();
  bool falling_recoveries();
  void take_out_dips();
  void take_out_day();
  void count_in_packets();
  void judge_few();
  void judge_shape(const ShapeFit& fit);
  void judge_ramp(const ShapeFit& fit, Values x, Values y, bool composite);
  void withdraw(const std::string& why);
  void check_fading(const Values& x, const Values& y);
  void check_end(const Values& x, const Values& y, const Trend& whole);
  void check_late(const Values& x, double drop);
  void check_return(const Values& x, double drop);
  void check_load();
  void ask_for_day();
  void tell_rise();
  void look_at_end(const ShapeFit& fit);
  void check_short(double drop, double noise);
  void finish(const Values& x, const Values& y, double correction, const ShapeFit* fit);

  [[nodiscard]] double noise_floor() const { return std::max(8 * out_.unit, 0.29 * track_.quantum); }
  [[nodiscard]] Trend trend_of(const Values& x, const Values& y) const {
    return trend(x, y, noise_floor() / 2, steps_.autocorrelation);
  }
  [[nodiscard]] std::string toward_bad() const {
    return sense_ == Sense::used_rises_is_bad ? "rises" : "falls";
  }
  // A loss of one or two steps of a coarse counter is none.
  [[nodiscard]] double least_loss() const { return std::max(kLeastLoss * out_.unit, 2 * track_.quantum); }

  const Track& track_;
  Sense sense_;
  Steps steps_;
  Track corrected_;              // without what the nodes explain
  const Track* used_ = nullptr;  // the one of the two that is judged
  Examination out_;
  Envelope envelope_ = Envelope::blocks;
  std::optional<Cycles> cycles_;
  Values x_;
  Values y_;
  std::vector<std::size_t> kept_;  // which blocks x_ and y_ are; empty: all
  double inflation_ = 1;           // of the slope's error, by what the nodes might explain as well
  bool daily_unknown_ = false;     // nothing denies that a slow fall is the daily cycle
};

}  // namespace leakhunt::analysis
