// Reproducible randomness: every figure is a pure function of a seed and a place. Knows nothing of devices.
#pragma once

#include <cstdint>

namespace leakhunt::sim {

// A well-mixed 64-bit number for (seed, place); equal arguments always give the same number.
// Finalizer of Stafford's variant 13 (the one in splitmix64).
[[nodiscard]] std::uint64_t mix(std::uint64_t seed, std::uint64_t place);

// A real number in [0, 1) for (seed, place).
[[nodiscard]] double unit(std::uint64_t seed, std::uint64_t place);

}  // namespace leakhunt::sim
