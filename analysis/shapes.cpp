// Each candidate is a regressor next to a constant, with or without a straight line; by the theorem of
// Frisch, Waugh and Lovell each costs one pass over the blocks.
#include "analysis/shapes.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace leakhunt::analysis {
namespace {

constexpr double kNear = 4;  // a difference in the criterion that does not matter (Kass, Raftery 1995)
constexpr double kEarliestChange = 0.1;  // of the window, for plateau and onset
constexpr double kLatestChange = 0.72;
constexpr double kLatestPlain = 0.9;  // of a change that has no ramp beside it
constexpr int kTimeConstants = 36;

struct Candidates {
  const Values& y;
  Values u;   // time as 0..1
  Values uc;  // centred
  double suu = 0;
  Values r0;  // residuals of the constant
  Values r1;  // residuals of the ramp
  double rss0 = 0;
  double rss1 = 0;
  double slope = 0;
  std::vector<ShapeFit> fits;

  Candidates(const Values& x, const Values& levels) : y(levels), u(x) {
    for (double& a : u) a = (a - x.front()) / (x.back() - x.front());
    uc = centred(u);
    suu = dot(uc, uc);
    r0 = centred(y);
    rss0 = dot(r0, r0);
    slope = dot(r0, uc) / suu;
    r1 = r0;
    for (std::size_t i = 0; i < r1.size(); ++i) r1[i] -= slope * uc[i];
    rss1 = dot(r1, r1);
    fits.push_back({Shape::constant, false, rss0, 1, 0, {}, 0});
    fits.push_back({Shape::ramp, false, rss1, 2, 0, {}, 0});
  }

  void add(Shape shape, Values z, double parameter, bool also_with_ramp = true);
  void add_two_steps();
};

void Candidates::add(Shape shape, Values z, double parameter, bool also_with_ramp) {
  const std::size_t n = y.size();
  if (n < 12 && shape != Shape::step) return;
  Values zc = centred(z);
  const double zz = dot(zc, zc);
  if (zz < 1e-9) return;
  const double c = dot(r0, zc) / zz;
  const bool settling = shape == Shape::warm_up || shape == Shape::slowing;  // these may only fall
  if (!settling || c < 0 || y.back() > y.front()) {
    fits.push_back({shape, false, rss0 - c * c * zz, 3, parameter, z, c});
  }
  if (n < 12 || !also_with_ramp) return;
  const double k = dot(zc, uc) / suu;
  for (std::size_t i = 0; i < n; ++i) zc[i] -= k * uc[i];
  const double partial = dot(zc, zc);
  if (partial < 1e-6 * static_cast<double>(n)) return;
  const double beside = dot(r1, zc) / partial;
  if (settling && beside >= 0) return;
  fits.push_back({shape, true, rss1 - beside * beside * partial, 4, parameter, std::move(z), beside});
}

void Candidates::add_two_steps() {
  const std::size_t n = y.size();
  Values s1(n + 1);
  Values s2(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    s1[i + 1] = s1[i] + r0[i];
    s2[i + 1] = s2[i] + r0[i] * r0[i];
  }
  const auto sse = [&](std::size_t i, std::size_t j) {
    const double s = s1[j] - s1[i];
    return s2[j] - s2[i] - s * s / static_cast<double>(j - i);
  };
  double best = sse(0, n);
  std::size_t first = 0;
  std::size_t second = 0;
  for (std::size_t i = 1; i + 2 < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const double e = sse(0, i) + sse(i, j) + sse(j, n);
      if (e >= best) continue;
      best = e;
      first = i;
      second = j;
    }
  }
  Values levels(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t from = i < first ? 0 : (i < second ? first : second);
    const std::size_t to = i < first ? first : (i < second ? second : n);
    levels[i] = (s1[to] - s1[from]) / static_cast<double>(to - from);
  }
  fits.push_back({Shape::two_steps, false, best, 5, 0, std::move(levels), 1});
}

template <class F>
Values mapped(const Values& u, F f) {
  Values out;
  out.reserve(u.size());
  for (const double a : u) out.push_back(f(a));
  return out;
}

void add_all(Candidates& c) {
  const Values& u = c.u;
  const std::size_t n = u.size();
  for (std::size_t i = 2; i + 1 < n; ++i) {
    Values z(n, 0.0);
    std::fill(z.begin() + static_cast<std::ptrdiff_t>(i), z.end(), 1.0);
    c.add(Shape::step, std::move(z), 0.5 * (u[i - 1] + u[i]));
  }
  for (std::size_t i = 2; i + 2 < n && n >= 12; ++i) {
    const double at = u[i];
    if (at < kEarliestChange || at > kLatestPlain) continue;
    const bool early = at <= kLatestChange;
    c.add(Shape::plateau, mapped(u, [at](double a) { return std::min(a, at); }), at, early);
    c.add(Shape::onset, mapped(u, [at](double a) { return std::max(a - at, 0.0); }), at, early);
  }
  for (int k = 0; k < kTimeConstants && n >= 12; ++k) {
    const double tau = 1.2 / std::pow(16.0, k / (kTimeConstants - 1.0));
    c.add(Shape::warm_up, mapped(u, [tau](double a) { return 1 - std::exp(-a / tau); }), tau);
  }
  // A table that sees ever fewer new keys.
  for (const double tau : {0.008, 0.015, 0.03, 0.06, 0.12, 0.25}) {
    c.add(Shape::slowing, mapped(u, [tau](double a) { return std::log(1 + a / tau); }), tau, false);
  }
  if (n >= 16) c.add_two_steps();
}

// Residuals of a fit; empty for two steps.
Values residuals(const Candidates& c, const ShapeFit& fit) {
  if (fit.shape == Shape::two_steps) return {};
  Values out = c.r0;
  double line = fit.shape == Shape::ramp ? c.slope : 0.0;
  if (!fit.regressor.empty()) {
    const Values zc = centred(fit.regressor);
    if (fit.with_ramp) line = c.slope - fit.coefficient * dot(zc, c.uc) / c.suu;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] -= fit.coefficient * zc[i];
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= line * c.uc[i];
  return out;
}

// n (1 - phi) / (1 + phi), from the residuals of the fit that leaves least.
double effective_size(const Candidates& c, double floor_rss) {
  const auto n = static_cast<double>(c.y.size());
  const auto low = std::min_element(c.fits.begin(), c.fits.end(),
                                    [](const ShapeFit& a, const ShapeFit& b) { return a.rss < b.rss; });
  if (c.y.size() < 10 || low->rss <= floor_rss) return std::max(5.0, n);
  const Values rest = residuals(c, *low);
  const double phi = !rest.empty() && dot(rest, rest) > floor_rss ? autocorrelation(rest) : 0.0;
  return std::max(5.0, n * (1 - phi) / (1 + phi));
}

}  // namespace

std::string_view ShapeFit::name() const {
  switch (shape) {
    case Shape::constant:
      return "constant";
    case Shape::ramp:
      return "ramp";
    case Shape::step:
      return with_ramp ? "step+ramp" : "step";
    case Shape::two_steps:
      return "two steps";
    case Shape::warm_up:
      return with_ramp ? "warm-up+ramp" : "warm-up";
    case Shape::slowing:
      return "slowing";
    case Shape::plateau:
      return with_ramp ? "plateau+ramp" : "plateau";
    case Shape::onset:
      return with_ramp ? "onset+ramp" : "onset";
  }
  return "constant";
}

ShapeFit ramp_shape(const Values& x, const Values& y) {
  return Candidates(x, y).fits[1];
}

ShapeFit best_shape(const Values& x, const Values& y, double floor) {
  Candidates c(x, y);
  add_all(c);
  const auto n = static_cast<double>(y.size());
  const double floor_rss = n * floor * floor;
  const double size = effective_size(c, floor_rss);
  const auto score = [&](const ShapeFit& f) {
    return size * std::log(std::max(f.rss, floor_rss) / n) + f.parameters * std::log(n);
  };
  std::vector<double> scores;
  for (const ShapeFit& f : c.fits) scores.push_back(score(f));
  const double best = *std::min_element(scores.begin(), scores.end());
  std::size_t chosen = c.fits.size();
  for (std::size_t i = 0; i < c.fits.size(); ++i) {
    if (scores[i] - best > kNear) continue;
    const bool simpler = chosen == c.fits.size() || c.fits[i].parameters < c.fits[chosen].parameters;
    const bool better =
        !simpler && c.fits[i].parameters == c.fits[chosen].parameters && scores[i] < scores[chosen];
    if (simpler || better) chosen = i;
  }
  return std::move(c.fits[chosen]);
}

}  // namespace leakhunt::analysis
