// The firmware's grammar and the line shapes, joined: which of them may speak depends on whose line it is.
#include "recorder/line_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "proto/own_words.h"
#include "proto/printable.h"
#include "proto/private_text.h"
#include "proto/redact.h"
#include "recorder/quoted.h"
#include "recorder/stamps.h"

namespace leakhunt::recorder {
namespace {

using Kind = RecordedLineKind;

bool contains_folded(std::string_view text, std::string_view low_word) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
  };
  return std::search(text.begin(), text.end(), low_word.begin(), low_word.end(), same) != text.end();
}

// The published rules search whole lines; such a line is kept whatever the grammar says of it.
bool published_rules_look_for(std::string_view text) {
  constexpr std::array<std::string_view, 5> kWords = {"alloc an err", "out of memory", "panic", "abort",
                                                      "connection_lost"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [text](std::string_view word) { return contains_folded(text, word); });
}

void add_kind(ToldLine& told, Kind kind) {
  if (std::find(told.kinds.begin(), told.kinds.end(), kind) == told.kinds.end()) {
    told.kinds.push_back(kind);
  }
}

std::string_view cause_of(proto::ResetCause cause) {
  switch (cause) {
    case proto::ResetCause::watchdog:
      return "watchdog";
    case proto::ResetCause::panic:
      return "panic";
    case proto::ResetCause::power_on:
    case proto::ResetCause::brownout:
      return "power";
    default:
      return {};
  }
}

void take_alarm(ToldLine& told, const proto::LogLine& line) {
  if (!line.alarm) {
    return;
  }
  switch (*line.alarm) {
    case proto::AlarmKind::out_of_memory:
      add_kind(told,
               contains_folded(line.message(), "bad_alloc") ? Kind::allocation_abort : Kind::out_of_memory);
      told.item.cause_hint = "out_of_memory";
      break;
    case proto::AlarmKind::allocation_failure:
      add_kind(told, Kind::allocation_failure);
      break;
    case proto::AlarmKind::panic:
      add_kind(told, contains_folded(line.message(), "abort") ? Kind::abort : Kind::panic);
      told.item.crash_cause = "panic";
      break;
    case proto::AlarmKind::watchdog:
      add_kind(told, Kind::watchdog);
      // A reset word explains the boot it belongs to, not the next one.
      told.item.cause_hint = line.boot ? std::string_view{} : "watchdog";
      break;
    case proto::AlarmKind::low_heap:
      add_kind(told, Kind::low_memory);
      break;
  }
}

double figure(const std::optional<std::int64_t>& value) {
  return value ? static_cast<double>(*value) : kNoFigure;
}

// ROM lines are the chip's, whatever the firmware.
void take_boot(ToldLine& told, const proto::LogLine& line) {
  if (!line.boot) {
    return;
  }
  add_kind(told, Kind::boot);
  told.item.boot_sign = proto::word(line.boot->sign);
  told.item.boot_cause = cause_of(line.boot->cause);
}

void take_grammar(ToldLine& told, const proto::LogLine& line) {
  for (const auto& reading : proto::heap_readings(line)) {
    ToldLevel level{std::string(proto::word(reading.source)), MetricSense::free_memory,
                    static_cast<double>(reading.free_bytes)};
    if (reading.source == line.heap_source && line.heap_free_bytes == reading.free_bytes) {
      level.largest_block = figure(line.largest_block_bytes);
      level.min_free = figure(line.min_free_bytes);
      level.total = figure(line.heap_total_bytes);
    }
    told.levels.push_back(std::move(level));
  }
  if (line.heap_event) {
    told.heap_event = RecordedHeapEvent{.thread = line.heap_event->thread,
                                        .before = static_cast<double>(line.heap_event->before_bytes),
                                        .after = static_cast<double>(line.heap_event->after_bytes),
                                        .leaked = line.heap_event->kind == proto::HeapEvent::Kind::leaked};
  }
  take_alarm(told, line);
  if (line.routing_nak) {
    add_kind(told, Kind::routing_nak);
  }
  if (line.announces_reboot) {
    add_kind(told, Kind::planned_reboot);
    told.item.cause_hint = "planned";
  }
  take_boot(told, line);
}

}  // namespace

void take_event(ToldLine& told, RecordedLineKind kind) {
  add_kind(told, kind);
  switch (kind) {
    case Kind::boot:
      if (told.item.boot_sign.empty()) {
        told.item.boot_sign = kWeakSign;
      }
      break;
    case Kind::panic:
    case Kind::abort:
      told.item.crash_cause = "panic";
      break;
    case Kind::watchdog:
      told.item.cause_hint = told.item.boot_sign.empty() ? "watchdog" : std::string_view{};
      break;
    case Kind::out_of_memory:
    case Kind::allocation_abort:
      told.item.cause_hint = "out_of_memory";
      break;
    case Kind::planned_reboot:
      told.item.cause_hint = "planned";
      break;
    default:
      break;
  }
}

namespace {

double figure(const std::optional<double>& value) {
  return value.value_or(kNoFigure);
}

void take_shape_figures(ToldLine& told, const ShapeFinds& finds) {
  const auto source = finds.label.empty() ? finds.shape : finds.label;
  const auto level = [&](double value, MetricSense sense) {
    // A total smaller than the level is the size of something else.
    const double total = figure(finds.total) < value ? kNoFigure : figure(finds.total);
    told.levels.push_back({source, sense, value, figure(finds.largest), figure(finds.min), total,
                           finds.unit_open, finds.thread});
  };
  if (finds.free) {
    level(*finds.free, MetricSense::free_memory);
  }
  if (finds.used) {
    level(*finds.used, MetricSense::used_memory);
  }
  if (told.levels.empty()) {
    told.largest_block = figure(finds.largest);
    told.min_free = figure(finds.min);
    told.total = figure(finds.total);
    told.unit_open = finds.unit_open;
  }
  if (finds.before && finds.after) {
    told.heap_event = RecordedHeapEvent{.thread = finds.thread,
                                        .before = *finds.before,
                                        .after = *finds.after,
                                        .leaked = *finds.after < *finds.before};
    if (told.levels.empty()) {
      told.levels.push_back({"thread_event", MetricSense::free_memory, *finds.after});
    }
  }
}

void take_shapes(ToldLine& told, const ShapeFinds& finds, bool figures_too) {
  if (figures_too) {
    take_shape_figures(told, finds);
  }
  for (const auto& event : finds.events) {
    if (const auto kind = recorded_line_kind(event)) {
      take_event(told, *kind);
    }
  }
  if (told.item.crash_cause == "panic" && finds.shape == "brownout") {
    told.item.crash_cause = "power";
  }
  if (finds.uptime_s && told.item.uptime_of == UptimeOf::none) {
    told.item.told_uptime_s = *finds.uptime_s;
    told.item.uptime_of = UptimeOf::figure;
  }
  // A time inside the line counts where none stands in front of it.
  if (!finds.time.empty() && std::isnan(told.item.utc_s)) {
    const auto stamps = take_stamps(finds.time);
    told.item.utc_s = stamps.utc_s.value_or(kNoFigure);
    told.item.clock_s = stamps.clock_s.value_or(told.item.clock_s);
  }
}

void take_stamps_into(TextItem& item, const LineStamps& stamps) {
  item.utc_s = stamps.utc_s.value_or(kNoFigure);
  item.clock_s = stamps.clock_s.value_or(kNoFigure);
  if (stamps.uptime_s) {
    item.told_uptime_s = *stamps.uptime_s;
    item.uptime_of = stamps.uptime_form == UptimeForm::esp_idf     ? UptimeOf::esp_idf
                     : stamps.uptime_form == UptimeForm::bracketed ? UptimeOf::bracketed
                                                                   : UptimeOf::bare;
  }
}

void take_firmware_time(TextItem& item, const proto::LogLine& line) {
  if (line.uptime) {
    item.told_uptime_s = seconds(*line.uptime);
    item.uptime_of = UptimeOf::firmware;
  } else if (std::isnan(item.utc_s) && std::isnan(item.clock_s)) {
    item.clock_s = parse_clock(line.clock).value_or(kNoFigure);
  }
}

void keep_text(ToldLine& told, const proto::LogLine& line) {
  if (told.kinds.empty() && published_rules_look_for(line.text)) {
    told.kinds.push_back(Kind::other);
  }
  if (!told.kinds.empty()) {
    told.text = proto::printable(line.text);
  }
  told.item.has_reading = !told.levels.empty();
}

}  // namespace

bool has_firmware_prefix(const proto::LogLine& line) {
  // Level and uptime alone are those of an ESP-IDF or Arduino line, which other firmware prints as well.
  const bool clock = !line.clock.empty();
  return (clock && (line.uptime || line.level != proto::Level::none)) || line.has_heap_prefix;
}

namespace {

// An owner, a channel or a network may be called like a failure. In `key="value"` and JSON each value is
// alone.
void drop_chosen_words(ShapeFinds& finds, const ShapeTable& shapes, std::string_view text, bool of_firmware) {
  const auto of_memory = [](std::string_view event) {
    return event == "out_of_memory" || event == "allocation_failure";
  };
  const bool trouble = std::any_of(finds.events.begin(), finds.events.end(), of_memory);
  const bool structured =
      text.find("=\"") != std::string_view::npos || text.find("\":") != std::string_view::npos;
  if (!trouble || structured || !proto::introduces_user_data(text, of_firmware)) {
    return;
  }
  std::size_t own = 0;  // so much of the line stands before the first such word
  for (std::size_t end = 1;
       end < text.size() && !proto::introduces_user_data(text.substr(0, end), of_firmware); ++end) {
    own = end;
  }
  const auto before = shapes.find(text.substr(0, own), false);
  std::erase_if(finds.events, [&](const std::string& event) {
    return of_memory(event) &&
           std::find(before.events.begin(), before.events.end(), event) == before.events.end();
  });
}

// What a line quotes is nobody's figure and nobody's trouble.
ShapeFinds find_shapes(const ShapeTable& shapes, std::string_view text, bool complete, bool of_firmware) {
  const std::string own = may_quote(text) ? without_quotes(text) : std::string(text);
  auto finds = shapes.find(own, !complete);
  drop_chosen_words(finds, shapes, own, of_firmware);
  return finds;
}

// The rest of a text that somebody wrote.
bool is_hidden(const proto::LogLine& line) {
  return line.redactions > 0 && line.text == proto::redaction_mark;
}

}  // namespace

std::optional<ToldLine> read_table_line(LineTables& tables, std::string_view text) {
  const auto stamps = take_stamps(text);
  std::optional<TableLevel> level;
  if (tables.take(stamps.rest, level) == LineTables::Line::other) {
    return std::nullopt;
  }
  ToldLine told;
  take_stamps_into(told.item, stamps);
  if (level) {
    told.levels.push_back({"table", level->sense, level->bytes});
    told.levels.back().owner = level->label;
    told.item.has_reading = true;
  }
  return told;
}

ToldLine read_line(proto::TextReader& reader, std::string_view text, bool complete, bool firmware_file,
                   const ShapeTable& shapes) {
  ToldLine told;
  if (text.starts_with("# ")) {
    told.comment = true;
    return told;
  }
  const auto prefixed = [complete](std::string_view at) {
    return has_firmware_prefix(proto::parse_text_line(at, complete));
  };
  LineStamps stamps;
  std::string_view from_device = text;
  if (!prefixed(text)) {
    stamps = take_stamps(text);
    take_stamps_into(told.item, stamps);
    if (prefixed(stamps.rest)) {
      from_device = stamps.rest;
    }
  }
  auto line = reader.read(from_device, complete);
  if (has_firmware_prefix(line)) {
    take_firmware_time(told.item, line);
    take_grammar(told, line);
    keep_text(told, line);
    return told;
  }
  if (firmware_file && is_hidden(line)) {
    const auto own = proto::own_words(stamps.rest);  // behind a stamp of the host
    if (!own) {
      return told;
    }
    line = proto::read_text_line(*own, complete);
  }
  const auto finds = find_shapes(shapes, stamps.rest, complete, firmware_file);
  if (firmware_file) {
    take_grammar(told, line);
    take_shapes(told, finds, told.levels.empty());
  } else {
    take_boot(told, line);
    take_shapes(told, finds, true);
    if (line.announces_reboot) {
      take_event(told, Kind::planned_reboot);
    }
    if (told.levels.empty() && told.kinds.empty() && !finds.anything()) {
      take_grammar(told, line);
    }
  }
  keep_text(told, line);
  return told;
}

ToldLine read_record_line(const proto::LogLine& line) {
  ToldLine told;
  take_firmware_time(told.item, line);
  take_grammar(told, line);
  keep_text(told, line);
  return told;
}

}  // namespace leakhunt::recorder
