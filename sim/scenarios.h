// What a simulated device does: a heap curve, thread events, lines of trouble and habits, by name. Data only;
// the device plays it. Knows nothing of links or messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/heap.h"
#include "sim/logtext.h"
#include "sim/oddities.h"

namespace leakhunt::sim {

// A thread that holds `bytes` after each run, every `every_s` from `from_s` (seconds since boot). If
// `freed_by` is named, that thread gives them back `freed_after_s` later: a transfer, no leak.
struct ThreadFlow {
  std::string thread = {};
  double bytes = 0;
  double every_s = 30;
  double from_s = 30;
  std::string freed_by = {};
  double freed_after_s = 0.1;
};

// A kind of line that comes again and again, from `from_s` on. `{}` in the message becomes a fresh
// hexadecimal id.
struct RecurringLine {
  LogLine line = {};
  double from_s = 0;
  double every_s = 60;
};

// A line at an exact time since boot.
struct ScriptedLine {
  double uptime_s = 0;
  LogLine line = {};
};

struct Scenario {
  std::string name = {};
  std::string summary = {};
  HeapModel heap = {};
  std::vector<ThreadFlow> flows = {};
  std::vector<RecurringLine> lines = {};
  std::vector<ScriptedLine> script = {};
  std::optional<double> silent_after_s = std::nullopt;  // sends nothing any more, though the link stays
  std::optional<double> reboot_every_s = std::nullopt;  // clean restarts
  std::uint32_t strains_below_bytes = 0;                // allocations fail, the firmware survives them
  std::uint32_t dies_below_bytes = 0;                   // out of memory, panic, restart
  Answers answers = Answers::all;
  bool garbage = false;  // junk, stray text and split frames between its own
  bool waits = false;    // is powered on only when somebody reads
  bool chatters = true;  // ordinary log lines, memory lines, other nodes' packets
};

// What a user may change about any scenario. `slope_per_min` is a loss, > 0.
struct Shape {
  std::uint64_t seed = 1;
  std::optional<double> slope_per_min = std::nullopt;
  std::optional<double> heap_free_bytes = std::nullopt;
  std::optional<double> heap_total_bytes = std::nullopt;
};

// The scenario of that name; an unknown name is a usage error that lists them.
[[nodiscard]] Result<Scenario> make_scenario(std::string_view name, const Shape& shape);

// Names with their summaries, in the order of the documentation.
struct ScenarioName {
  std::string_view name = {};
  std::string_view summary = {};
};
[[nodiscard]] const std::vector<ScenarioName>& scenario_names();

}  // namespace leakhunt::sim
