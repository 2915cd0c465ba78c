// Lines and frames of a file in, series by source out.
#include "recorder/text_reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "proto/framer.h"
#include "proto/records.h"
#include "proto/redact.h"
#include "recorder/allocation_aborts.h"
#include "recorder/line_reader.h"
#include "recorder/report_times.h"
#include "recorder/stamps.h"
#include "recorder/text_times.h"

namespace leakhunt::recorder {
namespace {

constexpr std::size_t kTelling = 2;          // records without heap that show the device has none
constexpr std::size_t kCompanionLines = 24;  // so far away a block or watermark may stand from its level
constexpr std::size_t kSilentLines = 1000;   // so many lines in a row that tell nothing are kept apart
constexpr double kSmallInKib = 2048;         // levels all below it, without unit, are KiB
constexpr double kSmallProcess = 4e6;        // the same for the resident set of a process
// A free heap within 16 MiB below 2^32 is a negative number in a 32-bit counter.
constexpr double kWrapped_low = 4294967296.0 - 16.0 * 1024 * 1024;
constexpr double kWrapped_high = 4294967296.0;
constexpr std::string_view kGuess = "guess: ";  // begins the names of shapes that are a last resort

// A row of bare cells, as `x,1,2,3`: no words, no time.
bool is_bare_row(std::string_view line) {
  bool letter_before = false;
  for (const char c : line) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool cell = letter || (c >= '0' && c <= '9') || c == ',' || c == ';' || c == '.' || c == '\t';
    if (!cell || (letter && letter_before)) {
      return false;
    }
    letter_before = letter;
  }
  return true;
}

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

struct PendingReading {
  std::size_t item = 0;
  Reading reading;
  bool unit_open = false;
};

struct SeriesKey {
  std::string source;
  MetricSense sense = MetricSense::free_memory;
  std::string owner;
  auto operator<=>(const SeriesKey&) const = default;
};

struct Series {
  MetricSense sense = MetricSense::free_memory;
  std::vector<PendingReading> readings;
};

// Collects what the lines and frames of one file tell; finish() puts it in its place and time.
class TextReader {
 public:
  TextReader(RecordingKind kind, const ShapeTable& shapes) : kind_(kind), shapes_(shapes) {}

  void take(const proto::StreamItem& item) {
    if (const auto* frame = std::get_if<proto::Frame>(&item)) {
      take_frame(frame->payload);
      return;
    }
    const auto& line = std::get<proto::TextLine>(item);
    ++recording_.lines_read;
    if (kind_ == RecordingKind::foreign_log) {
      if (auto row = read_table_line(tables_, line.text)) {
        take_told(std::move(*row));
        return;
      }
    }
    if (kind_ == RecordingKind::foreign_log && is_bare_row(line.text) &&
        !shapes_.find(line.text, false).anything()) {
      take_silent();
      return;
    }
    take_told(read_line(private_parts_, line.text, line.complete && !line.cut,
                        kind_ != RecordingKind::foreign_log, shapes_));
  }

  Recording finish() {
    drop_last_resort();
    settle_units();
    mark_allocation_aborts(recording_.lines, line_items_, items_);
    report_times_.settle(items_);
    const auto placed = place(items_);
    recording_.kind = kind_;
    recording_.time = placed.base;
    recording_.boots = placed.boots;
    place_readings();
    place_lines();
    make_notes(placed);
    return std::move(recording_);
  }

 private:
  void take_told(ToldLine told) {
    if (told.comment) {
      ++comments_;
      return;
    }
    if (is_silent(told)) {
      take_silent();
      return;
    }
    silent_ = 0;
    items_.push_back(told.item);
    const std::size_t at = items_.size() - 1;
    carry_uptime(items_.back(), at);
    report_times_.see(items_, at);
    for (const auto& level : told.levels) {
      take_level(level, at);
    }
    if (told.levels.empty()) {
      take_companions(told, at);
    }
    if (told.heap_event) {
      recording_.heap_events.push_back(*told.heap_event);
      event_items_.push_back(at);
    }
    for (const auto kind : told.kinds) {
      recording_.lines.push_back({.kind = kind, .text = told.text});
      line_items_.push_back(at);
    }
  }

  static bool is_silent(const ToldLine& told) {
    const auto& item = told.item;
    const bool timed =
        !std::isnan(item.utc_s) || !std::isnan(item.clock_s) || item.uptime_of != UptimeOf::none;
    const bool sign = !item.boot_sign.empty() || !item.crash_cause.empty() || !item.cause_hint.empty();
    const bool figures =
        !std::isnan(told.largest_block) || !std::isnan(told.min_free) || !std::isnan(told.total);
    return !timed && !sign && !figures && told.levels.empty() && told.kinds.empty() && !told.heap_event;
  }

  // It only keeps its neighbours apart, so that a file of nothing else needs no memory.
  void take_silent() {
    if (++silent_ <= kSilentLines) {
      items_.emplace_back();
    }
  }

  // Reports of many lines tell their uptime in a line of its own before the level.
  void carry_uptime(TextItem& item, std::size_t at) {
    if (item.uptime_of == UptimeOf::figure) {
      figure_at_ = at;
    } else if (item.has_reading && item.uptime_of == UptimeOf::none && figure_at_ &&
               at - *figure_at_ < kCompanionLines) {
      item.uptime_of = UptimeOf::figure;
      item.told_uptime_s = items_[*figure_at_].told_uptime_s;
    }
  }

  void take_level(const ToldLevel& level, std::size_t at) {
    if (level.sense == MetricSense::free_memory && level.value >= kWrapped_low &&
        level.value < kWrapped_high) {
      ++impossible_;
      return;
    }
    auto& series = series_[{level.source, level.sense, level.owner}];
    series.sense = level.sense;
    report_times_.give(items_, at,
                       series.readings.empty() ? std::nullopt : std::optional(series.readings.back().item));
    Reading reading{.value = level.value,
                    .largest_block = level.largest_block,
                    .min_free = level.min_free,
                    .total = level.total};
    take_waiting(reading, at);
    series.readings.push_back({at, reading, level.unit_open});
    last_series_ = &series;
  }

  // Figures told just before their level.
  void take_waiting(Reading& reading, std::size_t at) {
    if (waiting_ && at - waiting_->item < kCompanionLines) {
      join(reading, waiting_->reading);
    }
    waiting_.reset();
  }

  static void join(Reading& into, const Reading& from) {
    const auto fill = [](double& a, double b) { a = std::isnan(a) ? b : a; };
    fill(into.largest_block, from.largest_block);
    fill(into.min_free, from.min_free);
    fill(into.total, from.total);
  }

  void take_companions(const ToldLine& told, std::size_t at) {
    if (std::isnan(told.largest_block) && std::isnan(told.min_free) && std::isnan(told.total)) {
      return;
    }
    const Reading figures{
        .largest_block = told.largest_block, .min_free = told.min_free, .total = told.total};
    alone_.push_back({at, figures, told.unit_open});
    if (last_series_ != nullptr && at - last_series_->readings.back().item < kCompanionLines) {
      auto& last = last_series_->readings.back().reading;
      if (!std::isnan(told.largest_block) ? std::isnan(last.largest_block) : true) {
        join(last, figures);
        return;
      }
    }
    waiting_ = PendingReading{at, figures, told.unit_open};
  }

  void take_frame(std::span<const std::uint8_t> payload) {
    ++recording_.frames_read;
    for (const auto& record : proto::decode_from_radio(payload)) {
      if (const auto* log = std::get_if<proto::LogRecord>(&record)) {
        auto told = read_record_line(log->line);
        told.item.utc_s = log->time != 0 ? log->time : kNoFigure;
        take_told(std::move(told));
      } else if (const auto* telemetry = std::get_if<proto::Telemetry>(&record)) {
        take_telemetry(*telemetry);
      } else if (const auto* info = std::get_if<proto::MyInfo>(&record)) {
        take_my_info(*info);
      } else if (std::holds_alternative<proto::Rebooted>(record)) {
        add_boot_sign("rebooted");
      }
    }
  }

  void add_boot_sign(std::string_view word) {
    TextItem item;
    item.boot_sign = word;
    items_.push_back(item);
  }

  void take_my_info(const proto::MyInfo& info) {
    own_node_ = info.node;
    if (reboot_count_ && *reboot_count_ != info.reboot_count) {
      add_boot_sign("reboot_count");
    }
    reboot_count_ = info.reboot_count;
  }

  void take_telemetry(const proto::Telemetry& telemetry) {
    if (own_node_ && telemetry.from != *own_node_) {
      ++other_nodes_;
      return;
    }
    TextItem item;
    item.utc_s = telemetry.time != 0 ? telemetry.time : kNoFigure;
    if (telemetry.uptime_s) {
      item.told_uptime_s = *telemetry.uptime_s;
      item.uptime_of = UptimeOf::telemetry;
    }
    item.has_reading = telemetry.heap.has_value();
    items_.push_back(item);
    if (!telemetry.heap) {
      local_without_heap_ += telemetry.variant == proto::Variant::local ? 1U : 0U;
      return;
    }
    const auto number = [&telemetry](std::string_view name) {
      const auto* value = proto::find(telemetry, name);
      return value != nullptr ? proto::number(*value).value_or(kNoFigure) : kNoFigure;
    };
    auto& series = series_[{telemetry.request_id != 0 ? "poll" : "stats", MetricSense::free_memory, ""}];
    series.readings.push_back({items_.size() - 1,
                               {.value = static_cast<double>(telemetry.heap->free_bytes),
                                .total = static_cast<double>(telemetry.heap->total_bytes),
                                .packets_rx = number("num_packets_rx"),
                                .total_nodes = number("num_total_nodes")}});
    last_series_ = &series;
  }

  // Any size in a line is a guess, for files that tell no level otherwise.
  void drop_last_resort() {
    const auto is_guess = [](const auto& entry) { return entry.first.source.starts_with(kGuess); };
    if (!std::all_of(series_.begin(), series_.end(), is_guess)) {
      std::erase_if(series_, is_guess);
    }
  }

  void settle_units() {
    for (auto& [key, series] : series_) {
      const double bound = series.sense == MetricSense::used_memory ? kSmallProcess : kSmallInKib;
      const bool small =
          std::all_of(series.readings.begin(), series.readings.end(),
                      [bound](const PendingReading& r) { return r.unit_open && r.reading.value < bound; });
      if (!small || series.readings.empty()) {
        continue;
      }
      for (auto& pending : series.readings) {
        for (double* figure : {&pending.reading.value, &pending.reading.largest_block,
                               &pending.reading.min_free, &pending.reading.total}) {
          *figure *= 1024;
        }
      }
      ++kib_assumed_;
    }
  }

  void place_readings() {
    for (auto& [key, series] : series_) {
      Metric metric;
      metric.name = key.sense == MetricSense::free_memory ? "heap_free_bytes" : "used_bytes";
      metric.source = key.source;
      metric.owner = key.owner;
      metric.sense = key.sense;
      add_readings(metric, series.readings, [](const Reading& r) { return r.value; });
      recording_.metrics.push_back(std::move(metric));
    }
    if (!recording_.metrics.empty() || alone_.empty()) {
      return;
    }
    add_alone("heap_largest_block_bytes", MetricRole::largest_block,
              [](const Reading& r) { return r.largest_block; });
    add_alone("heap_min_ever_bytes", MetricRole::low_water, [](const Reading& r) { return r.min_free; });
  }

  void add_alone(std::string name, MetricRole role, double (*figure)(const Reading&)) {
    Metric metric;
    metric.name = std::move(name);
    metric.source = "log";
    metric.role = role;
    add_readings(metric, alone_, figure);
    if (!metric.readings.empty()) {
      recording_.metrics.push_back(std::move(metric));
    }
  }

  void add_readings(Metric& metric, const std::vector<PendingReading>& pending,
                    double (*figure)(const Reading&)) {
    for (const auto& one : pending) {
      Reading reading = one.reading;
      reading.value = figure(one.reading);
      if (std::isnan(reading.value)) {
        continue;
      }
      const auto& item = items_[one.item];
      reading.t_s = item.t_s;
      reading.uptime_s = item.uptime_s;
      reading.boot = item.boot;
      metric.readings.push_back(reading);
    }
  }

  void place_lines() {
    for (std::size_t i = 0; i < recording_.lines.size(); ++i) {
      const auto& item = items_[line_items_[i]];
      recording_.lines[i].t_s = item.t_s;
      recording_.lines[i].uptime_s = item.uptime_s;
      recording_.lines[i].boot = item.boot;
    }
    for (std::size_t i = 0; i < recording_.heap_events.size(); ++i) {
      const auto& item = items_[event_items_[i]];
      recording_.heap_events[i].t_s = item.t_s;
      recording_.heap_events[i].uptime_s = item.uptime_s;
      recording_.heap_events[i].boot = item.boot;
    }
  }

  void note(std::size_t count, const std::string& text) {
    if (count > 0) {
      recording_.notes.push_back(std::to_string(count) + " " + text);
    }
  }

  void make_notes(const PlacedTimes& placed) {
    note(comments_, "comment lines skipped");
    note(impossible_, "impossible readings skipped (a negative number in a 32-bit counter)");
    if (local_without_heap_ >= kTelling && recording_.metrics.empty()) {
      recording_.notes.emplace_back(
          "this device reports no heap (a stock meshtasticd does not); watch its process instead");
    }
    note(other_nodes_, "telemetry messages of other nodes skipped");
    note(placed.wraps, "wraps of the uptime at 49.7 days, no restarts");
    note(placed.clock_steps, "steps of the clock undone");
    note(kib_assumed_, "series read as KiB: all values are small and have no unit");
    if (placed.base == TimeBase::none && !recording_.metrics.empty()) {
      recording_.notes.emplace_back(
          "no times in the file: even spacing of 60 s assumed, so no rate can be told");
    }
  }

  RecordingKind kind_;
  const ShapeTable& shapes_;
  proto::TextReader private_parts_;
  Recording recording_;
  std::vector<TextItem> items_;
  std::vector<std::size_t> line_items_;   // of recording_.lines
  std::vector<std::size_t> event_items_;  // of recording_.heap_events
  std::map<SeriesKey, Series> series_;
  Series* last_series_ = nullptr;
  std::optional<PendingReading> waiting_;
  std::vector<PendingReading> alone_;
  LineTables tables_;
  ReportTimes report_times_;
  std::optional<std::size_t> figure_at_;  // the last line that told an uptime in its text
  std::optional<std::uint32_t> own_node_;
  std::optional<std::uint32_t> reboot_count_;
  std::size_t silent_ = 0;  // lines in a row
  std::size_t comments_ = 0;
  std::size_t impossible_ = 0;
  std::size_t other_nodes_ = 0;
  std::size_t local_without_heap_ = 0;
  std::size_t kib_assumed_ = 0;
};

}  // namespace

Recording read_text(std::string_view bytes, RecordingKind kind, const ShapeTable& shapes) {
  TextReader reader(kind, shapes);
  const proto::Framer::Sink sink = [&reader](const proto::StreamItem& item) { reader.take(item); };
  proto::Framer framer;
  framer.feed(as_bytes(bytes), sink);
  framer.finish(sink);
  return reader.finish();
}

}  // namespace leakhunt::recorder
