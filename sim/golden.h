// The scripted device behind the report page of the documentation: every figure on it is an exact one.
// Knows nothing of links.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenarios.h"

namespace leakhunt::sim {

// Where the six hours begin, in seconds since boot; they end with a line without a heap reading.
inline constexpr double kGoldenStart_s = 60;
inline constexpr double kGoldenLength_s = 6 * 3'600;
inline constexpr int kGoldenSamples = 14'200;
inline constexpr double kGoldenSlope_per_min = -82;
inline constexpr std::uint32_t kGoldenLowest_bytes = 92'344;
inline constexpr std::uint32_t kGoldenHighest_bytes = 124'008;

// kGoldenSamples lines with `[heap N]`, among them 18 events of thread MeshPacket (-3124 B), 4 of Router
// (-1408 B), 3 of others (-240 B), and `Alloc an err=ESP_ERR_NO_MEM` at +4h12m, +5h08m and +5h44m.
[[nodiscard]] std::vector<ScriptedLine> golden_script(std::uint64_t seed);

}  // namespace leakhunt::sim
