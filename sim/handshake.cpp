// The burst a device answers want_config with. Knows nothing of links or of time.
#include "sim/handshake.h"

#include <fmt/format.h>

namespace leakhunt::sim {
namespace {

// Fields of FromRadio whose messages the schema keeps opaque.
constexpr std::uint32_t kConfig = 5;
constexpr std::uint32_t kModuleConfig = 9;
constexpr std::uint32_t kChannel = 10;
constexpr std::uint32_t kFileInfo = 15;
constexpr std::uint32_t kDeviceUi = 17;
constexpr std::uint32_t kRegionPresets = 19;

constexpr std::uint32_t kChannels = 8;
constexpr std::uint32_t kModuleConfigs = 15;

std::string varint_field(std::uint32_t field, std::uint32_t below_128) {
  return {static_cast<char>(field << 3), static_cast<char>(below_128)};
}

// Channel: index = 1, settings = 2 {psk = 2, name = 3}, role = 3 (1 primary, 0 unused).
std::string channel(std::uint32_t index) {
  std::string message = index == 0 ? std::string{} : varint_field(1, index);
  if (index == 0)
    message += opaque(2, opaque(2, kChannelKey) + opaque(3, "SIM-CHANNEL-NAME")) + varint_field(3, 1);
  return opaque(kChannel, message);
}

// FileInfo: file_name = 1, size_bytes = 2.
std::string file_info(std::string_view name, std::uint32_t size) {
  return opaque(kFileInfo, opaque(1, name) + varint_field(2, size));
}

void append_configs(std::vector<std::string>& burst, const Handshake& about) {
  // Config: device 1, position 2, power 3, network 4, display 5, lora 6, bluetooth 7, security 8,
  // sessionkey 9.
  for (std::uint32_t section = 1; section <= 9; ++section) {
    if (section == 4) burst.push_back(network_config());
    if (section == 8) burst.push_back(security_config(about.security));
    if (section != 4 && section != 8) burst.push_back(opaque(kConfig, opaque(section, varint_field(1, 1))));
  }
  for (std::uint32_t section = 1; section <= kModuleConfigs; ++section)
    burst.push_back(opaque(kModuleConfig, opaque(section, {})));
}

void append_others(std::vector<std::string>& burst, const Handshake& about) {
  for (const Identity& other : about.others) burst.push_back(node_info(other, about.epoch_s));
}

}  // namespace

std::vector<std::string> handshake(const Handshake& about, std::uint32_t nonce) {
  std::vector<std::string> burst;
  const bool config = nonce != kNodesOnly || !about.knows_nonces;
  const bool nodes = nonce != kConfigOnly || !about.knows_nonces;
  if (config) {
    burst.push_back(
        my_info(about.own, about.reboot_count, static_cast<std::uint32_t>(about.others.size() + 1)));
    burst.push_back(opaque(kDeviceUi, varint_field(1, 1)));
  }
  burst.push_back(node_info(about.own, about.epoch_s));
  if (config) {
    burst.push_back(metadata(about.own));
    burst.push_back(opaque(kRegionPresets, {}));
    for (std::uint32_t index = 0; index < kChannels; ++index) burst.push_back(channel(index));
    append_configs(burst, about);
  }
  if (nodes) append_others(burst, about);
  if (config) {
    burst.push_back(file_info("/prefs/device.proto", 114));
    burst.push_back(file_info("/prefs/channels.proto", 55));
  }
  return burst;
}

}  // namespace leakhunt::sim
