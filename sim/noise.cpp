// Reproducible randomness. Knows nothing of devices.
#include "sim/noise.h"

namespace leakhunt::sim {

std::uint64_t mix(std::uint64_t seed, std::uint64_t place) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15ULL + (place + 1) * 0xD1B54A32D192ED03ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

double unit(std::uint64_t seed, std::uint64_t place) {
  return static_cast<double>(mix(seed, place) >> 11) * 0x1.0p-53;
}

}  // namespace leakhunt::sim
