// What one line of a log tells, whether it is the firmware's or another project's: figures, events, times.
// Knows nothing of the lines around it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/log_line.h"
#include "proto/redact.h"
#include "recorder/line_tables.h"
#include "recorder/log_shapes.h"
#include "recorder/recording.h"
#include "recorder/text_times.h"

namespace leakhunt::recorder {

// A level that a line tells, with what stands beside it.
struct ToldLevel {
  std::string source;
  MetricSense sense = MetricSense::free_memory;
  double value = 0;
  double largest_block = kNoFigure;
  double min_free = kNoFigure;
  double total = kNoFigure;
  bool unit_open = false;  // KiB if all of its series are small
  std::string owner = {};  // the process, container or device it belongs to, where the line tells
};

struct ToldLine {
  TextItem item;
  std::vector<ToldLevel> levels;
  // Figures of a line without a level: they belong to the level told nearby.
  double largest_block = kNoFigure;
  double min_free = kNoFigure;
  double total = kNoFigure;
  bool unit_open = false;
  std::vector<RecordedLineKind> kinds;  // empty: nothing worth keeping
  std::optional<RecordedHeapEvent> heap_event;
  std::string text;  // redacted and printable; only where the line is kept
  bool comment = false;
};

// True where the line has the prefix of the firmware's text log.
[[nodiscard]] bool has_firmware_prefix(const proto::LogLine& line);

// `reader` is of the file the line stands in. `firmware_file`: lines are the firmware's unless they look
// otherwise; else the shapes come first.
[[nodiscard]] ToldLine read_line(proto::TextReader& reader, std::string_view text, bool complete,
                                 bool firmware_file, const ShapeTable& shapes);

// Adds what an event of that kind tells, of the line and of the boots around it.
void take_event(ToldLine& told, RecordedLineKind kind);

// A header or row of a table inside the log; nothing where the line is none.
[[nodiscard]] std::optional<ToldLine> read_table_line(LineTables& tables, std::string_view text);

// The same for a log record of API mode, already parsed.
[[nodiscard]] ToldLine read_record_line(const proto::LogLine& line);

}  // namespace leakhunt::recorder
