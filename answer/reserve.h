// Free memory at which a device is as good as dead, and why that figure. Knows no store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace leakhunt::answer {

struct Reserve {
  double bytes = 0;
  std::string reason;  // "chip esp32s3", "reserve_bytes of the configuration", "--reserve"
};

// What the question asks for before what is configured before what the chip needs: 15 KB on any ESP32
// (unstable below, firmware issue 6819), else 1500 B (the firmware's MINIMUM_SAFE_FREE_HEAP).
[[nodiscard]] Reserve reserve_of(std::uint32_t hw_model, const std::string& pio_env,
                                 std::optional<double> configured, std::optional<double> asked);

// The same for a recorded file, which tells no chip.
[[nodiscard]] Reserve reserve_of_recording(std::optional<double> asked);

}  // namespace leakhunt::answer
