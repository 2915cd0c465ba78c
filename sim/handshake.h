// The burst a device answers want_config with. Knows nothing of links or of time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/wire.h"

namespace leakhunt::sim {

// A nonce that asks for the configuration without other nodes' infos, and one that asks for node infos alone.
inline constexpr std::uint32_t kConfigOnly = 69'420;
inline constexpr std::uint32_t kNodesOnly = 69'421;

// What the burst tells.
struct Handshake {
  Identity own = {};
  std::uint32_t reboot_count = 1;
  Security security = {};
  std::vector<Identity> others = {};
  bool knows_nonces = true;  // false: everything, whatever the nonce
  std::uint32_t epoch_s = 0;
};

// The FromRadio messages for `nonce`, in the firmware's order, up to the config_complete_id that ends it.
[[nodiscard]] std::vector<std::string> handshake(const Handshake& about, std::uint32_t nonce);

}  // namespace leakhunt::sim
