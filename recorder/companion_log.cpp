// A log that was recorded beside a CSV: its lines become evidence of the same recording.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proto/printable.h"
#include "recorder/line_reader.h"
#include "recorder/recording.h"
#include "recorder/text_boots.h"
#include "recorder/text_reader.h"

namespace leakhunt::recorder {
namespace {

constexpr double kTells_s = 60;  // so long after a line its device may restart because of it

struct TabLine {
  double t_s = 0;
  std::string_view text;
};

std::optional<TabLine> tab_line(std::string_view line) {
  const auto tab = line.find('\t');
  if (tab == std::string_view::npos) {
    return std::nullopt;
  }
  TabLine out{0, line.substr(tab + 1)};
  const auto [end, failure] = std::from_chars(line.data(), line.data() + tab, out.t_s);
  if (failure != std::errc{} || end != line.data() + tab || !std::isfinite(out.t_s)) {
    return std::nullopt;
  }
  return out;
}

template <class Take>
std::size_t for_filled_lines(std::string_view bytes, Take take) {
  std::size_t filled = 0;
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    auto line = bytes.substr(0, end);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (!line.empty()) {
      ++filled;
      take(line);
    }
    bytes = end == std::string_view::npos ? std::string_view{} : bytes.substr(end + 1);
  }
  return filled;
}

bool has_tab_times(std::string_view bytes) {
  std::size_t with = 0;
  const auto filled =
      for_filled_lines(bytes, [&with](std::string_view line) { with += tab_line(line) ? 1U : 0U; });
  return filled > 0 && with * 2 > filled;
}

ToldLine event_of(std::string_view word) {
  ToldLine told;
  take_event(told, recorded_line_kind(word).value_or(RecordedLineKind::other));
  told.text = proto::printable(word);
  return told;
}

ToldLine read_tab_line(proto::TextReader& reader, std::string_view text, const ShapeTable& shapes) {
  if (text.starts_with("EVENT ")) {
    return event_of(text.substr(text.find(' ') + 1));
  }
  auto told = read_line(reader, text, true, true, shapes);
  // Recorders of today write this for a boot they saw; the firmware itself has no such line.
  if (text.ends_with("] Booting")) {
    told.kinds.clear();
    take_event(told, RecordedLineKind::boot);
    told.text = proto::printable(text);
  }
  return told;
}

// The boots in lines that lie close together, by the rule of text logs. What a table's device did before is
// on the table.
void add_boots_of(Recording& recording, std::vector<TextItem> items) {
  TextItem before;
  before.t_s = items.front().t_s;
  before.has_reading = true;
  items.insert(items.begin(), before);
  PlacedTimes placed;
  find_boots(items, placed);
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (items[i].boot == items[i - 1].boot) {
      continue;
    }
    auto boot = placed.boots[items[i].boot];
    boot.began_s = items[i].t_s;
    recording.boots.push_back(std::move(boot));
  }
}

void add_boots_of_all(Recording& recording, std::vector<TextItem> items) {
  std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.t_s < b.t_s; });
  for (auto first = items.begin(); first != items.end();) {
    const auto last = std::adjacent_find(
        first, items.end(), [](const auto& a, const auto& b) { return b.t_s - a.t_s > kTells_s; });
    const auto end = last == items.end() ? last : std::next(last);
    add_boots_of(recording, {first, end});
    first = end;
  }
}

void add_tab_lines(Recording& recording, std::string_view bytes, const ShapeTable& shapes) {
  proto::TextReader reader;
  std::vector<TextItem> items;
  for_filled_lines(bytes, [&](std::string_view raw) {
    const auto line = tab_line(raw);
    if (!line) {
      return;
    }
    const auto told = read_tab_line(reader, line->text, shapes);
    items.push_back(told.item);
    items.back().t_s = line->t_s;
    for (const auto kind : told.kinds) {
      recording.lines.push_back({.t_s = line->t_s, .kind = kind, .text = told.text});
    }
    if (told.heap_event) {
      recording.heap_events.push_back(*told.heap_event);
      recording.heap_events.back().t_s = line->t_s;
    }
  });
  add_boots_of_all(recording, std::move(items));
  const auto earlier = [](const auto& a, const auto& b) { return a.t_s < b.t_s; };
  std::stable_sort(recording.lines.begin(), recording.lines.end(), earlier);
  std::stable_sort(recording.heap_events.begin(), recording.heap_events.end(), earlier);
}

struct Span {
  double first = kNoFigure;
  double last = kNoFigure;
};

Span span_of(const Recording& recording) {
  Span span;
  for (const auto& metric : recording.metrics) {
    for (const auto& reading : metric.readings) {
      span.first = std::isnan(span.first) ? reading.t_s : std::min(span.first, reading.t_s);
      span.last = std::isnan(span.last) ? reading.t_s : std::max(span.last, reading.t_s);
    }
  }
  return span;
}

// Log and table of one recording rarely share a clock: the log's times are taken where they fall on the
// table's, else its last line is the table's last row.
void add_other_log(Recording& recording, Recording log) {
  const auto span = span_of(recording);
  const double length = span.last - span.first;
  const auto on_table = [&span, length](double t) {
    return t >= span.first - 0.1 * length - 60 && t <= span.last + 0.1 * length + 60;
  };
  const bool same_clock = log.time != TimeBase::none && !std::isnan(span.first) &&
                          std::all_of(log.lines.begin(), log.lines.end(),
                                      [&](const RecordedLine& line) { return on_table(line.t_s); });
  const double end_s = std::isnan(span.last) ? 0 : span.last;
  for (auto& line : log.lines) {
    line.t_s = same_clock ? line.t_s : end_s;
    line.boot = 0;
    recording.lines.push_back(std::move(line));
  }
  for (auto& event : log.heap_events) {
    event.t_s = same_clock ? event.t_s : end_s;
    event.boot = 0;
    recording.heap_events.push_back(std::move(event));
  }
  // A restart that only the log tells cannot be placed among rows of another clock.
  if (log.boots.size() > 1) {
    for (std::size_t i = 1; i < log.boots.size(); ++i) {
      auto boot = log.boots[i];
      boot.began_s = same_clock ? boot.began_s : end_s;
      recording.boots.push_back(std::move(boot));
    }
  }
  recording.notes.insert(recording.notes.end(), log.notes.begin(), log.notes.end());
  if (!same_clock && !recording.lines.empty()) {
    recording.notes.emplace_back(
        "the log beside it has no times of the table: its lines count as of the last row");
  }
  const auto earlier = [](const auto& a, const auto& b) { return a.t_s < b.t_s; };
  std::stable_sort(recording.lines.begin(), recording.lines.end(), earlier);
  std::stable_sort(recording.heap_events.begin(), recording.heap_events.end(), earlier);
}

}  // namespace

Outcome add_companion_log(Recording& recording, std::string_view log_bytes, const ReadOptions& options) {
  const auto shapes = ShapeTable::make(options.log_shapes);
  if (!shapes) {
    return shapes.error();
  }
  if (has_tab_times(log_bytes)) {
    add_tab_lines(recording, log_bytes, *shapes);
    return Done{};
  }
  auto log = read_recording(log_bytes, options);
  if (!log) {
    return log.error();
  }
  add_other_log(recording, std::move(*log));
  return Done{};
}

}  // namespace leakhunt::recorder
