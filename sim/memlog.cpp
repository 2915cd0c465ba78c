// The wording of the firmware's lines about memory. Knows nothing of when they are printed.
#include "sim/memlog.h"

#include <fmt/format.h>

namespace leakhunt::sim {

LogLine heap_status_line(std::uint32_t free, std::uint32_t total, std::int64_t delta) {
  return {.level = Level::heap,
          .thread = "Power",
          .message =
              fmt::format("Heap status: {}/{} bytes free ({}), running 14/22 threads", free, total, delta)};
}

LogLine thread_line(const std::string& thread, std::uint32_t after, std::int64_t delta_bytes) {
  const bool leaked = delta_bytes < 0;
  const char* fence = leaked ? "------" : "++++++";
  return {.level = Level::heap,
          .thread = thread,
          .message =
              fmt::format("{} Thread {} {} heap {} -> {} ({}) {}", fence, thread, leaked ? "leaked" : "freed",
                          std::int64_t{after} - delta_bytes, after, delta_bytes, fence)};
}

LogLine heap_summary_line(std::uint32_t free, std::uint32_t total, std::int64_t delta, std::uint32_t lowest,
                          std::uint32_t largest_block) {
  return {.level = Level::info,
          .thread = "Power",
          .message = fmt::format("Heap: {}/{} bytes free ({} since last), min {}, largest block {}", free,
                                 total, delta, lowest, largest_block)};
}

LogLine mem_audit_line(const std::string& when, std::uint32_t nodes) {
  const std::uint32_t nodedb = 1'840 + nodes * 92;
  const std::uint32_t satmaps = nodes * 149;
  const std::uint32_t history = 5'824;
  const std::uint32_t pool = 776;
  return {.level = Level::info,
          .thread = "Power",
          .message = fmt::format("MemAudit[{}]: pktpool(live)={} satmaps={} nodedb={} pkthist={} total={}",
                                 when, pool, satmaps, nodedb, history, pool + satmaps + nodedb + history)};
}

LogLine alloc_line(std::uint32_t free, std::uint64_t id) {
  return {.level = Level::heap,
          .thread = "Router",
          .message = fmt::format("Alloc in Router::send pointer 0x3ffd{:04x}, size: 432, free: {}",
                                 id & 0xFFFF, free)};
}

std::vector<std::string> last_words(Restart why, std::int64_t uptime_ms) {
  if (why == Restart::out_of_memory)
    return {"",
            "abort() was called at PC 0x4008a5d3 on core 1",
            "",
            "",
            "Backtrace: 0x40083a2d:0x3ffb4e10 0x4008f0a5:0x3ffb4e30 0x4008a5d3:0x3ffb4e50",
            "",
            "",
            "Rebooting..."};
  if (why == Restart::panic)
    return {"", "Guru Meditation Error: Core  1 panic'ed (LoadProhibited). Exception was unhandled.",
            "", "Backtrace: 0x400d8a2d:0x3ffb4e10 0x400df0a5:0x3ffb4e30",
            "", "Rebooting..."};
  if (why == Restart::planned) return {"Rebooting"};
  if (why == Restart::watchdog)
    return {fmt::format("E ({}) task_wdt: Task watchdog got triggered. The following tasks did not reset the "
                        "watchdog in time:",
                        uptime_ms),
            fmt::format("E ({}) task_wdt:  - loopTask (CPU 1)", uptime_ms)};
  return {};
}

std::vector<std::string> first_words(Restart why) {
  const char* reset = why == Restart::power ? "rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)"
                      : why == Restart::watchdog
                          ? "rst:0x8 (TG1WDT_SYS_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)"
                          : "rst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)";
  return {"ets Jul 29 2019 12:21:46", "", reset, "configsip: 0, SPIWP:0xee", "entry 0x400805f0"};
}

}  // namespace leakhunt::sim
