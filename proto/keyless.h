// Keeps keys out of the decoder: they are found where they lie in a frame, before anything is copied out of
// it. Private to proto/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace leakhunt::proto {

// The number of the FromRadio field that holds channels or configuration (pre-shared and private keys,
// passwords), if the frame has one: nothing of it is to be decoded.
[[nodiscard]] std::optional<int> variant_with_keys(std::span<const std::uint8_t> from_radio);

// The frame with zeros where an administration packet has its payload; nothing when it has none.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> without_administration(
    std::span<const std::uint8_t> from_radio);

}  // namespace leakhunt::proto
