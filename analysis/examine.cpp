// Envelope, cycles, dips and covariates, in that order, then shape and effect; each step leaves a sentence.
#include "analysis/examine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/covariates.h"
#include "analysis/examiner.h"
#include "analysis/words.h"
#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

constexpr double kTwoDays_s = 47 * 3600;  // but for the ends; less of a daily cycle can make a line of steps

double unit_of(double level, Sense sense) {
  return std::max(1.0, std::abs(level) / (sense == Sense::used_rises_is_bad ? 3e5 : 1e6));
}

}  // namespace

void Examiner::take_blocks() {
  out_.blocks = blocks(*used_, steps_);
  x_ = times(out_.blocks);
  y_ = levels(out_.blocks);
}

void Examiner::take_out_nodes() {
  if (!steps_.nodes || track_.nodes.empty() || out_.blocks.size() < 8) return;
  Values nodes;
  for (const Block& b : out_.blocks) nodes.push_back(b.nodes);
  const auto [cost, inflation] = node_cost(x_, y_, nodes);
  if (cost <= 0) return;
  inflation_ = inflation;
  corrected_ = track_;
  for (std::size_t i = 0; i < corrected_.v.size(); ++i)
    corrected_.v[i] += cost * (track_.nodes[i] - nodes.front());
  used_ = &corrected_;
  take_blocks();
  out_.findings.push_back({"the node database grew from " + number_text(nodes.front()) + " to " +
                               number_text(nodes.back()) + " nodes and explains " + bytes_text(cost) +
                               " for each",
                           0.4});
}

void Examiner::take_envelope() {
  if (!steps_.cycles || track_.x.size() < 24) return;
  cycles_ = find_cycles(*used_, least_loss());
  if (!cycles_) return;
  envelope_ = Envelope::few_cycles;
  if (cycles_->tops.size() < 12 || !cycles_->sawtooth) return;
  envelope_ = Envelope::cycles;
  x_.clear();
  y_.clear();
  for (const Top& top : thin_tops(cycles_->tops)) {
    x_.push_back(top.x);
    y_.push_back(top.level);
  }
  out_.findings.push_back({"memory comes back in cycles (" +
                               count_text(cycles_->tops.size(), "recovery", "recoveries") +
                               "): the levels after them are judged",
                           0.3});
}

bool Examiner::falling_recoveries() {
  if (envelope_ != Envelope::few_cycles || cycles_->tops.size() < 3 || !cycles_->sawtooth) return false;
  const std::vector<Top>& tops = cycles_->tops;
  const double floor = cycles_->sampling_step;
  const TopSlope slope = slope_of_tops(tops, floor);
  const double b = slope.per_min.value;
  const double drop = -b * (tops.back().x - tops.front().x) / 60;
  if (slope.p >= kAlpha || b >= -kLeastSlope * out_.unit || drop <= std::max(least_loss(), 4 * floor))
    return false;
  if (!keeps_falling(tops, floor, b)) return false;
  out_.shape = "falling recoveries";
  out_.slope = slope.per_min;
  out_.p_fall = slope.p;
  out_.leak = true;
  out_.findings.push_back(
      {"memory comes back in cycles, but each time to a worse level: " + rate_text(std::abs(b)) + " over " +
           count_text(tops.size(), "recovery", "recoveries"),
       0.8});
  Values x;
  Values y;
  for (const Top& top : tops) {
    x.push_back(top.x);
    y.push_back(top.level);
  }
  check_load();
  finish(x, y, 1.0, nullptr);
  return true;
}

void Examiner::take_out_dips() {
  if (!steps_.dips || envelope_ == Envelope::cycles || x_.size() < 16) return;
  const std::vector<std::size_t> kept = at_rest(y_, std::max(4 * noise_floor(), 3 * mad(differences(y_))));
  if (kept.size() == x_.size() || kept.size() < 12 || 3 * kept.size() < 2 * x_.size()) return;
  Values x;
  Values y;
  for (const std::size_t i : kept) {
    x.push_back(x_[i]);
    y.push_back(y_[i]);
  }
  x_ = std::move(x);
  y_ = std::move(y);
  kept_ = kept;
}

void Examiner::take_out_day() {
  if (!steps_.day || envelope_ == Envelope::cycles || x_.size() < 16) return;
  if (out_.span_s >= kTwoDays_s && envelope_ == Envelope::blocks) {
    if (auto flat = without_daily_cycle(x_, y_)) {
      y_ = std::move(*flat);
      out_.findings.push_back({"a daily cycle is taken out", 0.3});
      return;
    }
  }
  if (x_.size() < 24) return;
  auto cycle = without_cycle(x_, y_);
  // Waves can imitate one change; a cycle explains more than any shape does.
  if (cycle && cycle->rss < 0.5 * best_shape(x_, y_, noise_floor()).rss) {
    y_ = std::move(cycle->y);
    out_.findings.push_back({"a cycle of " + span_text(cycle->period_s) + " is taken out", 0.3});
  }
}

void Examiner::count_in_packets() {
  if (envelope_ != Envelope::blocks || x_.size() < 12 || track_.packets.empty()) return;
  Values packets;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    packets.push_back(out_.blocks[kept_.empty() ? i : kept_[i]].packets_last);
  }
  if (auto clock = packet_clock(x_, y_, packets)) {
    x_ = std::move(clock->x);
    out_.findings.push_back({"the level follows the received packets better than time: " +
                                 bytes_text(clock->bytes_per_packet) + " each",
                             0.4});
  }
}

Examination Examiner::run() {
  out_.samples = track_.x.size();
  used_ = &track_;
  if (out_.samples < 5 || track_.x.back() <= track_.x.front()) {
    out_.too_short = true;
    if (out_.samples > 0) out_.level = median(track_.v);
    return std::move(out_);
  }
  out_.span_s = track_.x.back() - track_.x.front();
  take_blocks();
  out_.unit = unit_of(median(y_), sense_);
  take_out_nodes();
  take_envelope();
  ask_for_day();
  if (falling_recoveries()) return std::move(out_);
  take_out_dips();
  take_out_day();
  if (x_.size() < 8) {
    judge_few();
    return std::move(out_);
  }
  count_in_packets();
  const ShapeFit fit = steps_.shapes ? best_shape(x_, y_, noise_floor()) : ramp_shape(x_, y_);
  judge_shape(fit);
  look_at_end(fit);
  tell_rise();
  if (out_.span_s < kShortSpan_s && !out_.leak) out_.too_short = true;
  return std::move(out_);
}

Examination examine(const Track& track, Sense sense, const Steps& steps) {
  Examination out = Examiner(track, sense, steps).run();
  for (Block& b : out.blocks) {
    for (double* x : {&b.x, &b.begin_x, &b.end_x}) *x += track.first_x_s;
  }
  return out;
}

}  // namespace leakhunt::analysis
