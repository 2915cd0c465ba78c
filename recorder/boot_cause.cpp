// Weighs what came before a boot. Knows nothing of how boots are told apart.
#include "recorder/boot_cause.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace leakhunt::recorder {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kLinesBefore = seconds{60};
constexpr Duration kFailureToPanic = seconds{10};
constexpr Duration kPlanHolds = minutes{15};
constexpr Duration kAfterOpen = seconds{5};

constexpr std::array kFirstToLast{BootCause::out_of_memory, BootCause::watchdog,           BootCause::panic,
                                  BootCause::planned,       BootCause::opened_by_recorder, BootCause::power,
                                  BootCause::unknown};

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

BootCause cause_of(proto::ResetCause why) {
  switch (why) {
    case proto::ResetCause::watchdog:
      return BootCause::watchdog;
    case proto::ResetCause::panic:
      return BootCause::panic;
    case proto::ResetCause::power_on:
    case proto::ResetCause::brownout:
      return BootCause::power;
    default:
      return BootCause::unknown;
  }
}

bool outranks(BootCause cause, BootCause other) {
  const auto rank = [](BootCause one) {
    return std::find(kFirstToLast.begin(), kFirstToLast.end(), one) - kFirstToLast.begin();
  };
  return rank(cause) < rank(other);
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
      if (failed_allocation_ && now - *failed_allocation_ <= kFailureToPanic) out_of_memory_ = now;
      break;
    case proto::AlarmKind::allocation_failure:
      failed_allocation_ = now;
      break;
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

// A changed setting restarts a device after 7 s; a flashed one restarts at once.
void BootCauses::outlived(Mono now) {
  constexpr Duration kComesWithin = std::chrono::seconds{20};
  if (planned_ && now - *planned_ > kComesWithin) planned_.reset();
}

void BootCauses::serial_opened(Mono now) {
  opened_ = now;
}

void BootCauses::link_lost(Mono now) {
  lost_ = now;
}

bool BootCauses::recent(const std::optional<Mono>& when, Mono said_until, Mono now) const {
  return when && *when <= said_until &&
         (now - *when <= kLinesBefore || (lost_ && *lost_ - *when <= kLinesBefore));
}

BootCause BootCauses::cause(Mono start, Mono said_until, Mono now, proto::ResetCause why) const {
  BootCause before = BootCause::unknown;
  if (recent(out_of_memory_, said_until, now)) {
    before = BootCause::out_of_memory;
  } else if (recent(watchdog_, said_until, now)) {
    before = BootCause::watchdog;
  } else if (recent(panic_, said_until, now)) {
    before = BootCause::panic;
  } else if (recent(announced_, said_until, now) || (planned_ && now - *planned_ <= kPlanHolds)) {
    before = BootCause::planned;
  } else if (opened_ && start >= *opened_ && start - *opened_ <= kAfterOpen) {
    before = BootCause::opened_by_recorder;
  }
  const BootCause told = cause_of(why);
  return outranks(told, before) ? told : before;
}

void BootCauses::begin() {
  *this = BootCauses{};
}

}  // namespace leakhunt::recorder
