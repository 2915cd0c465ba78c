// What is to happen when, in virtual time. Knows no clock.
#include "sim/agenda.h"

namespace leakhunt::sim {

void Agenda::at(Mono due, Task task) {
  tasks_.emplace(std::pair{due, added_++}, std::move(task));
}

void Agenda::every(Mono first, Duration period, Task task) {
  at(first, [this, period, task = std::move(task)](Mono due) {
    // Entered before the task runs, so that a task that clears the agenda ends its own repetition too.
    every(due + period, period, task);
    task(due);
  });
}

void Agenda::run_until(Mono now) {
  while (!tasks_.empty() && tasks_.begin()->first.first <= now) {
    auto node = tasks_.extract(tasks_.begin());
    node.mapped()(node.key().first);
  }
}

std::optional<Mono> Agenda::next() const {
  if (tasks_.empty()) return std::nullopt;
  return tasks_.begin()->first.first;
}

}  // namespace leakhunt::sim
