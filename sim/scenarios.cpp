// What a simulated device does, by name: the table of scenarios. Knows nothing of links or messages.
#include "sim/scenarios.h"

#include "sim/golden.h"

namespace leakhunt::sim {
namespace {

// ESP32 boards become unstable below about 15 KB; an nRF52 goes on almost to the end.
constexpr std::uint32_t kUnstableBelow = 15'000;
constexpr std::uint32_t kStrainsBelow = 8'192;
constexpr std::uint32_t kDiesBelow = 1'200;
constexpr double kLeakEvery_s = 30;

// Queues one packet a minute that another thread frees once it is sent: on a real, healthy device too.
std::vector<ThreadFlow> healthy_flows() {
  return {{.thread = "DeviceTelemetry", .bytes = 432, .every_s = 60, .from_s = 75, .freed_by = "ServerAPI"},
          {.thread = "Router",
           .bytes = 432,
           .every_s = 20,
           .from_s = 40,
           .freed_by = "RadioIf",
           .freed_after_s = 1}};
}

void leaks(Scenario& scenario, double per_min) {
  scenario.heap.effects.emplace_back(Leak{.per_min = per_min, .every_s = kLeakEvery_s});
  scenario.flows.push_back({.thread = "MeshPacket",
                            .bytes = per_min * kLeakEvery_s / 60,
                            .every_s = kLeakEvery_s,
                            .from_s = kLeakEvery_s});
}

void steady(Scenario&, const Shape&) {}

void leak(Scenario& scenario, const Shape& shape) {
  leaks(scenario, shape.slope_per_min.value_or(324));
}

void sawtooth(Scenario& scenario, const Shape&) {
  scenario.heap.effects.emplace_back(Sawtooth{.depth = 12'000, .period_s = 660});
}

void sawtooth_leak(Scenario& scenario, const Shape& shape) {
  sawtooth(scenario, shape);
  leaks(scenario, shape.slope_per_min.value_or(200));
}

void warm_up(Scenario& scenario, const Shape&) {
  scenario.heap.effects.emplace_back(WarmUp{.depth = 20'000, .tau_s = 600});
}

void cache(Scenario& scenario, const Shape&) {
  scenario.heap.effects.emplace_back(Leak{.per_min = 400, .every_s = kLeakEvery_s, .until_s = 3'600});
}

void burst(Scenario& scenario, const Shape&) {
  scenario.heap.effects.emplace_back(Dip{.depth = 8'192, .from_s = 1'800, .hold_s = 150, .back_s = 60});
}

void dip(Scenario& scenario, const Shape&) {
  scenario.heap.effects.emplace_back(Dip{.depth = 21'280, .from_s = 1'200, .hold_s = 600, .back_s = 5});
}

void step(Scenario& scenario, const Shape&) {
  scenario.heap.effects.emplace_back(Step{.depth = 16'384, .at_s = 1'800});
}

void recovery(Scenario& scenario, const Shape&) {
  scenario.heap.effects.emplace_back(Dip{.depth = 60'000, .from_s = 0, .hold_s = 300, .back_s = 28'800});
}

void fragmentation(Scenario& scenario, const Shape&) {
  scenario.heap.fragmenting.emplace_back(WarmUp{.depth = 100'000, .tau_s = 1'800});
  scenario.lines.push_back(
      {{.level = Level::warn, .thread = "Router", .message = "Failed to allocate memory for copy"},
       1'800,
       300});
}

void oom(Scenario& scenario, const Shape& shape) {
  scenario.heap.base_bytes = 70'000;
  scenario.strains_below_bytes = kStrainsBelow;
  scenario.dies_below_bytes = kDiesBelow;
  leaks(scenario, shape.slope_per_min.value_or(1'000));
}

void reboot(Scenario& scenario, const Shape&) {
  scenario.reboot_every_s = 2'400;
  scenario.heap.effects.emplace_back(WarmUp{.depth = 3'000, .tau_s = 120});
}

void reboot_leak(Scenario& scenario, const Shape& shape) {
  scenario.heap.base_bytes = 70'000;
  scenario.dies_below_bytes = kUnstableBelow;
  leaks(scenario, shape.slope_per_min.value_or(1'600));
}

void nak_storm(Scenario& scenario, const Shape&) {
  scenario.lines.push_back(
      {{.level = Level::warn, .thread = "Router", .message = "Alloc an err=5,to=0x{},idFrom=0x{},id=0x{}"},
       60,
       8});
}

void silent(Scenario& scenario, const Shape&) {
  scenario.silent_after_s = 1'200;
}

void no_poll(Scenario& scenario, const Shape&) {
  scenario.answers = Answers::none;
}

void garbage(Scenario& scenario, const Shape&) {
  scenario.garbage = true;
}

void golden(Scenario& scenario, const Shape& shape) {
  scenario.chatters = false;
  scenario.waits = true;
  scenario.flows.clear();
  scenario.script = golden_script(shape.seed);
}

struct Entry {
  ScenarioName name;
  void (*build)(Scenario&, const Shape&);
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kEntries{
      {{"steady", "nothing is lost"}, steady},
      {{"leak", "thread MeshPacket loses 324 B/min; two pairs of threads hand memory to each other"}, leak},
      {{"sawtooth", "12 KB are used up and given back every 11 min"}, sawtooth},
      {{"sawtooth-leak", "the same, and 200 B/min are lost"}, sawtooth_leak},
      {{"warm-up", "settles 20 KB lower, time constant 10 min"}, warm_up},
      {{"cache", "fills a cache of 24 KB within an hour: till then nothing tells it from a leak"}, cache},
      {{"burst", "8 KB lower from 30:00 on, back at 33:30: within two LocalStats cycles of its end"}, burst},
      {{"dip", "21 KB lower from 20 to 30 min, as while a Bluetooth client is connected"}, dip},
      {{"step", "16 KB lower from 30 min on, for good"}, step},
      {{"recovery", "begins 60 KB low and gets back 125 B/min for 8 h"}, recovery},
      {{"fragmentation", "free memory holds, its largest block shrinks, allocations fail with memory left"},
       fragmentation},
      {{"oom", "loses 1000 B/min of 70 KB to the end: failed allocations, panic, restart"}, oom},
      {{"reboot", "restarts cleanly every 40 min"}, reboot},
      {{"reboot-leak", "loses 1600 B/min of 70 KB until it dies below 15 KB, again and again"}, reboot_leak},
      {{"nak-storm", "hundreds of routing NAKs, which are no failed allocations"}, nak_storm},
      {{"silent", "says nothing any more after 20 min, though the link stays"}, silent},
      {{"no-poll", "never answers a request for LocalStats"}, no_poll},
      {{"garbage", "junk, stray text and split frames between its own"}, garbage},
      {{"golden", "the device of the report page: 14 200 [heap N] lines in 6 h, -82 B/min (text mode)"},
       golden}};
  return kEntries;
}

}  // namespace

const std::vector<ScenarioName>& scenario_names() {
  static const std::vector<ScenarioName> kNames = [] {
    std::vector<ScenarioName> names;
    for (const Entry& entry : entries()) names.push_back(entry.name);
    return names;
  }();
  return kNames;
}

Result<Scenario> make_scenario(std::string_view name, const Shape& shape) {
  std::string known;
  for (const Entry& entry : entries()) {
    known += known.empty() ? "" : ", ";
    known += entry.name.name;
    if (entry.name.name != name) continue;
    Scenario scenario;
    scenario.name = name;
    scenario.summary = entry.name.summary;
    scenario.flows = healthy_flows();
    entry.build(scenario, shape);
    scenario.heap.seed = shape.seed;
    scenario.heap.base_bytes = shape.heap_free_bytes.value_or(scenario.heap.base_bytes);
    scenario.heap.total_bytes = shape.heap_total_bytes.value_or(scenario.heap.total_bytes);
    return scenario;
  }
  return Error{ErrorCode::usage, "no scenario \"" + std::string{name} + "\"", "--scenario",
               "one of: " + known};
}

}  // namespace leakhunt::sim
