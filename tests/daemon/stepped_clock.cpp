// Alarms in the order in which they are due.
#include "tests/daemon/stepped_clock.h"

#include <algorithm>

namespace leakhunt::daemon::testing {

class SteppedClock::List final : public Alarms {
 public:
  std::uint64_t set(Mono due, std::function<void()> ring) override {
    const std::uint64_t alarm = ++last_;
    due_[alarm] = due;
    rings_.emplace(std::pair{due, alarm}, std::move(ring));
    return alarm;
  }
  void clear(std::uint64_t alarm) override {
    const auto found = due_.find(alarm);
    if (found == due_.end()) return;
    rings_.erase({found->second, alarm});
    due_.erase(found);
  }
  [[nodiscard]] std::optional<Mono> next() const {
    if (rings_.empty()) return std::nullopt;
    return rings_.begin()->first.first;
  }
  void ring_until(Mono now) {
    while (!rings_.empty() && rings_.begin()->first.first <= now) {
      const auto ring = std::move(rings_.begin()->second);
      due_.erase(rings_.begin()->first.second);
      rings_.erase(rings_.begin());
      ring();
    }
  }
  void postpone(Duration d) {
    std::map<std::pair<Mono, std::uint64_t>, std::function<void()>> later;
    for (auto& [key, ring] : rings_) later.emplace(std::pair{key.first + d, key.second}, std::move(ring));
    rings_ = std::move(later);
    for (auto& [alarm, due] : due_) due = due + d;
  }

 private:
  std::uint64_t last_ = 0;
  std::map<std::pair<Mono, std::uint64_t>, std::function<void()>> rings_;
  std::map<std::uint64_t, Mono> due_;
};

SteppedClock::SteppedClock(Moment start) : now_(start), list_(std::make_unique<List>()) {}
SteppedClock::~SteppedClock() = default;

std::chrono::nanoseconds SteppedClock::real(Duration d) const {
  return std::max(d, Duration{0});
}

Alarms* SteppedClock::alarms() const {
  return list_.get();
}

std::optional<Mono> SteppedClock::next() const {
  return list_->next();
}

void SteppedClock::move_to(Mono when) {
  const Duration d = std::max(when - now_.mono, Duration{0});
  now_ = {now_.utc + d, now_.mono + d};
  list_->ring_until(now_.mono);
}

void SteppedClock::suspend(Duration d) {
  now_ = {now_.utc + d, now_.mono + d};
  suspended_ += d;
  list_->postpone(d);
}

}  // namespace leakhunt::daemon::testing
