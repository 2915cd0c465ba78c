// What is to happen when, in virtual time. Knows no clock: whoever runs it says what time it is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/time.h"

namespace leakhunt::sim {

// Things to do, run in the order of their times; things of one time in the order they were added.
class Agenda {
 public:
  // A thing to do; it is told the time it was due at, not the time it came to run.
  using Task = std::function<void(Mono due)>;

  void at(Mono due, Task task);
  // First at `first`, then every `period` (> 0) until the agenda is cleared.
  void every(Mono first, Duration period, Task task);
  // Runs all that is due at or before `now`, including what these things add.
  void run_until(Mono now);
  [[nodiscard]] std::optional<Mono> next() const;
  // Forgets everything; safe from within a task.
  void clear() { tasks_.clear(); }

 private:
  std::map<std::pair<Mono, std::uint64_t>, Task> tasks_;
  std::uint64_t added_ = 0;
};

}  // namespace leakhunt::sim
