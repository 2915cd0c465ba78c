// The free heap of a simulated device as a function of time. Knows nothing of messages or scenarios.
#include "sim/heap.h"

#include <algorithm>
#include <cmath>

#include "sim/noise.h"

namespace leakhunt::sim {
namespace {

constexpr double kNoiseHold_s = 7;

double lost(const Leak& leak, double uptime_s) {
  const double losing_s = std::min(uptime_s, leak.until_s) - leak.from_s;
  const double pieces = std::floor(std::max(0.0, losing_s) / leak.every_s);
  return pieces * leak.per_min * leak.every_s / 60;
}

double lost(const Sawtooth& saw, double uptime_s) {
  const double cycles = uptime_s / saw.period_s;
  return saw.depth * (cycles - std::floor(cycles));
}

double lost(const WarmUp& warm, double uptime_s) {
  return warm.depth * (1 - std::exp(-uptime_s / warm.tau_s));
}

double lost(const Dip& dip, double uptime_s) {
  if (uptime_s < dip.from_s) return 0;
  const double returning_s = uptime_s - dip.from_s - dip.hold_s;
  return dip.depth * std::clamp(1 - returning_s / dip.back_s, 0.0, 1.0);
}

double lost(const Step& step, double uptime_s) {
  return uptime_s < step.at_s ? 0 : step.depth;
}

double sum(const std::vector<Effect>& effects, double uptime_s) {
  double all = 0;
  for (const Effect& effect : effects) all += taken(effect, uptime_s);
  return all;
}

std::uint32_t whole(double bytes, double most) {
  return static_cast<std::uint32_t>(std::clamp(bytes, 0.0, std::max(0.0, most))) & ~std::uint32_t{3};
}

}  // namespace

double taken(const Effect& effect, double uptime_s) {
  return std::visit([&](const auto& kind) { return lost(kind, uptime_s); }, effect);
}

std::uint32_t HeapModel::free_at(double uptime_s) const {
  const auto place = static_cast<std::uint64_t>(std::max(0.0, uptime_s) / kNoiseHold_s);
  const double noise = noise_bytes * (2 * unit(seed, place) - 1);
  return whole(base_bytes - sum(effects, uptime_s) + noise, total_bytes);
}

std::uint32_t HeapModel::free_in_line(double uptime_s, std::uint64_t line) const {
  // Most lines hold little; the cube makes deep readings rare.
  const double share = unit(seed ^ 0x11E5, line);
  return whole(free_at(uptime_s) - held_bytes * share * share * share, total_bytes);
}

std::uint32_t HeapModel::largest_block_at(double uptime_s) const {
  const double free = free_at(uptime_s);
  return whole(free * largest_share - sum(fragmenting, uptime_s), free);
}

}  // namespace leakhunt::sim
