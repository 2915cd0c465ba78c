// Whether what the shape leaves is a loss: enough of it, one that goes on, and nothing that explains it.
#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/covariates.h"
#include "analysis/detectability.h"
#include "analysis/examiner.h"
#include "analysis/words.h"
#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

constexpr double kBeyondBefore = 2.5;  // times what the level had moved before
constexpr double kGoesOn = 0.35;       // of the average loss is still a loss
constexpr double kLate = 0.72;         // of the window: a loss that begins later has little to show

double residual_spread(const Values& x, const Values& y, double per_min) {
  Values rest = y;
  for (std::size_t i = 0; i < x.size(); ++i) rest[i] -= per_min / 60 * x[i];
  return mad(rest);
}

// "as a ramp", "as an onset", "as two steps"; a level that keeps no shape falls "here and there".
std::string as_shape(const std::string& shape) {
  if (shape == "constant") return "here and there";
  if (shape.rfind("two ", 0) == 0) return "as " + shape;
  return (shape.find_first_of("aeiou") == 0 ? "as an " : "as a ") + shape;
}

// The fall from the first eighth of the levels to the last.
double net_fall(const Values& y) {
  const auto k = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, y.size() / 8));
  return median(Values(y.begin(), y.begin() + k)) - median(Values(y.end() - k, y.end()));
}

}  // namespace

void Examiner::withdraw(const std::string& why) {
  out_.leak = false;
  out_.slope.value = 0;
  out_.ruled_out.push_back("leak: " + why);
}

// Fewer than 8 levels: exact Mann-Kendall.
void Examiner::judge_few() {
  const Trend t = trend_of(x_, y_);
  const double drop = -t.per_min * (x_.back() - x_.front()) / 60;
  const double noise = residual_spread(x_, y_, t.per_min);
  const double least = std::max(1000 * out_.unit, least_loss());
  out_.shape = t.p_fall < 0.01 ? "ramp" : "constant";
  out_.slope = {t.per_min, t.low, t.high};
  out_.p_fall = t.p_fall;
  const bool matters = drop > std::max(least, 4 * noise);
  out_.leak = t.p_fall < 0.01 && t.per_min < -kLeastSlope * out_.unit && (matters || !steps_.effect);
  out_.rise = t.p_rise < 0.01 && -drop > least;
  check_short(drop, noise);
  finish(x_, y_, t.correction, nullptr);
}

// The part of the curve in which a leak would show, with the rest of the shape taken out.
void Examiner::judge_shape(const ShapeFit& fit) {
  out_.shape = std::string(fit.name());
  const bool tail = fit.shape == Shape::onset || (fit.shape == Shape::plateau && fit.with_ramp);
  const bool stripped = (fit.shape == Shape::step || fit.shape == Shape::warm_up) && fit.with_ramp;
  if (stripped) {
    Values y = y_;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] -= fit.coefficient * fit.regressor[i];
    return judge_ramp(fit, x_, std::move(y), true);
  }
  if (tail) {
    const double t0 = x_.front() + fit.parameter * (x_.back() - x_.front());
    Values x;
    Values y;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (x_[i] < t0 - 1e-9 * std::abs(t0)) continue;
      x.push_back(x_[i]);
      y.push_back(y_[i]);
    }
    const Examination so_far = out_;
    judge_ramp(fit, std::move(x), std::move(y), fit.with_ramp);
    if (out_.leak || !fit.with_ramp) return;
    // Two falling parts of which the second alone proves nothing may be one line.
    const Examination alone = std::exchange(out_, so_far);
    judge_ramp(fit, x_, y_, false);
    if (!out_.leak) out_ = alone;
    return;
  }
  if (fit.shape == Shape::ramp) return judge_ramp(fit, x_, y_, false);
  const Trend t = trend_of(x_, y_);
  out_.slope = {0, t.low, t.high};
  out_.p_fall = t.p_fall;
  out_.rise = t.p_rise < kAlpha && -net_fall(y_) > std::max(1000 * out_.unit, least_loss());
  if (net_fall(y_) > least_loss()) {
    out_.ruled_out.push_back("leak: the level " + toward_bad() + " by " + bytes_text(net_fall(y_)) +
                             " in all, but " + as_shape(out_.shape) + ", not as a line that goes on");
  }
  finish(x_, y_, t.correction, &fit);
}

void Examiner::judge_ramp(const ShapeFit& fit, Values x, Values y, bool composite) {
  const double net = net_fall(y_);
  if (x.size() < 5) {
    out_.ruled_out.push_back("leak: the part that " + toward_bad() + " is too short to judge");
    return finish(x_, y_, 1.0, &fit);
  }
  const Trend t = trend_of(x, y);
  const double drop = -t.per_min * (x.back() - x.front()) / 60;
  const double noise = residual_spread(x, y, t.per_min);
  const double alpha = (x.size() >= 8 ? kAlpha : 0.01) * (composite ? 0.2 : 1.0);
  const double share = fit.shape == Shape::warm_up ? 0.33 : 0.2;
  out_.slope = {t.per_min, t.per_min - inflation_ * (t.per_min - t.low),
                t.per_min + inflation_ * (t.high - t.per_min)};
  out_.p_fall = t.p_fall;
  const bool matters = drop > std::max(least_loss(), (composite ? 6 : 3) * noise) && net > 0.5 * drop &&
                       (!composite || drop > share * net);
  out_.leak = t.p_fall < alpha && t.per_min < -kLeastSlope * out_.unit && (matters || !steps_.effect);
  out_.rise = t.p_rise < alpha && -net > std::max({1000 * out_.unit, least_loss(), 3 * noise});
  if (out_.leak) {
    out_.findings.push_back(
        {"the level at rest " + toward_bad() + " by " + rate_text(std::abs(t.per_min)) + " (95 %: " +
             rate_text(std::abs(out_.slope.high)) + " to " + rate_text(std::abs(out_.slope.low)) + ") over " +
             span_text(x.back() - x.front()) + ", " + bytes_text(drop) + " in all against a noise of " +
             bytes_text(noise) + " (p " + (t.p_fall < 0.0001 ? "< 0.0001" : "= " + number_text(t.p_fall, 4)) +
             ", shape " + out_.shape + ")",
         0.9});
    if (!composite) check_fading(x, y);
    if (out_.leak && !composite) check_end(x, y, t);
    if (out_.leak) check_late(x, drop);
    if (out_.leak) check_return(x, drop);
    if (out_.leak) check_load();
  } else {
    if (t.p_fall < alpha && t.per_min < 0) {
      out_.ruled_out.push_back("leak: the loss of " + bytes_text(drop) +
                               " is too small against noise, other changes or the whole");
    }
    out_.slope.value = 0;
  }
  check_short(drop, noise);
  finish(x_, y_, t.correction, &fit);
}

// A fall that fades is settling, not leaking; stricter right after a boot.
void Examiner::check_fading(const Values& x, const Values& y) {
  const auto h = static_cast<std::ptrdiff_t>(x.size() / 2);
  if (h < 5 || !steps_.fading) return;
  const bool fresh = present(track_.uptime_s) && track_.uptime_s < 900;
  const double first = trend_of(Values(x.begin(), x.begin() + h), Values(y.begin(), y.begin() + h)).per_min;
  const double second = trend_of(Values(x.begin() + h, x.end()), Values(y.begin() + h, y.end())).per_min;
  if (first < 0 && second > (fresh ? 0.6 : 0.3) * first) {
    withdraw("the change fades (" + rate_text(std::abs(first)) + ", then " +
             rate_text(std::max(0.0, -second)) + "): settling");
  }
}

// A loss that has stopped by the last quarter is over: its own slope there is little and does not fit to the
// whole.
void Examiner::check_end(const Values& x, const Values& y, const Trend& whole) {
  const auto from = static_cast<std::ptrdiff_t>(x.size() - x.size() / 4);
  if (x.size() / 4 < 6 || !steps_.ends) return;
  const Trend end = trend_of(Values(x.begin() + from, x.end()), Values(y.begin() + from, y.end()));
  const double least = student_quantile(0.02, end.df) * end.standard_error;
  if (end.per_min > 0.3 * whole.per_min && end.per_min - whole.per_min > least) {
    withdraw("the change has come to its end (" + rate_text(std::abs(whole.per_min)) + " over all, " +
             rate_text(std::max(0.0, -end.per_min)) + " in the last quarter)");
  }
}

// What begins in the last quarter must be more than the level had moved before.
void Examiner::check_late(const Values& x, double drop) {
  if (x.front() <= x_.front() + kLate * (x_.back() - x_.front())) return;
  Values before;
  for (const Block& b : out_.blocks) {
    if (b.x < x.front()) before.push_back(b.level);
  }
  const double moved = quantile(before, 0.95) - quantile(before, 0.05);
  if (drop <= kBeyondBefore * moved) {
    withdraw("what is lost since " + span_text(x.back() - x.front()) +
             " is no more than the level had moved before (" + bytes_text(moved) + ")");
  }
}

void Examiner::check_return(const Values& x, double drop) {
  if (envelope_ != Envelope::few_cycles || cycles_->largest_recovery <= 0.4 * drop) return;
  std::vector<Top> inside;
  for (const Top& top : cycles_->tops) {
    if (top.x >= x.front() - out_.span_s / static_cast<double>(x.size())) inside.push_back(top);
  }
  const bool returns =
      inside.size() < 2 || inside.front().level - inside.back().level <
                               -0.5 * out_.slope.value * (inside.back().x - inside.front().x) / 60;
  if (returns) withdraw("memory comes back to its earlier level: a cycle");
}

// A fall that mirrors the packet rate is load; one that a daily cycle could make is claimed in a short window
// only if the packet rate denies it.
void Examiner::check_load() {
  if (!steps_.load) return;
  const Load seen = load(out_.blocks);
  if (seen.explains_fall) {
    withdraw("the level follows the packet rate (r = " + number_text(*seen.correlation, 2) + "): load");
    return;
  }
  if (out_.span_s < kDailyWindow_s && -out_.slope.value < kDailySlope * out_.unit && daily_unknown_) {
    withdraw("a change as slow as " + rate_text(std::abs(out_.slope.value)) +
             " may be the daily cycle: it takes a window of 36 h to tell");
  }
}

// A slow fall in a short window may be the daily cycle unless the packet rate denies it: that limits what a
// window without a leak excludes as well.
void Examiner::ask_for_day() {
  const Load seen = load(out_.blocks);
  daily_unknown_ = steps_.load && (!seen.correlation || *seen.correlation < -0.4);
}

void Examiner::check_short(double drop, double noise) {
  if (out_.span_s >= kShortSpan_s) return;
  const bool plain = out_.leak && out_.p_fall < 0.01 && drop > std::max(1500 * out_.unit, 8 * noise);
  if (plain) return;
  out_.leak = false;
  out_.rise = false;
  out_.too_short = true;
  out_.slope.value = 0;
}

// A device that has run for longer than the window does not warm up in it. What falls ever slower there is
// still a loss if the last third, looked at for itself, goes on as a line.
void Examiner::look_at_end(const ShapeFit& fit) {
  if (!steps_.ends) return;
  const bool settled = present(track_.uptime_s) && track_.uptime_s > out_.span_s;
  const bool slows = !fit.with_ramp && (fit.shape == Shape::warm_up || fit.shape == Shape::slowing);
  if (!settled || !slows || out_.leak) return;
  const Examination end = examine(last_part(*used_, track_.x.back() - out_.span_s / 3), sense_, steps_);
  const double average = -net_fall(y_) / (out_.span_s / 60);
  const bool goes_on = end.leak && end.slope.value < kGoesOn * average;
  if (!goes_on) return;
  out_.leak = true;
  out_.ruled_out.clear();
  out_.slope = end.slope;
  out_.p_fall = end.p_fall;
  out_.mds_per_min = end.mds_per_min;
  out_.level = end.level;
  out_.level_error = end.level_error;
  out_.findings.insert(out_.findings.end(), end.findings.begin(), end.findings.end());
  out_.findings.push_back(
      {"the loss was faster before, but the device has run for longer than these data and still loses", 0.6});
}

void Examiner::tell_rise() {
  if (!out_.rise || out_.leak) return;
  const std::string away = sense_ == Sense::used_rises_is_bad ? "fell" : "rose";
  out_.findings.push_back({"memory came back: the level at rest " + away + " by " +
                               bytes_text(std::abs(net_fall(y_))) + " in all, " + as_shape(out_.shape),
                           0.7});
}

// Minimum detectable slope and the level at the end.
void Examiner::finish(const Values& x, const Values& y, double correction, const ShapeFit* fit) {
  const bool shaped = fit != nullptr && fit->regressor.size() == x.size();
  Values rest = y;
  for (std::size_t i = 0; i < x.size() && shaped; ++i) rest[i] -= fit->coefficient * fit->regressor[i];
  const Trend t = trend_of(x, rest);
  const double inflation = shaped ? variance_inflation(fit->regressor, x) : 1.0;
  if (!out_.leak) out_.slope = {t.per_min, t.low, t.high};  // what is left beside the shape
  out_.standard_error = t.standard_error;
  out_.df = t.df;
  out_.detectability = {t.standard_error,
                        t.df,
                        shaped ? 0.2 * kAlpha : kAlpha,
                        inflation,
                        least_loss(),
                        kLeastSlope * out_.unit,
                        (x.back() - x.front()) / 60,
                        out_.span_s / 60,
                        daily_unknown_ ? kDailySlope * out_.unit : 0.0,
                        kDailyWindow_s / 60};
  out_.mds_per_min = minimum_detectable_slope(out_.detectability);
  const double b = out_.leak ? out_.slope.value : 0.0;
  const std::size_t k = std::min(x.size(), std::max<std::size_t>(2, x.size() / 3));
  Values last;
  for (std::size_t i = x.size() - k; i < x.size(); ++i) {
    last.push_back(y[i] + (out_.leak ? b / 60 * (out_.blocks.back().end_x - x[i]) : 0.0));
  }
  const double step_noise = x.size() > 2 ? mad(differences(y)) / std::sqrt(2.0) : 0.0;
  const double noise = std::max({noise_floor(), step_noise, residual_spread(x, y, b), mad(last)});
  out_.level = median(last);
  out_.level_error = 2 * noise / std::sqrt(std::max(1.0, static_cast<double>(k) / correction));
}

}  // namespace leakhunt::analysis
