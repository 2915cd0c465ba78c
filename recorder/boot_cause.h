// Finds out why a device restarted from what came before: alarm lines, announcements, our own opening of its
// port, the reset word it prints. Knows nothing of boots as such.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"
#include "proto/log_line.h"
#include "recorder/rows.h"

namespace leakhunt::recorder {

// `unknown watchdog panic out_of_memory planned opened_by_recorder power`.
[[nodiscard]] std::string_view word(BootCause cause);

// What a reset word tells by itself.
[[nodiscard]] BootCause cause_of(proto::ResetCause why);
// Whether `cause` stands before `other` where both apply.
[[nodiscard]] bool outranks(BootCause cause, BootCause other);

// Remembers what may explain the next boot; cause() tells and forgets nothing, begin() forgets all.
class BootCauses {
 public:
  // A panic within 10 s after a failed allocation is its consequence: out of memory.
  void alarm(proto::AlarmKind kind, Mono now);
  void announced(Mono now);      // the device said that it is about to reboot
  void planned(Mono now);        // a reboot of our own doing; holds for 15 min, or until outlived
  void outlived(Mono now);       // the same boot was heard of: what was planned did not come
  void serial_opened(Mono now);  // opening a tty resets many boards
  void link_lost(Mono now);      // lines just before a loss explain a boot found after it

  // The cause of a boot whose start is seen at or reckoned to `start`, told of at `now`. Where several apply:
  // out of memory, watchdog, panic, planned, opened by the recorder (start within 5 s of the open), power.
  // Of lines only those count that came at `said_until` at the latest: what a boot said itself explains the
  // next. `why`: the reset word of this boot itself, where the sign that tells of it has one.
  [[nodiscard]] BootCause cause(Mono start, Mono said_until, Mono now, proto::ResetCause why) const;
  void begin();

 private:
  [[nodiscard]] bool recent(const std::optional<Mono>& when, Mono said_until, Mono now) const;

  std::optional<Mono> out_of_memory_;
  std::optional<Mono> failed_allocation_;  // no cause by itself: the firmware survives most of them
  std::optional<Mono> watchdog_;
  std::optional<Mono> panic_;
  std::optional<Mono> announced_;
  std::optional<Mono> planned_;
  std::optional<Mono> opened_;
  std::optional<Mono> lost_;
};

}  // namespace leakhunt::recorder
