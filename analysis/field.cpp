// Slow decline, slow rise, recovery, steady: the last boot's stretch, by blocks and the robust slope.
#include "analysis/field.h"

#include <algorithm>
#include <cmath>

#include "analysis/numbers.h"
#include "analysis/trend.h"
#include "analysis/words.h"
#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

constexpr std::size_t kBlocksOfField = 48;
constexpr double kAlphaOfField = 0.02;

struct Curve {
  Values x;
  Values y;
};

Curve curve_of(const Stretch& stretch, bool counter) {
  Curve c;
  for (std::size_t i = counter ? 1 : 0; i < stretch.points.size(); ++i) {
    const Point& p = stretch.points[i];
    if (!counter) {
      c.x.push_back(p.x_s);
      c.y.push_back(p.value);
      continue;
    }
    const Point& before = stretch.points[i - 1];
    const double dt = p.x_s - before.x_s;
    if (dt <= 0 || p.value < before.value) continue;  // set back: no rate
    c.x.push_back(p.x_s);
    c.y.push_back((p.value - before.value) / dt * 60);
  }
  return c;
}

// Medians of at most 48 groups of equal count.
Curve thinned(const Curve& c) {
  if (c.x.size() <= kBlocksOfField) return c;
  Curve out;
  for (std::size_t k = 0; k < kBlocksOfField; ++k) {
    const auto from = static_cast<std::ptrdiff_t>(k * c.x.size() / kBlocksOfField);
    const auto to = static_cast<std::ptrdiff_t>((k + 1) * c.x.size() / kBlocksOfField);
    out.x.push_back(mean(Values(c.x.begin() + from, c.x.begin() + to)));
    out.y.push_back(median(Values(c.y.begin() + from, c.y.begin() + to)));
  }
  return out;
}

FieldVerdict judge_curve(const Curve& curve) {
  FieldVerdict v;
  if (curve.x.size() < 5 || curve.x.back() <= curve.x.front()) {
    v.findings.push_back(
        {"at least 5 readings within one boot are needed; there are " + std::to_string(curve.x.size()), 1.0});
    return v;
  }
  const Curve c = thinned(curve);
  const double size = std::max(std::abs(median(c.y)), 1e-9);
  const Trend t = trend(c.x, c.y, 1e-6 * size);
  const double minutes = (c.x.back() - c.x.front()) / 60;
  const double noise = mad(differences(c.y)) / std::sqrt(2.0);
  const bool matters = std::abs(t.per_min) * minutes > std::max(0.01 * size, 2 * noise);
  v.trend_per_min = Interval{t.per_min, t.low, t.high};
  v.verdict = FieldClass::steady;
  if (matters && t.p_fall < kAlphaOfField) v.verdict = FieldClass::slow_decline;
  if (matters && t.p_rise < kAlphaOfField) v.verdict = FieldClass::slow_rise;
  const auto low = std::min_element(c.y.begin(), c.y.end());
  const bool dipped =
      low - c.y.begin() > 0 && c.y.end() - low > 1 && c.y.front() - *low > std::max(0.05 * size, 4 * noise);
  if (dipped && c.y.back() - *low > 0.7 * (c.y.front() - *low)) v.verdict = FieldClass::recovery;
  if (v.verdict == FieldClass::slow_decline && c.y.back() > 0) v.minutes_to_zero = c.y.back() / -t.per_min;
  v.findings.push_back({"the level moves by " + number_text(t.per_min * 60, 3) + " an hour (95 %: " +
                            number_text(t.low * 60, 3) + " to " + number_text(t.high * 60, 3) + ")",
                        0.8});
  if (v.minutes_to_zero) v.findings.push_back({"reaches 0 in " + span_text(*v.minutes_to_zero * 60), 0.5});
  return v;
}

}  // namespace

std::string_view word(FieldClass c) {
  switch (c) {
    case FieldClass::insufficient:
      return "insufficient";
    case FieldClass::reboot:
      return "reboot";
    case FieldClass::slow_decline:
      return "slow decline";
    case FieldClass::slow_rise:
      return "slow rise";
    case FieldClass::recovery:
      return "recovery";
    case FieldClass::steady:
      return "steady";
  }
  return "insufficient";
}

FieldVerdict judge_field(const std::vector<Series>& series, bool counter) {
  const Series* fullest = nullptr;
  std::size_t most = 0;
  for (const Series& s : series) {
    std::size_t n = 0;
    for (const Stretch& stretch : s.stretches) n += stretch.points.size();
    if (n > most) fullest = &s;
    most = std::max(most, n);
  }
  if (fullest == nullptr) return judge_curve({});
  std::size_t boots = 0;
  const Stretch* last = nullptr;
  for (const Stretch& stretch : fullest->stretches) {
    if (stretch.points.empty()) continue;
    ++boots;
    last = &stretch;
  }
  const Curve curve = curve_of(*last, counter);
  FieldVerdict v = judge_curve(curve);
  if (counter && !curve.y.empty()) {
    v.rate_per_min = mean(curve.y);
    v.minutes_to_zero.reset();
  }
  v.underlying = v.verdict;
  if (boots > 1) {
    v.verdict = FieldClass::reboot;
    v.findings.insert(
        v.findings.begin(),
        Finding{count_text(boots, "boot", "boots") + " in the window: the last stretch is judged", 1.0});
  }
  return v;
}

}  // namespace leakhunt::analysis
