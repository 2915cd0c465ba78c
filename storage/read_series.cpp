// Series of numbers: heap samples and telemetry fields.
#include <algorithm>
#include <string>
#include <utility>

#include "storage/reader_impl.h"
#include "storage/series.h"
#include "storage/streams.h"
#include "storage/telemetry_columns.h"

namespace leakhunt::storage {
using recorder::Source;

std::vector<Series> series_of(const Connection& db, const SampleQuery& query) {
  Statement rows =
      db.prepare("SELECT id, source, ifnull(identity, 0) FROM series WHERE device = ?1 AND field = ?2");
  rows.bind(0, static_cast<std::int64_t>(query.device)).bind(1, static_cast<std::int64_t>(query.field));
  std::vector<Series> found;
  while (rows.step()) {
    const Series series{rows.integer(0), static_cast<Source>(rows.integer(1))};
    const auto& wanted = query.sources;
    const bool source =
        wanted.empty() || std::find(wanted.begin(), wanted.end(), series.source) != wanted.end();
    if (source && (!query.identity || static_cast<std::int64_t>(*query.identity) == rows.integer(2))) {
      found.push_back(series);
    }
  }
  return found;
}

std::vector<Sample> Reader::samples(const SampleQuery& query) {
  return impl_->ask([&] {
    std::vector<Sample> found;
    const std::vector<Series> series = series_of(impl_->db_, query);
    Statement rows = impl_->db_.prepare(
        "SELECT t_boot, value, suspect FROM sample WHERE series = ?4 AND boot = ?1 AND t_boot >= ?2 AND "
        "t_boot < ?3 "
        "ORDER BY t_boot LIMIT ?5");
    const auto earlier = [](const Sample& a, const Sample& b) { return a.t < b.t; };
    for (const BootRange& range : impl_->window_ranges(query.device, query.window)) {
      const auto begin = static_cast<std::ptrdiff_t>(found.size());
      for (const Series& one : series) {
        const auto middle = static_cast<std::ptrdiff_t>(found.size());
        rows.bind(3, one.id);
        impl_->scan(
            rows, range, 4, false,
            [&](Duration t) {
              found.push_back(
                  {range.boot, t, range.utc_zero + t, rows.integer(1), one.source, rows.integer(2) != 0});
            },
            [] { return true; });
        std::inplace_merge(found.begin() + begin, found.begin() + middle, found.end(), earlier);
      }
    }
    return found;
  });
}

std::vector<Point> Reader::telemetry(const TelemetryQuery& query) {
  const TelemetryTable* table = telemetry_table(query.variant);
  const std::vector<std::string> names = known_fields(query.variant);
  if (table == nullptr || std::find(names.begin(), names.end(), query.field) == names.end()) {
    throw ReadFailed(
        {ErrorCode::usage, "no such field: " + query.field, "", "`fields` lists those with samples"});
  }
  return impl_->ask([&] {
    std::vector<Point> found;
    Statement rows = impl_->db_.prepare(
        "SELECT t_boot, " + query.field + ", source FROM " + table->table +
        " WHERE boot = ?1 AND other_node = ?4 AND t_boot >= ?2 AND t_boot < ?3 ORDER BY t_boot LIMIT ?5");
    for (const BootRange& range : impl_->window_ranges(query.device, query.window)) {
      rows.bind(3, std::int64_t{query.other_node});
      impl_->scan(
          rows, range, 4, false,
          [&](Duration t) {
            if (!rows.is_null(1)) {
              found.push_back(
                  {range.boot, t, range.utc_zero + t, rows.real(1), static_cast<Source>(rows.integer(2))});
            }
          },
          [] { return true; });
    }
    return found;
  });
}

std::vector<std::string> Reader::known_fields(recorder::Variant variant) {
  std::vector<std::string> names;
  if (const TelemetryTable* table = telemetry_table(variant)) {
    for (const TelemetryColumn& column : table->columns) {
      names.emplace_back(column.name);
    }
  }
  return names;
}

std::vector<FieldSeen> Reader::fields(recorder::DeviceId device) {
  return impl_->ask([&] {
    std::vector<FieldSeen> found;
    const auto add = [&](recorder::Variant variant, std::string field) {
      const bool there = std::any_of(found.begin(), found.end(), [&](const FieldSeen& seen) {
        return seen.variant == variant && seen.field == field;
      });
      if (!there) {
        found.push_back({variant, std::move(field)});
      }
    };
    Statement heap = impl_->db_.prepare(
        "SELECT DISTINCT heap_field.name FROM series JOIN heap_field ON heap_field.id = field WHERE device = "
        "?1 "
        "ORDER BY field");
    heap.bind(0, static_cast<std::int64_t>(device));
    while (heap.step()) {
      add(recorder::Variant::local, std::string{heap.text(0)});
    }
    Statement rows =
        impl_->db_.prepare("SELECT field FROM field_seen WHERE device = ?1 AND variant = ?2 ORDER BY field");
    for (const TelemetryTable& table : telemetry_tables()) {
      rows.reset();
      rows.bind(0, static_cast<std::int64_t>(device)).bind(1, table.name);
      while (rows.step()) {
        add(table.variant, std::string{rows.text(0)});
      }
    }
    return found;
  });
}

Totals Reader::totals(recorder::DeviceId device) {
  return impl_->ask([&] {
    std::map<std::string, Total, std::less<>> streams;
    Statement rows = impl_->db_.prepare("SELECT kind, rows, newest_us FROM stream WHERE device = ?1");
    rows.bind(0, static_cast<std::int64_t>(device));
    while (rows.step()) {
      const auto newest = rows.maybe_integer(2);
      streams[std::string{rows.text(0)}] = {rows.integer(1),
                                            newest ? std::optional{Utc{*newest}} : std::nullopt};
    }
    Totals totals;
    totals.logs = streams[stream_kind::logs];
    totals.packets = streams[stream_kind::packets];
    totals.events = streams[stream_kind::events];
    totals.heap_events = streams[stream_kind::heap_events];
    totals.samples_reported = streams[stream_kind::samples_reported].rows;
    totals.samples_from_lines = streams[stream_kind::samples_from_lines].rows;
    totals.samples_too_late = streams[stream_kind::samples_too_late].rows;
    totals.local_without_heap = streams[stream_kind::local_without_heap].rows;
    totals.other_node_records = streams[stream_kind::other_nodes].rows;
    totals.telemetry = streams[stream_kind::samples_from_lines];
    for (const TelemetryTable& table : telemetry_tables()) {
      const Total& own = streams[table.table];
      if (own.rows > 0) {
        totals.variants.emplace_back(table.variant, own.rows);
        totals.telemetry.rows += own.rows;
        totals.telemetry.newest = std::max(totals.telemetry.newest, own.newest);
      }
    }
    return totals;
  });
}

}  // namespace leakhunt::storage
