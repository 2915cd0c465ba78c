// Local administration, as far as the recorder ever goes: it reads the own node's security configuration and
// gives it back with the API log switched, when a person asked for it. Keys stay in SecretBytes; no string,
// record or log ever gets any of this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/secret_bytes.h"

namespace leakhunt::proto {

// Config.SecurityConfig, but for its contents.
struct SecurityFlags {
  bool debug_log_api_enabled = false;
  bool is_managed = false;
  bool has_public_key = false;   // present and not empty
  bool has_private_key = false;  // present and not empty
  // Read to the last byte; each field the schema knows once (admin_key as often as it likes) and as its kind.
  bool complete = false;
};
[[nodiscard]] SecurityFlags security_flags(std::span<const std::uint8_t> config);

// What the device tells of its security configuration.
struct SecurityAnswer {
  SecretBytes config;           // Config.SecurityConfig, byte for byte
  SecretBytes session_passkey;  // to be sent back with a change; empty in firmware that has none
  SecurityFlags flags;          // complete is false too where the answer around it was broken or another one
};

// Frames, header included. `id` must be fresh and not 0. Handled inside the device, never on the air.
// AdminMessage.get_config_request = SECURITY_CONFIG, response wanted.
[[nodiscard]] SecretBytes get_security_request(std::uint32_t own_node, std::uint32_t id);
// AdminMessage.set_config with the whole security configuration, response wanted. It restarts the device
// about 7 s later. Nothing when it is more than a packet holds (233 bytes of payload).
[[nodiscard]] std::optional<SecretBytes> set_security_request(std::uint32_t own_node, std::uint32_t id,
                                                              std::span<const std::uint8_t> config,
                                                              std::span<const std::uint8_t> session_passkey);

// The answer to get_security_request in the payload of a frame; nothing in any other frame, that of another
// node among them.
[[nodiscard]] std::optional<SecurityAnswer> read_security_answer(std::span<const std::uint8_t> from_radio,
                                                                 std::uint32_t own_node, std::uint32_t id);
// What the own node's routing says to a request: a Routing.Error, 0 for done.
[[nodiscard]] std::optional<std::uint32_t> read_routing_answer(std::span<const std::uint8_t> from_radio,
                                                               std::uint32_t own_node, std::uint32_t id);
// "NOT_AUTHORIZED" and so on, or "error 99".
[[nodiscard]] std::string routing_error_name(std::uint32_t error);

// The same configuration with debug_log_api_enabled switched: that field alone is set, added in its place or
// left out (proto3 sends no false); all others keep their bytes and order, unknown ones too. `config` must be
// complete.
[[nodiscard]] SecretBytes with_debug_log(std::span<const std::uint8_t> config, bool on);

// Names of the fields that are not the same in both, `debug_log_api_enabled` aside; "field 12" where unknown.
[[nodiscard]] std::vector<std::string> other_differences(std::span<const std::uint8_t> before,
                                                         std::span<const std::uint8_t> after);

}  // namespace leakhunt::proto
