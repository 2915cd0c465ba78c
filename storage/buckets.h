// What is kept of many readings at once: a bucket of a heap series at one of the levels of the table
// `rollup`. Knows no SQL.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/sums.h"
#include "base/time.h"

namespace leakhunt::storage {

// As they stand in the store. A bucket of a level covers [index, index + 1) x width of its boot's time.
enum class Level : std::uint8_t { raw = 0, minute = 1, hour = 2, day = 3 };
inline constexpr Level kCoarsest = Level::day;

[[nodiscard]] constexpr Duration width(Level level) {
  using namespace std::chrono_literals;
  switch (level) {
    case Level::minute:
      return 1min;
    case Level::hour:
      return 1h;
    case Level::day:
      return 24h;
    case Level::raw:
      break;
  }
  return Duration{1};
}
[[nodiscard]] constexpr Level coarser(Level level) {
  return static_cast<Level>(static_cast<int>(level) + 1);
}
[[nodiscard]] constexpr Level finer(Level level) {
  return static_cast<Level>(static_cast<int>(level) - 1);
}
// The bucket that holds t, also before the boot's zero.
[[nodiscard]] constexpr std::int64_t index_of(Duration t, Level level) {
  const std::int64_t w = width(level).count();
  return t.count() / w - (t.count() % w < 0 ? 1 : 0);
}
[[nodiscard]] constexpr Duration start_of(std::int64_t index, Level level) {
  return width(level) * index;
}

// Readings that could not be (`suspect`) are in none of the figures.
struct Bucket {
  Duration start{};
  std::int64_t n = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  Duration min_t{};  // where they stand, as far as it is known: to a hundredth of the finest bucket's width
  Duration max_t{};
  RunningSums sums;           // t in seconds from `start`, v from `first`
  std::optional<double> p05;  // at Level::minute, without readings that stand alone
  std::optional<double> p80;
};

// Adds a part that lies after all that is in `whole`, which may be empty but for its start. Quantiles are not
// merged.
void append(Bucket& whole, const Bucket& part);

// A bucket that fills from readings, in any order.
class Filling {
 public:
  explicit Filling(Level level = Level::raw, std::int64_t index = 0);
  void add(Duration t, std::int64_t value);
  [[nodiscard]] std::int64_t index() const { return index_; }
  [[nodiscard]] bool empty() const { return sums_.n() == 0; }
  [[nodiscard]] Bucket bucket() const;

 private:
  Level level_;
  std::int64_t index_;
  Bucket bucket_;
  Duration first_t_{};
  Duration last_t_{};
  ExactSums sums_;  // v from origin_
  std::int64_t origin_ = 0;
  std::vector<std::pair<Duration, std::int64_t>> readings_;  // Level::minute, by t
};

// The coarsest that a median distance of `cadence` between readings allows is the day; unset where even its
// buckets would hold fewer than 8 of them. Else the finest level at least 8 times coarser.
[[nodiscard]] std::optional<Level> finest_level(Duration cadence);

}  // namespace leakhunt::storage
