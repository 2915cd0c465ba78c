// What is known of a device at this moment, for `status`. Plain values, no history.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "recorder/rows.h"

namespace leakhunt::recorder {

// How bytes come from a device: `listen` is a serial line that is only read.
enum class LinkKind : std::uint8_t { serial, tcp, listen };

[[nodiscard]] constexpr std::string_view word(LinkKind kind) {
  return kind == LinkKind::tcp ? "tcp" : kind == LinkKind::serial ? "serial" : "listen";
}

enum class LinkPhase : std::uint8_t {
  closed,     // never opened, or lost
  opened,     // open, no handshake yet (a listening link stays here)
  handshake,  // the configuration was asked for
  live,       // config_complete came
};

struct LinkLive {
  LinkKind kind = LinkKind::serial;
  LinkPhase phase = LinkPhase::closed;
  Moment since;             // of the phase
  std::string lost_reason;  // of the last loss; empty when there was none
  std::optional<Moment> last_received;
  std::int64_t opens = 0;
};

struct HeapSampleLive {
  std::int64_t value_bytes = 0;
  Source source = Source::poll;
  Moment when;
};

struct DeviceLive {
  DeviceId device{};
  std::string name;
  std::vector<LinkLive> links;  // by link index

  std::optional<IdentityRow> identity;
  std::optional<BootRow> boot;          // firmware, signs, cause, build state
  bool boot_start_known = false;        // a trustworthy uptime or a seen start fixed it
  std::optional<Moment> boot_start;     // by the host's clocks; provisional while not known
  std::optional<Duration> uptime;       // newest trustworthy one, as the device told it
  std::optional<Moment> last_received;  // newest record or line of any link

  std::optional<HeapSampleLive> heap;  // newest heap_free_bytes of any source
  std::map<Source, Duration> cadence;  // median of the last 32 intervals, per source
  std::optional<std::int64_t> heap_total_bytes;
  std::int64_t local_stats_without_heap = 0;  // LocalStats that told no heap figures, in this boot

  std::int64_t polls_asked = 0;
  std::int64_t polls_answered = 0;
  std::int64_t polls_unanswered_in_a_row = 0;  // the one still waited for not counted

  std::map<std::string, std::int64_t, std::less<>> counters;
};

}  // namespace leakhunt::recorder
