// The scripted device behind the report page of the documentation. Knows nothing of links.
#include "sim/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/noise.h"

namespace leakhunt::sim {
namespace {

// The first sample keeps away from the window's beginning, so that a reader that lags still sees all within
// it; the last one and the line that closes the window are close, so that hardly anything can come between
// them.
constexpr double kBefore_s = 60;
constexpr double kBehind_s = 1;
constexpr double kStep_s = (kGoldenLength_s - kBefore_s - kBehind_s) / (kGoldenSamples - 1);
// In the middle of a minute, for the same reason.
constexpr double kWithinMinute_s = 30;
// At the middle of the window. The line runs from 123 220 to 93 700 and its noise stays within 400 of it, so
// that the highest and lowest sample below are the only ones outside.
constexpr double kMiddle_bytes = 108'460;
constexpr double kNoise_bytes = 400;

struct Event {
  const char* thread;
  std::int32_t delta_bytes;
};

// Index of the sample an event or line takes the place of, for a time since the start of the window.
std::size_t sample_at(double since_start_s) {
  return static_cast<std::size_t>(std::lround((since_start_s - kBefore_s) / kStep_s));
}

double time_of(std::size_t sample) {
  return kBefore_s + static_cast<double>(sample) * kStep_s;
}

std::uint32_t level_at(std::size_t sample, std::uint64_t seed) {
  const double since_middle_min = (time_of(sample) - kGoldenLength_s / 2) / 60;
  const double noise = kNoise_bytes * (2 * unit(seed ^ 0x601D, sample) - 1);
  return static_cast<std::uint32_t>(kMiddle_bytes + kGoldenSlope_per_min * since_middle_min + noise) & ~3U;
}

// Thread events spread over the six hours: many small ones of MeshPacket, few large ones of Router.
std::map<std::size_t, Event> events() {
  std::map<std::size_t, Event> all;
  for (int i = 0; i < 18; ++i) all[sample_at(600 + 1'150.0 * i)] = {"MeshPacket", i == 17 ? -200 : -172};
  constexpr std::int32_t kRouter[] = {-640, -448, -256, -64};
  for (int i = 0; i < 4; ++i) all[sample_at(2'000 + 5'000.0 * i)] = {"Router", kRouter[i]};
  all[sample_at(3'000)] = {"NodeInfo", -72};
  all[sample_at(9'400)] = {"NodeInfo", -72};
  all[sample_at(15'700)] = {"GPS", -96};
  return all;
}

LogLine ordinary(std::size_t sample, std::uint64_t seed) {
  static constexpr const char* kThreads[] = {"Router", "RadioIf",  "Power",
                                             "GPS",    "NodeInfo", "SerialConsole"};
  return {.level = Level::debug,
          .thread = kThreads[mix(seed, sample) % std::size(kThreads)],
          .message = fmt::format("Expected sequence number {}, enqueue for send", sample % 256)};
}

LogLine event_line(const Event& event, std::uint32_t after_bytes) {
  const std::int64_t before = std::int64_t{after_bytes} - event.delta_bytes;
  return {.level = Level::heap,
          .thread = event.thread,
          .message = fmt::format("------ Thread {} leaked heap {} -> {} ({}) ------", event.thread, before,
                                 after_bytes, event.delta_bytes)};
}

}  // namespace

std::vector<ScriptedLine> golden_script(std::uint64_t seed) {
  const std::map<std::size_t, Event> threads = events();
  std::vector<std::size_t> failures;
  for (const int minute : {4 * 60 + 12, 5 * 60 + 8, 5 * 60 + 44})
    failures.push_back(sample_at(60.0 * minute + kWithinMinute_s));
  const std::size_t highest = 5;
  const std::size_t lowest = kGoldenSamples - 6;
  std::vector<ScriptedLine> script;
  for (std::size_t i = 0; i < kGoldenSamples; ++i) {
    std::uint32_t free = level_at(i, seed);
    if (i == highest) free = kGoldenHighest_bytes;
    if (i == lowest) free = kGoldenLowest_bytes;
    LogLine line = ordinary(i, seed);
    if (const auto event = threads.find(i); event != threads.end()) line = event_line(event->second, free);
    if (std::find(failures.begin(), failures.end(), i) != failures.end())
      line = {.level = Level::error, .thread = "Router", .message = "Alloc an err=ESP_ERR_NO_MEM"};
    line.heap_bytes = free;
    script.push_back({kGoldenStart_s + time_of(i), line});
  }
  LogLine end{.level = Level::info, .thread = "Main", .message = "End of the scripted six hours"};
  end.bare = true;
  script.push_back({kGoldenStart_s + kGoldenLength_s, end});
  return script;
}

}  // namespace leakhunt::sim
