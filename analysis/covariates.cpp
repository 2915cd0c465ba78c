// Joint fits of the level with nodes, time of day and packet rate.
#include "analysis/covariates.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/detectability.h"

namespace leakhunt::analysis {
namespace {

constexpr double kMaxNodeCost = 600;
constexpr double kDay = 86400;
constexpr double kFewestCycles = 2;  // of any period, in the window
constexpr double kMostCycles = 10;
constexpr int kPeriods = 48;
constexpr double kPlainCycle =
    0.15;  // of what a line leaves over: chosen among many periods, it must be plain

Values unit_time(const Values& x) {
  Values t = x;
  for (double& a : t) a = (a - x.front()) / (x.back() - x.front());
  return t;
}

double rss_with_floor(const Fit& fit) {
  return fit.rss() + static_cast<double>(fit.residuals.size()) * 64;
}

// A line with a sine and cosine of one period, in one least-squares fit.
struct Waves {
  Values sine;
  Values cosine;
  std::optional<Fit> fit;
  double share = 1;  // of what a line alone leaves over

  Waves(const Values& x, const Values& y, double period) {
    for (const double a : x) {
      sine.push_back(std::sin(2 * std::numbers::pi * a / period));
      cosine.push_back(std::cos(2 * std::numbers::pi * a / period));
    }
    const Values one(x.size(), 1.0);
    const Values t = unit_time(x);
    const auto line = least_squares({one, t}, y);
    fit = least_squares({one, t, sine, cosine}, y);
    if (line && fit && line->rss() > 0) share = fit->rss() / line->rss();
  }
  [[nodiscard]] Values taken_out_of(Values y) const {
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] -= fit->coefficients[2] * sine[i] + fit->coefficients[3] * cosine[i];
    }
    return y;
  }
};

// Packets per minute of each block, smoothed.
Values packet_rate(const std::vector<Block>& blocks) {
  Values rate;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& b = blocks[i];
    const double dt = b.end_x - (i == 0 ? b.begin_x : blocks[i - 1].end_x);
    const double dp = b.packets_last - (i == 0 ? b.packets_first : blocks[i - 1].packets_last);
    rate.push_back(dt > 0 ? dp / dt * 60 : 0.0);
  }
  return smooth3(smooth3(rate));
}

}  // namespace

NodeCost node_cost(const Values& x, const Values& y, const Values& nodes) {
  const auto [least, most] = std::minmax_element(nodes.begin(), nodes.end());
  if (*most - *least < 3) return {};
  const Values one(x.size(), 1.0);
  const auto only = least_squares({one, nodes}, y);
  const auto both = least_squares({one, unit_time(x), nodes}, y);
  if (!only || !both) return {};
  const auto n = static_cast<double>(x.size());
  // A block knows its nodes to about one: what that costs is noise of the fit.
  const double entry = std::min(kMaxNodeCost, std::abs(only->coefficients[1]));
  const double floor = n * (64 + entry * entry / 12);
  const bool needs_line = n * std::log((only->rss() + floor) / (both->rss() + floor)) > 2 * std::log(n) ||
                          -only->coefficients[1] > kMaxNodeCost;
  NodeCost out;
  out.bytes = std::clamp(-(needs_line ? both : only)->coefficients.back(), 0.0, kMaxNodeCost);
  if (needs_line) out.inflation = std::min(4.0, std::sqrt(variance_inflation(nodes, x)));
  return out;
}

std::optional<Values> without_daily_cycle(const Values& x, const Values& y) {
  const Waves day(x, y, kDay);
  if (!day.fit || day.share >= 0.5) return std::nullopt;
  return day.taken_out_of(y);
}

std::optional<Cycle> without_cycle(const Values& x, const Values& y) {
  const double span = x.back() - x.front();
  std::optional<Waves> best;
  double period = 0;
  for (int k = 0; k < kPeriods; ++k) {
    const double p = span / kFewestCycles / std::pow(kMostCycles / kFewestCycles, k / (kPeriods - 1.0));
    Waves waves(x, y, p);
    if (!waves.fit || (best && waves.share >= best->share)) continue;
    best = std::move(waves);
    period = p;
  }
  if (!best || best->share >= kPlainCycle) return std::nullopt;
  return Cycle{best->taken_out_of(y), period, best->fit->rss()};
}

std::optional<PacketClock> packet_clock(const Values& x, const Values& y, const Values& packets) {
  const auto n = static_cast<double>(x.size());
  const double seen = packets.back() - packets.front();
  if (seen < 4 * n || !std::is_sorted(packets.begin(), packets.end())) return std::nullopt;
  const double scale = (x.back() - x.front()) / seen;
  Values z;
  for (std::size_t i = 0; i < x.size(); ++i) {
    // A quiet block would give two equal times: they are kept apart by a microsecond.
    z.push_back(x.front() + (packets[i] - packets.front()) * scale + 1e-6 * static_cast<double>(i));
  }
  const Values one(x.size(), 1.0);
  const auto by_time = least_squares({one, x}, y);
  const auto by_packets = least_squares({one, z}, y);
  if (!by_time || !by_packets || by_packets->coefficients[1] >= 0) return std::nullopt;
  if (n * std::log(rss_with_floor(*by_time) / rss_with_floor(*by_packets)) < 10) return std::nullopt;
  return PacketClock{z, -by_packets->coefficients[1] * scale};
}

Load load(const std::vector<Block>& blocks) {
  Load out;
  const bool known =
      std::all_of(blocks.begin(), blocks.end(), [](const Block& b) { return present(b.packets_last); });
  if (blocks.size() < 12 || !known) return out;
  const Values y = levels(blocks);
  const Values rate = packet_rate(blocks);
  const Values rc = centred(rate);
  const Values yc = centred(y);
  const double spread_rate = std::sqrt(dot(rc, rc));
  const double spread_level = std::sqrt(dot(yc, yc));
  const double average = mean(rate);
  if (spread_rate <= 0 || spread_level <= 0 || average <= 0) return out;
  out.correlation = dot(rc, yc) / (spread_rate * spread_level);
  const bool varies = spread_rate / std::sqrt(static_cast<double>(blocks.size())) > 0.12 * average;
  if (!varies || *out.correlation >= -0.7) return out;
  const Values one(y.size(), 1.0);
  const Values t = unit_time(times(blocks));
  const auto alone = least_squares({one, t}, y);
  const auto joint = least_squares({one, t, rate}, y);
  out.explains_fall =
      alone && joint && std::abs(joint->coefficients[1]) < 0.45 * std::abs(alone->coefficients[1]);
  return out;
}

}  // namespace leakhunt::analysis
