// What a judgement says. Values only; how it is printed is not known here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leakhunt::analysis {

enum class VerdictClass {
  insufficient_data,
  reboot_mid_window,
  oom_imminent,
  slow_leak,
  fragmentation_suspect,
  steady,
  recovery_curve,
};

enum class State { provisional, confirmed, withdrawn };
enum class Rules { leakhunt, published };

// "slow_leak" and "SLOW LEAK"; the words of the JSON and of text and CSV.
[[nodiscard]] std::string_view json_word(VerdictClass c);
[[nodiscard]] std::string_view text_word(VerdictClass c);
[[nodiscard]] std::string_view word(State s);
[[nodiscard]] std::string_view word(Rules r);
// 0 for steady, rising with what a person should see first (recovery, fragmentation, leak, OOM; reboot 0).
[[nodiscard]] int urgency(VerdictClass c);

// A value with its 95 % interval; an open bound is infinite.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

// One piece of evidence in plain words. `weight` 0..1: how much of the verdict rests on it.
struct Finding {
  std::string text;
  double weight = 0;
};

// What one thread did to the heap, transfers between threads set off.
struct Suspect {
  std::string thread;
  double net_bytes = 0;          // negative: lost for good
  double leaked_bytes = 0;       // sum of its negative deltas
  double freed_bytes = 0;        // sum of its positive deltas
  double transferred_bytes = 0;  // of its loss, what another thread frees (or the reverse, positive)
  std::size_t events = 0;
  double share = 0;        // of the attributed net loss, 0..1
  bool few_large = false;  // at most three events make 80 % of the loss
  double events_per_min = 0;
  double net_per_min = 0;               // negative: lost
  std::optional<double> per_run_bytes;  // lost for good by each of its runs, positive; at least 5 runs
};

// What a part of the firmware (a MemAudit tag) holds more than at the beginning.
struct Growth {
  std::string part;
  double from_bytes = 0;
  double to_bytes = 0;
};

// Bytes taken at a place of the code; what was given back is not told.
struct SiteSum {
  std::string site;
  double bytes = 0;
  std::size_t count = 0;
};

// The loss grows with who watches the device. Slopes are losses per minute, positive.
struct Watching {
  std::string what;         // "the recorder's own polling", "clients connected"
  double much_per_min = 0;  // loss where there was much of it, and where little
  double little_per_min = 0;
  double much_rate = 0;  // polls a minute, or clients
  double little_rate = 0;
  double p = 1;  // rank correlation, one-sided
};

// The judgement of one boot's stretch.
struct StretchVerdict {
  std::int64_t boot_id = 0;
  double began_s = 0;  // UTC seconds of the first and last reading
  double ended_s = 0;
  std::string cause;  // of this boot's start
  std::size_t samples = 0;
  VerdictClass verdict = VerdictClass::insufficient_data;
  bool leak = false;
  bool ended = false;                   // another boot follows
  std::string ended_by;                 // the cause of that boot
  double level_end_bytes = 0;           // the last reading before it ended, of the source judged
  double last_bytes = 0;                // the latest reading of the boot, whichever source made it
  std::optional<double> died_at_bytes;  // the same where it ended unplanned and memory had gone in earnest
  Interval trend_per_min;
  std::string shape;
};

struct PublishedVerdict {
  VerdictClass verdict = VerdictClass::insufficient_data;
  int rule = 0;        // number of the published rule that applied, 0: none did
  std::string reason;  // the rule in words
};

struct Verdict {
  VerdictClass verdict = VerdictClass::insufficient_data;
  State state = State::provisional;
  // For reboot_mid_window: the most urgent class of its stretches (the last one on a tie). Else `verdict`.
  VerdictClass underlying = VerdictClass::insufficient_data;
  Rules rules = Rules::leakhunt;
  std::string source;            // the series judged; empty for the published rules (all)
  std::size_t samples = 0;       // usable readings of that source
  double slope_per_min = 0;      // least squares, one level per boot and source
  double slope_per_min_raw = 0;  // plain least squares over the window
  // As the field itself moves: negative where free memory falls, positive where used memory rises.
  std::optional<Interval> trend_per_min;   // what the verdict is concluded from
  std::optional<double> level_bytes;       // the level at rest at the end
  std::optional<double> minutes_to_zero;   // published: min / -slope
  std::optional<Interval> minutes_to_oom;  // above the reserve; only with a leak
  double reserve_bytes = 0;
  std::string reserve_reason;  // as asked, with a caution where internal memory is not seen
  bool below_floor = false;    // the level is below Question::floor_bytes, whatever the class; also a finding
  std::optional<double> mds_per_min;        // a leak below it cannot be excluded
  std::optional<double> mds_later_per_min;  // what 6 h more, or what is left to 36 h, would lower it to
  std::vector<Finding> findings;            // in the order of the reasoning
  std::vector<std::string> ruled_out;
  std::vector<Suspect> suspects;  // worst first
  bool primary_suspect = false;   // suspects[0] holds at least half of the attributed net loss
  double attributed_bytes = 0;    // sum of the suspects' losses, positive
  double lost_bytes = 0;          // the trend over the events' time, positive where memory was lost
  double unexplained_bytes = 0;   // lost - attributed
  double unexplained_share = 0;   // of lost, 0..1
  std::vector<Growth>
      growths;                 // parts that hold more than before, the largest growth first; only with a leak
  std::vector<SiteSum> sites;  // where most was allocated, at most 5; only with a leak
  std::optional<Watching> watching;  // watching changes the device; also a finding
  PublishedVerdict published;
  bool urgent = false;  // a person must see it now
  bool leak = false;    // memory is being lost, whatever the class
  std::string shape;    // "ramp", "step", "warm-up", ...
  std::vector<StretchVerdict> stretches;
  std::string needs;  // for insufficient_data: what would be enough
};

}  // namespace leakhunt::analysis
