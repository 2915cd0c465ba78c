// The free heap of a simulated device as a function of time: a base and a list of effects. LocalStats and log
// lines read the same curve. Knows nothing of messages or scenarios.
#pragma once

#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

namespace leakhunt::sim {

// All times are seconds since boot, all amounts bytes; an effect is what it takes away from the base.

// Loses `per_min` bytes a minute in equal pieces every `every_s`, from `from_s` to `until_s`.
struct Leak {
  double per_min = 0;
  double every_s = 30;
  double from_s = 0;
  double until_s = std::numeric_limits<double>::infinity();
};
// Loses `depth` evenly over each period and gives it all back at its end.
struct Sawtooth {
  double depth = 0;
  double period_s = 600;
};
// Settles: loses `depth` in all, ever more slowly, with time constant `tau_s`.
struct WarmUp {
  double depth = 0;
  double tau_s = 600;
};
// Is `depth` lower from `from_s` on, for `hold_s`, then comes back evenly within `back_s`. With hold 0 it
// only comes back.
struct Dip {
  double depth = 0;
  double from_s = 0;
  double hold_s = 0;
  double back_s = 1;
};
// Falls by `depth` at `at_s` and stays there.
struct Step {
  double depth = 0;
  double at_s = 0;
};
using Effect = std::variant<Leak, Sawtooth, WarmUp, Dip, Step>;

// What an effect has taken away at `uptime_s`.
[[nodiscard]] double taken(const Effect& effect, double uptime_s);

// The whole curve. Noise is held for 7 s, so that readings close in time agree.
struct HeapModel {
  double total_bytes = 294'912;
  double base_bytes = 180'000;
  double noise_bytes = 60;               // at rest, to either side
  double held_bytes = 600;               // at most this is held by a packet being handled
  double largest_share = 0.62;           // of the free bytes, in one block, when nothing is fragmented
  std::vector<Effect> effects = {};      // on the free bytes
  std::vector<Effect> fragmenting = {};  // on the largest block alone
  std::uint64_t seed = 1;

  // Free bytes at rest: what LocalStats reports. Never below 0 nor above the total; a multiple of 4.
  [[nodiscard]] std::uint32_t free_at(double uptime_s) const;
  // Free bytes read while a packet is handled: what `[heap N]` shows. At most free_at; `line` tells lines
  // apart.
  [[nodiscard]] std::uint32_t free_in_line(double uptime_s, std::uint64_t line) const;
  // The largest free block.
  [[nodiscard]] std::uint32_t largest_block_at(double uptime_s) const;
};

}  // namespace leakhunt::sim
