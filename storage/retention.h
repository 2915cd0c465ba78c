// How long which kind of rows is kept. Knows no table.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace leakhunt::storage {

// What retention may take away; everything else is kept for ever. In the order in which it goes when the
// store is too large.
enum class Kind : std::uint8_t { text, packets, telemetry_raw, heap_raw, minute_buckets };
inline constexpr std::array kKinds{Kind::text, Kind::packets, Kind::telemetry_raw, Kind::heap_raw,
                                   Kind::minute_buckets};
// As in the table `dropped`, in `status` and in the configuration.
[[nodiscard]] constexpr std::string_view word(Kind kind) {
  constexpr std::array<std::string_view, kKinds.size()> words{"text", "packets", "telemetry_raw", "heap_raw",
                                                              "minute_buckets"};
  return words.at(static_cast<std::size_t>(kind));
}

struct Retention {
  Duration text = std::chrono::hours{30 * 24};
  Duration packets = std::chrono::hours{90 * 24};
  Duration telemetry_raw = std::chrono::hours{90 * 24};
  Duration heap_raw = std::chrono::hours{90 * 24};
  Duration minute_buckets = std::chrono::hours{360 * 24};
  std::int64_t max_bytes = std::int64_t{2} << 30;  // of the file; 0 = no limit

  [[nodiscard]] constexpr Duration age(Kind kind) const {
    const std::array<Duration, kKinds.size()> ages{text, packets, telemetry_raw, heap_raw, minute_buckets};
    return ages.at(static_cast<std::size_t>(kind));
  }
};

// Heap samples are not taken below this age for want of space without an alert.
inline constexpr Duration kHeapFloor = std::chrono::hours{30 * 24};

}  // namespace leakhunt::storage
