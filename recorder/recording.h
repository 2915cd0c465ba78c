// A recorded file as plain values: a CSV of readings, a device's text log, a capture of its bytes, or another
// project's log. Knows nothing of verdicts, stores and links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "recorder/log_shapes.h"

namespace leakhunt::recorder {

// A figure that is not there.
inline constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();

enum class RecordingKind : std::uint8_t { csv, firmware_text, byte_capture, foreign_log };
// `csv`, `firmware text`, `byte capture`, `log`.
[[nodiscard]] std::string_view word(RecordingKind kind);

// free_memory: falling is bad; used_memory: rising is bad.
enum class MetricSense : std::uint8_t { free_memory, used_memory };

// largest_block and low_water are the judged figure only where a file has no level at all.
enum class MetricRole : std::uint8_t { level, largest_block, low_water };

// One reading; sizes in bytes, absent figures are kNoFigure.
struct Reading {
  double t_s = 0;               // seconds: UTC where the file has dates, else since some moment of the file
  double uptime_s = kNoFigure;  // since the device's boot, wrap at 4294967 s undone
  std::size_t boot = 0;         // index into Recording::boots, 0 where the reader could not tell
  double value = 0;
  double largest_block = kNoFigure;
  double min_free = kNoFigure;
  double total = kNoFigure;
  double packets_rx = kNoFigure;
  double total_nodes = kNoFigure;
};

// One figure over time from one source, in the order of the file.
struct Metric {
  std::string name;    // column, or `heap_free_bytes`, `used_bytes`, ...
  std::string owner;   // whose memory it is where a file tells of several devices or processes; else empty
  std::string source;  // `column`, the word of a SampleSource, or the name of the line shape
  MetricSense sense = MetricSense::free_memory;
  bool sense_told = true;  // false: nothing said whether rising or falling is bad
  MetricRole role = MetricRole::level;
  std::vector<Reading> readings;
};

// What a line or event of the file says.
enum class RecordedLineKind : std::uint8_t {
  out_of_memory,
  allocation_abort,
  allocation_failure,
  low_memory,
  routing_nak,
  panic,
  watchdog,
  abort,
  boot,
  planned_reboot,
  connection_lost,
  connection_established,
  other,
};
[[nodiscard]] std::optional<RecordedLineKind> recorded_line_kind(std::string_view word);

// A line worth keeping: one that tells of trouble or a restart, or that the published rules look for.
struct RecordedLine {
  double t_s = 0;
  double uptime_s = kNoFigure;
  std::size_t boot = 0;
  RecordedLineKind kind = RecordedLineKind::other;
  std::string text;  // redacted, printable
};

// `Thread NAME leaked heap BEFORE -> AFTER (DELTA)` or its `freed` twin.
struct RecordedHeapEvent {
  double t_s = 0;
  double uptime_s = kNoFigure;
  std::size_t boot = 0;
  std::string thread;
  double before = 0;
  double after = 0;
  bool leaked = true;
};

struct RecordedBoot {
  double began_s = 0;  // t_s of its first sign
  std::string cause;   // `watchdog`, `panic`, `out_of_memory`, `planned`, ...; empty where unknown
  std::string signs;   // space-separated kinds of sign; empty for the first, whose start the file may lack
};

// Where the times come from. `none`: the readings carry no time, even spacing of kAssumedStep_s is assumed.
enum class TimeBase : std::uint8_t { utc, clock, uptime, relative, none };
inline constexpr double kAssumedStep_s = 60;

struct Recording {
  RecordingKind kind = RecordingKind::csv;
  TimeBase time = TimeBase::relative;
  std::vector<Metric> metrics;
  std::vector<RecordedLine> lines;             // in the order of the file
  std::vector<RecordedHeapEvent> heap_events;  // in the order of the file
  std::vector<RecordedBoot> boots;             // empty: the readings' own uptimes must tell (CSV)
  std::vector<std::string> notes;              // what was skipped or assumed, with counts
  std::size_t lines_read = 0;
  std::size_t frames_read = 0;
};

struct ReadOptions {
  std::vector<LogShape> log_shapes;  // the user's, tried before the built-in ones
  bool keep_impossible = false;      // of a table: also figures that no memory can have
};

// Reads the bytes of a file. Any content is a recording, if an empty one; an error tells of a log shape that
// is no pattern.
[[nodiscard]] Result<Recording> read_recording(std::string_view bytes, const ReadOptions& options = {});

// The same from a path; fails where the file is missing, unreadable, a folder or above 1 GiB.
[[nodiscard]] Result<Recording> read_recording_file(const std::string& path, const ReadOptions& options = {});

// A file's bytes, with the same errors; UTF-16 text comes as UTF-8.
[[nodiscard]] Result<std::string> read_whole_file(const std::string& path);

// Adds what a log beside a CSV tells. Lines `seconds<TAB>text` are placed by their seconds, `EVENT kind`
// being an event of that kind; any other log gives its lines of trouble at their own times where those fall
// on the readings', else at the end.
[[nodiscard]] Outcome add_companion_log(Recording& recording, std::string_view log_bytes,
                                        const ReadOptions& options = {});

}  // namespace leakhunt::recorder
