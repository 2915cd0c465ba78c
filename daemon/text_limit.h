// Holds a device's log text to a rate no device exceeds by itself. Pure; knows no link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/time.h"

namespace leakhunt::daemon {

// What went missing in one flood.
struct Flood {
  Utc from;
  Utc to;
  std::int64_t lines = 0;
};

class TextLimit {
 public:
  // As much as a serial line of 921600 baud carries.
  static constexpr double kBytesPerSecond = 92'160;
  // At once: what a device may have held back.
  static constexpr double kBurstBytes = 1'048'576;
  // A flood is over, and told, when nothing was dropped for so long; one that goes on is told each kLongest.
  static constexpr Duration kOver{10'000'000};
  static constexpr Duration kLongest{300'000'000};

  // False: a line of so many bytes is too much now; it counts as dropped.
  [[nodiscard]] bool admits(std::size_t bytes, Moment now);
  // A flood that is over, once.
  [[nodiscard]] std::optional<Flood> over(Moment now);
  // The flood under way, for the end of all recording.
  [[nodiscard]] std::optional<Flood> rest();

 private:
  double credit_bytes_ = kBurstBytes;
  std::optional<Mono> filled_;
  std::optional<Flood> flood_;
};

}  // namespace leakhunt::daemon
