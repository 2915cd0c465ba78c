// Every byte a recorder may ever send to a device of its own accord, framed. What a person asks for stands in
// proto/admin.h; there is nothing else to send.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace leakhunt::proto {

// The configuration without other nodes' infos (firmware PhoneAPI).
inline constexpr std::uint32_t config_nonce = 69420;

using Bytes = std::vector<std::uint8_t>;

// Header and payload (at most 512 bytes).
[[nodiscard]] Bytes framed(std::span<const std::uint8_t> payload);

// Begins a session: the device answers with its configuration and then live packets.
[[nodiscard]] Bytes want_config(std::uint32_t nonce = config_nonce);

// Keepalive, nonce 0 (1 would make the device broadcast over the air); answered by a queue status.
[[nodiscard]] Bytes heartbeat();

// Asks the own node for its LocalStats. Handled inside the device, never on the air. `id` must be fresh and
// not 0; the answer carries it as request_id.
[[nodiscard]] Bytes local_stats_request(std::uint32_t own_node, std::uint32_t id);

// Ends the session; the device closes a TCP connection within 0.2 s.
[[nodiscard]] Bytes disconnect();

}  // namespace leakhunt::proto
