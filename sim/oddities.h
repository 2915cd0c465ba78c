// What an odd device does otherwise than a good one. Values alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace leakhunt::sim {

// Which requests for LocalStats are answered.
enum class Answers : std::uint8_t { all, every_second, none };

struct Oddities {
  std::optional<Answers> answers = std::nullopt;  // unset: as the scenario says
  double answer_after_s = 0.1;                    // from the request to the LocalStats
  // It knows so many other nodes and tells of all in every handshake, whatever its nonce, as builds did
  // before there were nonces with a meaning.
  std::optional<std::uint32_t> nodes = std::nullopt;
  bool endless_handshake = false;   // a node info each second for ever, where config_complete_id should be
  bool resets_when_opened = false;  // a serial line whose DTR is wired to the reset pin
  bool hides_private_key = false;   // tells an empty private key beside a public one
  std::optional<std::size_t> security_answer_bytes = std::nullopt;  // that answer's payload ends here
  bool ignores_set_config = false;  // confirms a changed config, keeps the old one and goes on
};

}  // namespace leakhunt::sim
