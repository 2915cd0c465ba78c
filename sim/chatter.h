// What a mesh around the device says, and the ordinary lines of its log: numbered, so that a run can be
// repeated. Some of it is private on purpose. Knows nothing of links or of when it is sent.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/wire.h"

namespace leakhunt::sim {

// Private things that travel in packets and lines, to search a store for.
inline constexpr std::string_view kPrivateText = "SIM-PRIVATE-TEXT meet me at the old mill";
inline constexpr double kPrivateLatitude = 51.4769300;
inline constexpr double kPrivateLongitude = -0.0005120;

// Other nodes of the mesh; these are the ones that are heard.
inline constexpr std::size_t kOrdinaryNodes = 3;
[[nodiscard]] std::vector<Identity> other_nodes(std::size_t count);

// Packet number `n` from another node: texts, positions, telemetry of every sort (heap figures of its own
// among them), names, an encrypted one, and one of an unknown port.
[[nodiscard]] Packet mesh_packet(std::uint64_t seed, std::uint64_t n, std::uint32_t own,
                                 std::uint32_t epoch_s);

// Ordinary log line number `n`.
[[nodiscard]] LogLine ordinary_line(std::uint64_t seed, std::uint64_t n);

// A node number's text, as the firmware prints it: eight hexadecimal digits.
[[nodiscard]] std::string hex(std::uint64_t number);

}  // namespace leakhunt::sim
