// Weighs what came before a boot. Knows nothing of how boots are told apart.
#include "recorder/boot_cause.h"

#include <chrono>

namespace leakhunt::recorder {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kLinesBefore = seconds{60};
constexpr Duration kPlanHolds = minutes{15};
constexpr Duration kAfterOpen = seconds{5};

}  // namespace

std::string_view word(BootCause cause) {
  switch (cause) {
    case BootCause::watchdog:
      return "watchdog";
    case BootCause::panic:
      return "panic";
    case BootCause::out_of_memory:
      return "out_of_memory";
    case BootCause::planned:
      return "planned";
    case BootCause::opened_by_recorder:
      return "opened_by_recorder";
    case BootCause::power:
      return "power";
    case BootCause::unknown:
      break;
  }
  return "unknown";
}

void BootCauses::alarm(proto::AlarmKind kind, Mono now) {
  switch (kind) {
    case proto::AlarmKind::out_of_memory:
      out_of_memory_ = now;
      break;
    case proto::AlarmKind::watchdog:
      watchdog_ = now;
      break;
    case proto::AlarmKind::panic:
      panic_ = now;
      break;
    case proto::AlarmKind::allocation_failure:  // survived
    case proto::AlarmKind::low_heap:
      break;
  }
}

void BootCauses::announced(Mono now) {
  announced_ = now;
}

void BootCauses::planned(Mono now) {
  planned_ = now;
}

void BootCauses::serial_opened(Mono now) {
  opened_ = now;
}

void BootCauses::link_lost(Mono now) {
  lost_ = now;
}

void BootCauses::reset_word(proto::ResetCause why) {
  if (why != proto::ResetCause::unknown) {
    reset_word_ = why;
  }
}

bool BootCauses::recent(const std::optional<Mono>& when, Mono now) const {
  return when && (now - *when <= kLinesBefore || (lost_ && *lost_ - *when <= kLinesBefore));
}

BootCause BootCauses::cause(Mono start, Mono now) const {
  if (recent(out_of_memory_, now)) {
    return BootCause::out_of_memory;
  }
  if (recent(watchdog_, now) || reset_word_ == proto::ResetCause::watchdog) {
    return BootCause::watchdog;
  }
  if (recent(panic_, now) || reset_word_ == proto::ResetCause::panic) {
    return BootCause::panic;
  }
  if (recent(announced_, now) || (planned_ && now - *planned_ <= kPlanHolds)) {
    return BootCause::planned;
  }
  if (opened_ && start >= *opened_ && start - *opened_ <= kAfterOpen) {
    return BootCause::opened_by_recorder;
  }
  const bool power = reset_word_ == proto::ResetCause::power_on || reset_word_ == proto::ResetCause::brownout;
  return power ? BootCause::power : BootCause::unknown;
}

void BootCauses::begin() {
  *this = BootCauses{};
}

}  // namespace leakhunt::recorder
