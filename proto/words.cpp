// The words of the room's enumerations, as every face and the store spell them.
#include <array>
#include <utility>

#include "proto/log_line.h"
#include "proto/sample_source.h"

namespace leakhunt::proto {
namespace {

template <class Enum, std::size_t N>
std::optional<Enum> index_of(const std::array<std::string_view, N>& words, std::string_view word) {
  for (std::size_t i = 0; i < N; ++i) {
    if (words[i] == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 7> source_words{
    "poll", "stats", "debug_heap", "heap_line", "thread_event", "alloc_line", "boot_line"};
constexpr std::array<std::string_view, 5> alarm_words{"out_of_memory", "allocation_failure", "panic",
                                                      "watchdog", "low_heap"};
constexpr std::array<std::string_view, 4> boot_words{"banner", "rom_banner", "rom_reset", "wake_cause"};
constexpr std::array<std::string_view, 8> cause_words{"unknown",  "power_on", "external", "software",
                                                      "watchdog", "panic",    "brownout", "deep_sleep"};

}  // namespace

std::string_view word(SampleSource source) {
  return source_words[static_cast<std::size_t>(source)];
}
std::optional<SampleSource> sample_source(std::string_view word) {
  return index_of<SampleSource>(source_words, word);
}
std::string_view word(AlarmKind kind) {
  return alarm_words[static_cast<std::size_t>(kind)];
}
std::optional<AlarmKind> alarm_kind(std::string_view word) {
  return index_of<AlarmKind>(alarm_words, word);
}
std::string_view word(BootSign sign) {
  return boot_words[static_cast<std::size_t>(sign)];
}
std::string_view word(ResetCause cause) {
  return cause_words[static_cast<std::size_t>(cause)];
}

}  // namespace leakhunt::proto
