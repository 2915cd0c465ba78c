// Time and unit types, and the clock every room asks. Knows nothing of what happens at a time.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>

namespace leakhunt {

// All durations are integer microseconds.
using Duration = std::chrono::microseconds;

// A point of civil time: microseconds since 1970-01-01T00:00:00Z. For display and for choosing windows only;
// it may step in either direction.
struct Utc {
  std::int64_t us = 0;
  auto operator<=>(const Utc&) const = default;
};

// A point of the host's CLOCK_BOOTTIME: microseconds since the host's boot, counting suspend, never stepping.
struct Mono {
  std::int64_t us = 0;
  auto operator<=>(const Mono&) const = default;
};

constexpr Utc operator+(Utc t, Duration d) {
  return {t.us + d.count()};
}
constexpr Utc operator-(Utc t, Duration d) {
  return {t.us - d.count()};
}
constexpr Duration operator-(Utc a, Utc b) {
  return Duration{a.us - b.us};
}
constexpr Mono operator+(Mono t, Duration d) {
  return {t.us + d.count()};
}
constexpr Mono operator-(Mono t, Duration d) {
  return {t.us - d.count()};
}
constexpr Duration operator-(Mono a, Mono b) {
  return Duration{a.us - b.us};
}

// Seconds as a real number, for arithmetic and display.
constexpr double seconds(Duration d) {
  return static_cast<double>(d.count()) / 1e6;
}
constexpr double seconds(Utc t) {
  return static_cast<double>(t.us) / 1e6;
}
// The nearest microsecond to a number of seconds (|s| below 9e12).
constexpr Duration from_seconds(double s) {
  return Duration{static_cast<std::int64_t>(s * 1e6 + (s < 0 ? -0.5 : 0.5))};
}
constexpr Utc utc_from_seconds(double s) {
  return {from_seconds(s).count()};
}

// Both readings of one moment, taken together where bytes are received.
struct Moment {
  Utc utc;
  Mono mono;
};

// Rings at moments of a clock that moves only when it is told to.
class Alarms {
 public:
  virtual ~Alarms() = default;
  // Calls `ring` once, when the clock comes to `due`. The number is never 0.
  virtual std::uint64_t set(Mono due, std::function<void()> ring) = 0;
  // Never rings again; of no effect when it has rung.
  virtual void clear(std::uint64_t alarm) = 0;
};

// What time it is, and how long a virtual duration takes in real time. Thread-safe in every implementation.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Moment now() const = 0;
  // The real time that passes while `d` of this clock passes; timers wait that long. Never negative.
  [[nodiscard]] virtual std::chrono::nanoseconds real(Duration d) const = 0;
  // Of a clock that does not run by itself: what wakes those who wait. Null for one that runs.
  [[nodiscard]] virtual Alarms* alarms() const { return nullptr; }
};

// The host's own clocks.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Moment now() const override;
  [[nodiscard]] std::chrono::nanoseconds real(Duration d) const override;
};

// A clock that runs `scale` times as fast as the host's (0 < scale <= 600) from the host moment `origin` on.
// Two programs given the same scale and origin agree on every reading. Before `origin` it equals the host's.
class ScaledClock final : public Clock {
 public:
  ScaledClock(double scale, Mono origin);
  [[nodiscard]] Moment now() const override;
  [[nodiscard]] std::chrono::nanoseconds real(Duration d) const override;

 private:
  double scale_;
  Mono origin_;
  Utc origin_utc_;
};

}  // namespace leakhunt
