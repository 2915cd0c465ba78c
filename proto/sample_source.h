// Where a heap figure comes from. Part of a series' identity; knows nothing of how figures are judged.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace leakhunt::proto {

// The sources of INTERFACES "Samples and sources". `poll` and `stats` are LocalStats (asked for, unasked);
// the others are log lines, read while packets are handled and therefore lower.
enum class SampleSource : std::uint8_t {
  poll,          // answer to a LocalStats request
  stats,         // LocalStats unasked
  debug_heap,    // `[heap N]` prefix, `Heap status:`
  heap_line,     // `Heap:`, `Heap free:`, `Low heap`, ...: lines of all builds
  thread_event,  // `Thread X leaked/freed heap A -> B`: B
  alloc_line,    // `Alloc in ... free: N`
  boot_line,     // `Free heap:` and the like, printed once at boot
};

// The word used in every face and in the store.
[[nodiscard]] std::string_view word(SampleSource source);
[[nodiscard]] std::optional<SampleSource> sample_source(std::string_view word);

}  // namespace leakhunt::proto
