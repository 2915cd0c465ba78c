// Loads series, covariates, lines and events of a window. See record.h.
#include "answer/record.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "answer/activity.h"
#include "answer/levels.h"
#include "answer/reserve.h"
#include "answer/series_builder.h"
#include "answer/words.h"
#include "proto/hardware.h"
#include "proto/log_line.h"

namespace leakhunt::answer {
namespace {

using analysis::LineKind;
using recorder::BootId;
using recorder::HeapField;
using recorder::Source;

constexpr Duration kCovariateReach = std::chrono::minutes{20};
constexpr Duration kHoursReach = std::chrono::minutes{100};
constexpr std::size_t kMaxSearchHits = 1000;

// One figure over the device's own time, looked up at the times of another.
class Track {
 public:
  void add(BootId boot, Duration t, double value) { entries_.push_back({boot, t, value}); }
  void sort() {
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.boot, a.t) < std::tie(b.boot, b.t);
    });
  }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] double last() const { return entries_.back().value; }

  // The newest reading of that boot up to t, at most `reach` old.
  [[nodiscard]] double latest(BootId boot, Duration t, Duration reach) const {
    const auto after = first_after(boot, t);
    if (after == entries_.begin()) {
      return analysis::absent;
    }
    const Entry& before = *std::prev(after);
    return before.boot == boot && t - before.t <= reach ? before.value : analysis::absent;
  }

  // On the line between the readings before and after t; next to one alone, that one.
  [[nodiscard]] double between(BootId boot, Duration t, Duration reach) const {
    const double before = latest(boot, t, reach);
    const auto after = first_after(boot, t);
    const bool has_after = after != entries_.end() && after->boot == boot && after->t - t <= reach;
    if (!has_after) {
      return before;
    }
    if (!analysis::present(before)) {
      return after->value;
    }
    const Entry& earlier = *std::prev(after);
    const double share = seconds(t - earlier.t) / seconds(after->t - earlier.t);
    return before + share * (after->value - before);
  }

 private:
  struct Entry {
    BootId boot;
    Duration t{};
    double value = 0;
  };
  [[nodiscard]] std::vector<Entry>::const_iterator first_after(BootId boot, Duration t) const {
    const auto is_before = [](const auto& place, const Entry& e) { return place < std::pair{e.boot, e.t}; };
    const std::pair place{boot, t};
    // Readings are looked up in their order: mostly the answer is the one before.
    const bool same = (found_ == 0 || !is_before(place, entries_[found_ - 1])) &&
                      (found_ == entries_.size() || is_before(place, entries_[found_]));
    if (!same) {
      const auto after = std::upper_bound(entries_.begin(), entries_.end(), place, is_before);
      found_ = static_cast<std::size_t>(after - entries_.begin());
    }
    return entries_.begin() + static_cast<std::ptrdiff_t>(found_);
  }
  std::vector<Entry> entries_;
  mutable std::size_t found_ = 0;
};

bool wanted(Source source, const std::vector<Source>& sources) {
  return sources.empty() || std::find(sources.begin(), sources.end(), source) != sources.end();
}

void load_heap(const Asked& asked, HeapField field, const storage::Window& window,
               const std::vector<Source>& sources, SeriesSet& set) {
  const auto samples = asked.reader.samples({asked.device.id, std::nullopt, field, sources, window});
  const bool only_events = std::none_of(samples.begin(), samples.end(),
                                        [](const auto& sample) { return takes_part(sample.source); });
  SeriesBuilder builder{set.series, set.boots};
  for (const storage::Sample& sample : samples) {
    const bool kept = !sources.empty() || only_events || takes_part(sample.source);
    const bool believed = !sample.suspect || asked.rules == v1::RULES_PUBLISHED;  // those rules take all
    if (kept && believed) {
      builder.add(sample.boot, sample.source,
                  {.x_s = seconds(sample.t),
                   .t_s = epoch(sample.utc),
                   .value = static_cast<double>(sample.value_bytes)});
    }
  }
}

void load_telemetry(const Asked& asked, const FieldChoice& field, const storage::Window& window,
                    const std::vector<Source>& sources, SeriesSet& set) {
  SeriesBuilder builder{set.series, set.boots};
  for (const storage::Point& point :
       asked.reader.telemetry({asked.device.id, field.variant, field.field, 0, window})) {
    if (wanted(point.source, sources)) {
      builder.add(point.boot, point.source,
                  {.x_s = seconds(point.t), .t_s = epoch(point.utc), .value = point.value});
    }
  }
}

// Beside buckets the hours do: a covariate read of every packet would cost more than the series itself.
Track heap_track(const Asked& asked, HeapField field, const storage::Window& window, bool by_hours) {
  Track track;
  const storage::SampleQuery query{asked.device.id, std::nullopt, field, {}, window};
  if (by_hours) {
    const bool is_mark = field == HeapField::min_free_bytes;
    asked.reader.parts(query, storage::Level::hour, [&](const storage::Part& part) {
      track.add(part.boot, part.t, static_cast<double>(is_mark ? part.min : part.max));
    });
  } else {
    for (const storage::Sample& sample : asked.reader.samples(query)) {
      if (!sample.suspect) {
        track.add(sample.boot, sample.t, static_cast<double>(sample.value_bytes));
      }
    }
  }
  track.sort();
  return track;
}

Track telemetry_track(const Asked& asked, const char* field, const storage::Window& window, bool by_hours) {
  Track track;
  storage::TelemetryQuery query{asked.device.id, recorder::Variant::local, field, 0, window};
  if (by_hours) {
    const Duration hour = storage::width(storage::Level::hour);
    for (const storage::FieldHour& one : asked.reader.field_hours(query)) {
      track.add(one.boot, one.start + hour - Duration{1}, one.last);
    }
    query.window.start = std::max(window.start, window.end - 2 * hour);  // the hour that is not over
  }
  for (const auto& point : asked.reader.telemetry(query)) {
    track.add(point.boot, point.t, point.value);
  }
  track.sort();
  return track;
}

void add_covariates(const Asked& asked, const storage::Window& window, bool by_hours,
                    analysis::Question& question) {
  const Track largest = heap_track(asked, HeapField::largest_block_bytes, window, by_hours);
  const Track low = heap_track(asked, HeapField::min_free_bytes, window, by_hours);
  const Track total = telemetry_track(asked, "heap_total_bytes", window, by_hours);
  const Track packets = telemetry_track(asked, "num_packets_rx", window, by_hours);
  const Track nodes = telemetry_track(asked, "num_total_nodes", window, by_hours);
  const Duration reach = by_hours ? kHoursReach : kCovariateReach;
  for (analysis::Series& series : question.series) {
    for (analysis::Stretch& stretch : series.stretches) {
      const BootId boot{stretch.boot_id};
      for (analysis::Point& point : stretch.points) {
        const Duration t = from_seconds(point.x_s);
        point.largest_block = largest.latest(boot, t, reach);
        point.min_free = low.latest(boot, t, reach);
        point.total = total.latest(boot, t, Duration::max());
        point.packets_rx = packets.between(boot, t, reach);
        point.total_nodes = nodes.between(boot, t, reach);
      }
    }
  }
  if (!total.empty() && total.last() > 0) {
    question.total_bytes = total.last();
  }
}

std::string_view message_of(const recorder::LogRow& row) {
  return std::string_view{row.text}.substr(std::min<std::size_t>(row.body_offset, row.text.size()));
}

LineKind kind_of(const recorder::LogRow& row) {
  const auto alarm = proto::alarm_kind(row.alarm);
  if (!alarm) {
    const auto line = proto::parse_record_body(message_of(row), proto::Level::none, row.thread);
    if (line.routing_nak) {
      return LineKind::routing_nak;
    }
    if (line.announces_reboot) {
      return LineKind::planned_reboot;
    }
    return line.boot ? LineKind::boot : LineKind::other;
  }
  switch (*alarm) {
    case proto::AlarmKind::out_of_memory:
      return row.text.find("bad_alloc") != std::string::npos ? LineKind::allocation_abort
                                                             : LineKind::out_of_memory;
    case proto::AlarmKind::allocation_failure:
      return LineKind::allocation_failure;
    case proto::AlarmKind::panic:
      return row.text.find("abort()") != std::string::npos ? LineKind::abort : LineKind::panic;
    case proto::AlarmKind::watchdog:
      return LineKind::watchdog;
    case proto::AlarmKind::low_heap:
      return LineKind::low_memory;
  }
  return LineKind::other;
}

analysis::EvidenceLine evidence_line(const storage::LogLine& line) {
  return {epoch(line.utc), seconds(line.row.at.t), kind_of(line.row), line.row.text};
}

void load_evidence(const Asked& asked, const storage::Window& window, Record& record) {
  storage::LogQuery query;
  query.device = asked.device.id;
  query.window = window;
  query.evidence = true;
  query.oldest_first = true;
  asked.reader.logs(query, [&](const storage::LogLine& line) {
    record.question.lines.push_back(evidence_line(line));
    if (!line.row.alarm.empty()) {
      record.alarms.push_back(line);
    }
    return true;
  });
}

// The published rules look for words anywhere in any line, also where they are no evidence.
void search_lines(const Asked& asked, const storage::Window& window, LineSearch search, Record& record) {
  if (search.max_lines == 0) {
    return;
  }
  const RE2 words{"(?i)alloc an err|out of memory|panic|abort"};
  storage::LogQuery query;
  query.device = asked.device.id;
  query.window = window;
  std::size_t searched = 0;
  std::size_t hits = 0;
  asked.reader.logs(query, [&](const storage::LogLine& line) {
    if (!line.row.evidence && RE2::PartialMatch(line.row.text, words)) {
      record.question.lines.push_back(evidence_line(line));
      ++hits;
    }
    return ++searched < search.max_lines && hits < kMaxSearchHits;
  });
}

void add_events(Record& record) {
  for (const recorder::EventRow& event : record.events) {
    const bool lost = event.kind == "connection_lost";
    if (lost || event.kind == "connection_established") {
      const auto x_s = event.at ? std::optional{seconds(event.at->t)} : std::nullopt;
      record.question.lines.push_back({epoch(event.utc), x_s,
                                       lost ? LineKind::connection_lost : LineKind::connection_established,
                                       event.kind});
    }
  }
}

std::vector<Utc> connections_lost(const Record& record) {
  std::vector<Utc> moments;
  for (const recorder::EventRow& event : record.events) {
    if (event.kind == "connection_lost") {
      moments.push_back(event.utc);
    }
  }
  return moments;
}

void add_heap_events(const Asked& asked, const storage::Window& window, analysis::Question& question) {
  for (const auto& [row, utc] : asked.reader.heap_events(asked.device.id, window)) {
    const auto before = static_cast<double>(row.before_bytes);
    const auto after = static_cast<double>(row.after_bytes);
    question.heap_events.push_back({epoch(utc), seconds(row.at.t), row.thread, before, after, after - before,
                                    after < before, static_cast<std::int64_t>(row.at.boot)});
  }
}

void add_allocations(const Asked& asked, const storage::Window& window, analysis::Question& question) {
  for (const auto& [row, utc] : asked.reader.call_sites(asked.device.id, window)) {
    question.allocations.push_back({epoch(utc), seconds(row.at.t), row.context,
                                    static_cast<double>(row.size_bytes),
                                    static_cast<std::int64_t>(row.at.boot)});
  }
}

void add_holdings(const Asked& asked, const storage::Window& window, analysis::Question& question) {
  for (const auto& [row, utc] : asked.reader.mem_audits(asked.device.id, window)) {
    for (const auto& [part, bytes] : row.tag_bytes) {
      question.holdings.push_back({epoch(utc), seconds(row.at.t), part, static_cast<double>(bytes),
                                   static_cast<std::int64_t>(row.at.boot)});
    }
  }
}

void add_boots(Record& record) {
  bool anchored = !record.boots.empty();
  for (const storage::BootSpan& span : record.boots) {
    record.question.boots.push_back({static_cast<std::int64_t>(span.boot.id), epoch(span.began),
                                     std::string{cause_word(span.boot.cause)}});
    anchored = anchored && std::any_of(span.anchors.begin(), span.anchors.end(),
                                       [](const auto& anchor) { return !anchor.host_boot.empty(); });
  }
  record.question.uptime_known = anchored;
}

void add_hardware(const Asked& asked, Record& record) {
  const auto boots = record.boots.empty() ? asked.reader.boots(asked.device.id) : record.boots;
  if (!boots.empty()) {
    record.last_boot = boots.back().boot;
  }
  for (const recorder::IdentityRow& identity : asked.reader.identities(asked.device.id)) {
    if (record.hw_model == 0 || (record.last_boot && identity.id == record.last_boot->identity)) {
      record.hw_model = identity.hw_model;
    }
  }
}

std::optional<double> of_device(const std::map<std::string, double>& figures, const std::string& name) {
  const auto found = figures.find(name);
  return found == figures.end() ? std::nullopt : std::optional{found->second};
}

void add_limits(const Asked& asked, std::optional<double> reserve_bytes, Record& record) {
  const std::string pio_env = record.last_boot ? record.last_boot->pio_env : "";
  record.question.chip = proto::word(proto::chip_of(record.hw_model, pio_env));
  Reserve reserve = reserve_of(record.hw_model, pio_env,
                               of_device(asked.settings.reserve_bytes, asked.device.name), reserve_bytes);
  record.question.reserve_bytes = reserve.bytes;
  record.question.reserve_reason = std::move(reserve.reason);
  record.question.floor_bytes = of_device(asked.settings.floor_bytes, asked.device.name);
}

// The readings themselves, or the buckets of too many of them.
void load_readings(const Asked& asked, const FieldChoice& field, const storage::Window& window,
                   Record& record) {
  std::vector<Source> sources;
  if (field.heap) {
    record.figures = heap_figures(asked, *field.heap, window, sources);
  }
  if (record.figures.all.n > kMostRawSamples) {
    record.boots = asked.reader.boots(asked.device.id, window);
    Levels levels = load_levels(asked, *field.heap, window, sources, record.boots);
    record.question.series = std::move(levels.series);
    record.sources = std::move(sources);
    record.judged_from = std::move(levels.judged_from);
    for (const SourceFigures& part : record.figures.parts) {
      record.question.last_readings.push_back({part.boot_id, part.last_t_s, part.last});
    }
    return;
  }
  SeriesSet set = load_series(asked, field, window, sources);
  if (!field.heap || asked.rules == v1::RULES_PUBLISHED) {  // those rules take suspect readings too
    record.figures = figures_of(set.series);
  }
  record.figures.cadence_s = cadence_s(set.series);
  record.question.series = std::move(set.series);
  record.boots = std::move(set.boots);
}

}  // namespace

SeriesSet load_series(const Asked& asked, const FieldChoice& field, const storage::Window& window,
                      const std::vector<Source>& sources) {
  SeriesSet set;
  set.boots = asked.reader.boots(asked.device.id, window);
  if (field.heap) {
    load_heap(asked, *field.heap, window, sources, set);
  } else {
    load_telemetry(asked, field, window, sources, set);
  }
  return set;
}

Record load_record(const Asked& asked, const FieldChoice& field, const storage::Window& window,
                   LineSearch search, std::optional<double> reserve_bytes) {
  Record record;
  load_readings(asked, field, window, record);
  record.question.window_start_s = epoch(window.start);
  record.question.window_end_s = epoch(window.end);
  add_boots(record);
  add_hardware(asked, record);
  record.events = asked.reader.events(asked.device.id, window);
  if (!field.is_free_heap()) {
    return record;
  }
  add_covariates(asked, window, record.from_buckets(), record.question);
  load_evidence(asked, window, record);
  search_lines(asked, window, search, record);
  add_events(record);
  std::stable_sort(record.question.lines.begin(), record.question.lines.end(),
                   [](const auto& a, const auto& b) { return a.t_s < b.t_s; });
  add_heap_events(asked, window, record.question);
  add_allocations(asked, window, record.question);
  add_holdings(asked, window, record.question);
  record.question.activity = activity_of(record);
  if (record.from_buckets()) {
    record.landmarks = load_landmarks(asked, *field.heap, window, record.sources, connections_lost(record));
  }
  add_limits(asked, reserve_bytes, record);
  return record;
}

}  // namespace leakhunt::answer
