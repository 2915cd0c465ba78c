// Recoveries found on a filtered series; what lies between two of them is a cycle.
#include "analysis/cycles.h"

#include <algorithm>
#include <cmath>

#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

struct Fine {
  Values x;
  Values v;
};

// The series without short dips: a median filter, on at most 200 bins.
Fine smoothed(const Track& track) {
  if (track.x.size() <= 400) return {track.x, running_median(track.v, 2)};
  Fine fine;
  Values medians;
  for (const Range r : bins(track.x, 200)) {
    fine.x.push_back(mean(slice(track.x, r)));
    medians.push_back(median(slice(track.v, r)));
  }
  fine.v = running_median(medians, 1);
  return fine;
}

double range_around_trend(const Fine& fine) {
  const auto fit = least_squares({Values(fine.x.size(), 1.0), fine.x}, fine.v);
  const Values& around = fit ? fit->residuals : fine.v;
  return quantile(around, 0.95) - quantile(around, 0.05);
}

double rise_after(const Fine& fine, std::size_t i) {
  return fine.v[std::min(i + 2, fine.v.size() - 1)] - fine.v[i];
}

std::vector<std::size_t> recoveries(const Fine& fine, double limit) {
  std::vector<std::size_t> edges;
  for (std::size_t i = 0; i + 1 < fine.v.size(); ++i) {
    const double up = std::max(fine.v[i + 1] - fine.v[i], rise_after(fine, i));
    if (up > limit && (edges.empty() || i - edges.back() > 2)) edges.push_back(i);
  }
  return edges;
}

Top highest(const Fine& fine, Range r) {
  std::size_t best = r.from;
  for (std::size_t i = r.from; i < r.to; ++i) {
    if (fine.v[i] > fine.v[best]) best = i;
  }
  return {fine.x[best], fine.v[best]};
}

}  // namespace

std::optional<Cycles> find_cycles(const Track& track, double floor) {
  const Fine fine = smoothed(track);
  if (fine.x.size() < 12) return std::nullopt;
  Values d = differences(fine.v);
  const std::vector<std::size_t> edges =
      recoveries(fine, std::max({0.5 * range_around_trend(fine), 6 * mad(d), floor}));
  if (edges.empty()) return std::nullopt;
  Cycles out;
  std::vector<std::size_t> bounds = edges;
  bounds.push_back(fine.v.size() - 1);
  int falling = 0;
  int asked = 0;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const Range part{bounds[i] + 1, bounds[i + 1] + 1};
    if (part.from >= part.to) continue;
    out.tops.push_back(highest(fine, part));
    const auto m = static_cast<double>(part.to - part.from);
    if (m < 4) continue;
    ++asked;
    falling += kendall_s(slice(fine.v, part)) < -0.4 * m * (m - 1) / 2 ? 1 : 0;
  }
  // The part before the first recovery is a cycle cut short: it can only raise the bar.
  const Top lead = highest(fine, {0, edges.front() + 1});
  if (!out.tops.empty() && lead.level > out.tops.front().level) out.tops.insert(out.tops.begin(), lead);
  if (out.tops.empty()) return std::nullopt;
  out.sawtooth = asked == 0 || falling >= 0.6 * asked;
  for (const std::size_t i : edges)
    out.largest_recovery = std::max(out.largest_recovery, rise_after(fine, i));
  for (double& step : d) step = std::abs(step);
  out.sampling_step = std::max(20.0, median(std::move(d)));
  return out;
}

std::vector<Top> thin_tops(const std::vector<Top>& tops) {
  if (tops.size() <= kBlocks) return tops;
  std::vector<Top> out;
  const double group = static_cast<double>(tops.size()) / static_cast<double>(kBlocks);
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const auto from = tops.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(i) * group);
    const auto to = tops.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(i + 1) * group);
    out.push_back(*std::max_element(from, to, [](const Top& a, const Top& b) { return a.level < b.level; }));
  }
  return out;
}

TopSlope slope_of_tops(const std::vector<Top>& tops, double floor) {
  Values x;
  Values y;
  for (const Top& top : tops) {
    x.push_back(top.x);
    y.push_back(top.level);
  }
  const auto n = static_cast<double>(x.size());
  const int s = kendall_s(y);
  const Values xc = centred(x);
  const Values yc = centred(y);
  const double sxx = dot(xc, xc);
  const double b = dot(xc, yc) / sxx;
  double rss = 0;
  for (std::size_t i = 0; i < x.size(); ++i) rss += (yc[i] - b * xc[i]) * (yc[i] - b * xc[i]);
  const double se = std::max(std::sqrt(rss / (n - 2)), floor) / std::sqrt(sxx);
  const double half = student_quantile(0.025, n - 2) * se;
  const double p = s <= -0.6 * n * (n - 1) / 2 ? student_tail(-b / se, n - 2) : 1.0;
  return {{b * 60, (b - half) * 60, (b + half) * 60}, p};
}

bool keeps_falling(const std::vector<Top>& tops, double floor, double per_min) {
  if (tops.size() < 6) return true;
  const auto half = static_cast<std::ptrdiff_t>(tops.size() / 2 + 1);
  const std::vector<Top> first(tops.begin(), tops.begin() + half);
  const std::vector<Top> second(tops.end() - half, tops.end());
  return slope_of_tops(first, floor).per_min.value < 0.3 * per_min &&
         slope_of_tops(second, floor).per_min.value < 0.3 * per_min;
}

}  // namespace leakhunt::analysis
