// What a question about memory is made of: readings by source and boot, evidence lines and heap events.
// Knows nothing of where they come from.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace leakhunt::analysis {

// A covariate or time that is not there.
inline constexpr double absent = std::numeric_limits<double>::quiet_NaN();
[[nodiscard]] inline bool present(double value) {
  return !std::isnan(value);
}

// One reading. All sizes are bytes; covariates are `absent` where the record has none.
struct Point {
  double x_s = 0;    // steady seconds within the boot; since its start if `Question::uptime_known`
  double t_s = 0;    // UTC seconds: for display and the distance to evidence only
  double value = 0;  // the judged field; bytes where it is memory
  double largest_block = absent;  // largest free block
  double min_free = absent;       // low-water mark since boot
  double total = absent;          // heap total
  double packets_rx = absent;     // received packets since boot
  double total_nodes = absent;    // entries of the node database
};

// One boot's readings of one source, by rising x_s.
struct Stretch {
  std::int64_t boot_id = 0;
  double began_s = absent;  // UTC seconds of the boot's start
  std::string cause;        // why it began ("watchdog", "planned", ...); empty where unknown
  std::vector<Point> points;
};

// One source's readings ("poll", "stats", "debug_heap", ...), a stretch per boot in their order.
struct Series {
  std::string source;
  std::vector<Stretch> stretches;
};

// What a line or event says, decided where the line was read (a line that quotes a pattern is `other`).
enum class LineKind {
  out_of_memory,       // "out of memory"
  allocation_abort,    // std::bad_alloc, abort by a failed allocation
  allocation_failure,  // a failed allocation that the firmware survives
  low_memory,          // the firmware's own "heap too low" guard
  routing_nak,         // "Alloc an err=<number>": an error packet was sent; never evidence of memory
  panic,
  watchdog,
  abort,
  boot,  // banner or ROM line
  planned_reboot,
  connection_lost,
  connection_established,
  other,
};

struct EvidenceLine {
  double t_s = 0;             // UTC seconds
  std::optional<double> x_s;  // steady seconds within its boot, where known
  LineKind kind = LineKind::other;
  std::string text;  // as stored; the published rules search it
};

// "Thread NAME leaked heap BEFORE -> AFTER (DELTA)" or "freed heap"; delta = after - before.
struct HeapEvent {
  double t_s = 0;
  double x_s = 0;
  std::string thread;
  double before = 0;
  double after = 0;
  double delta = 0;
  bool leaked = true;        // the line's own word: leaked or freed
  std::int64_t boot_id = 0;  // 0: not known
};

// "Alloc in SITE pointer P, size: S, free: N": bytes taken at a place of the code. That they are given back
// is not told.
struct SiteAllocation {
  double t_s = 0;
  double x_s = 0;
  std::string site;
  double bytes = 0;
  std::int64_t boot_id = 0;  // 0: not known
};

// One tag of a "MemAudit[WHEN]: TAG=BYTES ..." line: what a part of the firmware holds. Its `total` is none.
struct Holding {
  double t_s = 0;
  double x_s = 0;
  std::string part;
  double bytes = 0;
  std::int64_t boot_id = 0;  // 0: not known
};

// What was done to the device in a stretch of one boot's time, by whoever watches it. Stretches may leave
// gaps (nothing is known of them) and do not overlap.
struct Activity {
  std::int64_t boot_id = 0;
  double begin_x_s = 0;  // steady seconds within the boot, as Point::x_s
  double end_x_s = 0;
  double polls = absent;    // requests that the recorder made in it
  double clients = absent;  // mean number of other clients connected meanwhile
};

// A boot that has something in the window, whether or not it has samples.
struct Boot {
  std::int64_t id = 0;
  double began_s = absent;
  std::string cause;
};

// The last reading that a source made of a boot.
struct LastReading {
  std::int64_t boot_id = 0;
  double t_s = 0;  // UTC seconds
  double value = 0;
};

enum class Sense {
  free_falls_is_bad,
  used_rises_is_bad,
};

// What the judged field is. A low-water mark only ever falls and shows no leak by itself.
enum class Measure {
  level,           // free or used memory
  low_water_mark,  // the least free memory since boot
  largest_block,   // the largest free block: its fall is fragmentation
};

// Everything a verdict over one window is made from.
struct Question {
  std::vector<Series> series;
  std::vector<Boot> boots;                  // may be empty: then the stretches tell
  std::vector<LastReading> last_readings;   // where the series are levels of buckets, which end above it
  std::vector<EvidenceLine> lines;          // by rising t_s
  std::vector<HeapEvent> heap_events;       // by rising t_s
  std::vector<SiteAllocation> allocations;  // by rising t_s
  std::vector<Holding> holdings;            // by rising t_s
  std::vector<Activity> activity;           // by boot and begin_x_s; none: the readings of "poll" tell
  Sense sense = Sense::free_falls_is_bad;
  Measure measure = Measure::level;
  std::optional<double> total_bytes;  // heap size; for used memory its limit (a container's), if any
  double reserve_bytes = 1500;        // free memory at which the device is as good as dead
  std::string reserve_reason;         // why it is that: "chip esp32s3", "--reserve"
  std::optional<double> floor_bytes;  // a user's least acceptable level (min_free_bytes)
  std::string chip;                   // as proto::word(Chip); tells whether external memory may be there
  bool uptime_known = false;          // x_s counts from the boot's start
  double window_start_s = absent;     // UTC seconds; absent: the first reading
  double window_end_s = absent;       // UTC seconds, exclusive; absent: just after the last reading
};

}  // namespace leakhunt::analysis
