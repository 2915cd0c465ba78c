// The limits within which signs and uptimes tell one boot from another (docs/boots-and-time.md). For the boot
// timeline alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace leakhunt::recorder::boot_limits {

inline constexpr Duration kTick{1};
inline constexpr Duration kSameMoment{1000};  // rows of one read stand within it
inline constexpr Duration kOneBoot =
    std::chrono::seconds{60};  // signs of different kinds within are one boot
inline constexpr Duration kTextBack = std::chrono::seconds{5};  // text uptime may go back by this in a boot
inline constexpr Duration kLaterStart = std::chrono::seconds{90};   // a start this much later is another boot
inline constexpr Duration kStaleAnswer = std::chrono::seconds{60};  // an asked-for uptime can be this old
inline constexpr Duration kWitnessed = std::chrono::seconds{10};    // so soon after its start a boot was seen
inline constexpr Duration kAfterSleep = std::chrono::seconds{5};
inline constexpr std::size_t kMostConnections = 64;
// How far a boot has come: the ROM speaks first, its banner before its reset line.
inline constexpr int kRomBannerStage = 1;
inline constexpr int kRomResetStage = 2;
inline constexpr int kFirmwareStage = 3;
inline constexpr std::int64_t kDriftPerMillion = 200;  // how far a device's clock may be off
inline constexpr std::int64_t kStep_us = 2'000'000;    // a jump of the host's clock between two inputs
inline constexpr std::int64_t kSlewed_us = 1'000'000;  // so much slow change asks for a new anchor

}  // namespace leakhunt::recorder::boot_limits
