// Names and chips of the hardware models a device may report. A table of facts, nothing else.
#pragma once

#include <cstdint>
#include <string_view>

namespace leakhunt::proto {

enum class Chip : std::uint8_t { unknown, esp32, esp32s3, esp32c3, esp32c6, nrf52, rp2040, stm32, native };
[[nodiscard]] std::string_view word(Chip chip);

// `HELTEC_V3`; empty for a number newer than the table.
[[nodiscard]] std::string_view hardware_name(std::uint32_t hw_model);
// unknown where neither the name nor public documentation tells.
[[nodiscard]] Chip hardware_chip(std::uint32_t hw_model);
// The chip by the build environment's name where that tells it (`heltec-v3`, `rak4631`, `native`).
[[nodiscard]] Chip chip_of(std::uint32_t hw_model, std::string_view pio_env);

}  // namespace leakhunt::proto
