// The wording of the firmware's lines about memory. Knows nothing of when they are printed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/logtext.h"

namespace leakhunt::sim {

[[nodiscard]] LogLine heap_status_line(std::uint32_t free, std::uint32_t total, std::int64_t delta);
// `delta_bytes` < 0: leaked; > 0: freed. `after` is what is free now.
[[nodiscard]] LogLine thread_line(const std::string& thread, std::uint32_t after, std::int64_t delta_bytes);
[[nodiscard]] LogLine heap_summary_line(std::uint32_t free, std::uint32_t total, std::int64_t delta,
                                        std::uint32_t lowest, std::uint32_t largest_block);
[[nodiscard]] LogLine mem_audit_line(const std::string& when, std::uint32_t nodes);
[[nodiscard]] LogLine alloc_line(std::uint32_t free, std::uint64_t id);

// What an ESP32 writes to its serial line when it restarts; raw text without a prefix.
enum class Restart { power, planned, out_of_memory, panic, watchdog };
[[nodiscard]] std::vector<std::string> last_words(Restart why, std::int64_t uptime_ms);
[[nodiscard]] std::vector<std::string> first_words(Restart why);

}  // namespace leakhunt::sim
