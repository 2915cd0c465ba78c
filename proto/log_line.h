// One line of a device's log, understood. The grammar of the firmware of 2020 to 2026, in text and API mode;
// it knows nothing of redaction, rows or verdicts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "proto/sample_source.h"

namespace leakhunt::proto {

enum class Level : std::uint8_t { none, trace, debug, info, warn, error, crit, heap, mark };

// `TRACE DEBUG INFO WARN ERROR CRIT HEAP MARK`, and empty for none.
[[nodiscard]] std::string_view word(Level level);
// Any case; also WARNING and CRITICAL. Nothing for an unknown word.
[[nodiscard]] std::optional<Level> level(std::string_view word);

// What a line of trouble tells. A routing NAK (`Alloc an err=<number>`) is none.
enum class AlarmKind : std::uint8_t {
  out_of_memory,       // `out of memory`, `std::bad_alloc`
  allocation_failure,  // `Failed to allocate ...`, `Alloc an err=ESP_ERR_NO_MEM`, ...: survived by the
                       // firmware
  panic,               // `Guru Meditation`, `abort() was called`, `Stack smashing`, `Backtrace:`, ...
  watchdog,            // task or interrupt watchdog
  low_heap,            // `Low heap (N bytes), ...`, `Boot heap watermark: only ...`
};
[[nodiscard]] std::string_view word(AlarmKind kind);
[[nodiscard]] std::optional<AlarmKind> alarm_kind(std::string_view word);

// A line that only a booting device prints. Each kind comes once per boot.
enum class BootSign : std::uint8_t {
  banner,      // `//\ E S H T /\ S T / C`
  rom_banner,  // `ets Jul 29 2019 12:21:46`, `ESP-ROM:esp32s3-20210327`: before the ROM says why
  rom_reset,   // `rst:0x1 (POWERON_RESET),...`, `ets Jan  8 2013,rst cause:4, ...`
  wake_cause,  // `Booted, wake cause 0 (boot count 1), reset_reason=reset`
};
[[nodiscard]] std::string_view word(BootSign sign);

// Why the device restarted, as far as the line tells.
enum class ResetCause : std::uint8_t {
  unknown,
  power_on,
  external,
  software,
  watchdog,
  panic,
  brownout,
  deep_sleep
};
[[nodiscard]] std::string_view word(ResetCause cause);

struct Boot {
  BootSign sign = BootSign::banner;
  ResetCause cause = ResetCause::unknown;
  std::string detail;  // the device's own word, e.g. `SW_CPU_RESET`; may be empty
};

// `------ Thread NAME leaked heap A -> B (D) ------` and its `++++++ ... freed` twin.
struct HeapEvent {
  enum class Kind : std::uint8_t { leaked, freed };
  Kind kind = Kind::leaked;
  std::string thread;
  std::int64_t before_bytes = 0;
  std::int64_t after_bytes = 0;  // free now
  std::int64_t delta_bytes = 0;  // below 0: leaked
};

// `Alloc in CONTEXT pointer 0x..., size: S, free: N`. free_bytes is missing where the line was cut.
struct Alloc {
  std::string context;
  std::int64_t size_bytes = 0;
  std::optional<std::int64_t> free_bytes;
};

// `MemAudit[WHEN]: tag=bytes ... total=bytes`: bytes held per subsystem; a balance may be negative.
struct MemAudit {
  std::string when;
  std::vector<std::pair<std::string, std::int64_t>> tags;
  std::optional<std::int64_t> total_bytes;
};

// `S:B:<hw model>,<version>,<pio env>[,<repo>]`, printed at every boot.
struct BuildInfo {
  std::uint32_t hw_model = 0;
  std::string firmware_version;
  std::string pio_env;
};

struct LogLine {
  std::string text;            // the whole line as sent, colours removed
  std::size_t message_at = 0;  // where in text the message begins (behind prefix and `[heap N]`)

  Level level = Level::none;
  std::string clock;               // `HH:MM:SS` or `??:??:??`; empty when the line has none
  std::optional<Duration> uptime;  // as printed; a portduino build prints milliseconds
  std::string thread;

  // Free heap: the `[heap N]` prefix, else what the message tells (but see thread events and Alloc).
  // 4294967295 is "no figure on this platform" and never stored.
  std::optional<std::int64_t> heap_free_bytes;
  SampleSource heap_source = SampleSource::debug_heap;  // of heap_free_bytes; only meaningful when it is set
  bool has_heap_prefix = false;                         // `[heap N]` stood there, with a figure or without
  std::optional<std::int64_t> heap_total_bytes;
  std::optional<std::int64_t> heap_delta_bytes;
  std::optional<std::int64_t> min_free_bytes;
  std::optional<std::int64_t> largest_block_bytes;
  std::optional<HeapEvent> heap_event;
  std::optional<Alloc> alloc;
  std::optional<MemAudit> mem_audit;

  std::optional<AlarmKind> alarm;
  std::optional<Boot> boot;
  std::optional<BuildInfo> build;
  bool announces_reboot = false;  // `Rebooting`, `Reboot in N seconds`: what follows is planned
  bool routing_nak = false;       // `Alloc an err=<Routing.Error>,to=...`: says nothing about memory
  bool cut = false;               // the tail may be missing: the last token of the message was not used
  std::uint32_t redactions = 0;   // private parts replaced in text (proto/redact.h)

  [[nodiscard]] std::string_view message() const { return std::string_view{text}.substr(message_at); }
};

// One free-heap reading of a line.
struct HeapReading {
  SampleSource source = SampleSource::debug_heap;
  std::int64_t free_bytes = 0;
};

// The readings a line gives: heap_free_bytes under its source, a thread event's `after`, an Alloc's `free`.
class HeapReadings {
 public:
  void add(HeapReading reading) { items_[size_++] = reading; }
  [[nodiscard]] const HeapReading* begin() const { return items_.data(); }
  [[nodiscard]] const HeapReading* end() const { return items_.data() + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::array<HeapReading, 3> items_{};
  std::size_t size_ = 0;
};
[[nodiscard]] HeapReadings heap_readings(const LogLine& line);

// A body of this many bytes or more filled the device's print buffer in text mode and lost its tail
// (firmware RedirectablePrint.cpp, printBuf[160]); portduino, told by its decimals, has a larger one.
inline constexpr std::size_t text_body_cut_bytes = 158;
// The same on portduino (up to 512 bytes).
inline constexpr std::size_t large_text_body_cut_bytes = 510;
// The same for LogRecord.message (nanopb max_size 384).
inline constexpr std::size_t record_body_cut_bytes = 383;

// A line of text mode: colour codes, NUL and a trailing CR are tolerated. `complete` is false when the line's
// end was not seen. Anything is a line; what is not understood is all message. Does not redact: use
// read_text_line (proto/redact.h) for anything that is kept or shown.
[[nodiscard]] LogLine parse_text_line(std::string_view text, bool complete = true);

// A log record of API mode: the bare body, its level and thread beside it.
[[nodiscard]] LogLine parse_record_body(std::string_view message, Level level, std::string_view source);

}  // namespace leakhunt::proto
