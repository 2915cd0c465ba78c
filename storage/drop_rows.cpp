// One table after the other; the first that gives rows ends the step.
#include "storage/drop_rows.h"

#include <algorithm>
#include <optional>

#include "storage/log_pages.h"
#include "storage/telemetry_columns.h"

namespace leakhunt::storage {
namespace {

constexpr std::int64_t kRowsAtOnce = 2000;
constexpr std::int64_t kBlocksAtOnce = 8;

std::int64_t number(recorder::BootId boot) {
  return static_cast<std::int64_t>(boot);
}

Duration whole_hours(Duration t) {
  return start_of(index_of(t, Level::hour), Level::hour);
}

}  // namespace

RowDropper::RowDropper(Connection& db, Rollups& rollups, FieldHours& field_hours)
    : db_(db), rollups_(rollups), field_hours_(field_hours) {}

DroppedRows RowDropper::drop(const DropOrder& order) {
  switch (order.kind) {
    case Kind::text:
      return drop_text(order);
    case Kind::packets:
      return drop_from("packet", "boot = ?1", {number(order.boot)}, order.before);
    case Kind::telemetry_raw:
      return drop_telemetry(order);
    case Kind::heap_raw:
      return drop_heap(order);
    case Kind::minute_buckets:
      return drop_minutes(order);
  }
  return {};
}

Statement& RowDropper::prepared(const std::string& sql) {
  const auto found = statements_.find(sql);
  return found != statements_.end() ? found->second
                                    : statements_.emplace(sql, db_.prepare(sql)).first->second;
}

DroppedRows RowDropper::drop_from(const std::string& table, const std::string& key,
                                  const std::vector<std::int64_t>& values, Duration before) {
  const std::string rows = " FROM " + table + " WHERE " + key + " AND t_boot < ?9";
  Statement& last = prepared("SELECT max(t_boot), count(*) FROM (SELECT t_boot" + rows +
                             " ORDER BY t_boot LIMIT " + std::to_string(kRowsAtOnce) + ")");
  Statement& remove = prepared("DELETE" + rows);
  for (Statement* statement : {&last, &remove}) {
    for (std::size_t i = 0; i < values.size(); ++i) statement->bind(static_cast<int>(i), values[i]);
  }
  last.bind(8, before.count()).step();
  DroppedRows dropped{last.integer(1), Duration{last.integer(0)}};
  last.reset();
  if (dropped.rows > 0) remove.bind(8, dropped.until.count() + 1).run();
  return dropped;
}

DroppedRows RowDropper::drop_blocks(const DropOrder& order) {
  Statement& find = prepared(
      "SELECT t_first, t_last, lines FROM log_block WHERE boot = ?1 AND t_last < ?2 ORDER BY t_first LIMIT "
      "?3");
  Statement& remove = prepared("DELETE FROM log_block WHERE boot = ?1 AND t_first <= ?2");
  DroppedRows dropped;
  std::optional<std::int64_t> last_first;
  find.bind(0, number(order.boot)).bind(1, order.before.count()).bind(2, kBlocksAtOnce);
  while (find.step()) {
    last_first = find.integer(0);
    dropped.until = Duration{find.integer(1)};
    dropped.rows += find.integer(2);
  }
  find.reset();
  if (last_first) remove.bind(0, number(order.boot)).bind(1, *last_first).run();
  return dropped;
}

DroppedRows RowDropper::drop_text(const DropOrder& order) {
  if (const DroppedRows blocks = drop_blocks(order); blocks.rows > 0) return blocks;
  constexpr std::size_t enough_boots = 1024;
  if (text_from_.size() > enough_boots) text_from_.clear();
  const auto from = text_from_.try_emplace(order.boot, Duration::min()).first;
  const std::vector<std::int64_t> values{number(order.boot), kEvidence, from->second.count()};
  const DroppedRows dropped =
      drop_from("log", "boot = ?1 AND flags & ?2 = 0 AND t_boot > ?3", values, order.before);
  if (dropped.rows > 0) from->second = dropped.until;
  return dropped;
}

DroppedRows RowDropper::drop_heap(const DropOrder& order) {
  for (const std::int64_t series : series_of(order.device)) {
    Statement& any = prepared("SELECT 1 FROM sample WHERE series = ?1 AND boot = ?2 AND t_boot < ?3 LIMIT 1");
    any.bind(0, series).bind(1, number(order.boot)).bind(2, order.before.count());
    const bool some = any.step();
    any.reset();
    if (!some) continue;
    const Duration until =
        std::min(rollups_.let_raw_go(series, order.boot, order.before, order.boot_is_over), order.before);
    const DroppedRows dropped =
        drop_from("sample", "series = ?1 AND boot = ?2", {series, number(order.boot)}, until);
    if (dropped.rows > 0) return dropped;
  }
  for (const char* table : {"heap_event", "call_site", "mem_audit"}) {
    const DroppedRows dropped = drop_from(table, "boot = ?1", {number(order.boot)}, order.before);
    if (dropped.rows > 0) return dropped;
  }
  return {};
}

DroppedRows RowDropper::drop_telemetry(const DropOrder& order) {
  // An hour of a field is made again from its rows when one comes late: they stay together.
  const Duration before = order.boot_is_over ? order.before : whole_hours(order.before);
  bool closed = false;
  for (const TelemetryTable& table : telemetry_tables()) {
    const std::string name = table.table;
    Statement& next =
        prepared("SELECT min(other_node) FROM " + name + " WHERE boot = ?1 AND other_node >= ?2");
    for (std::int64_t node = 0;; ++node) {
      next.bind(0, number(order.boot)).bind(1, node).step();
      const auto found = next.maybe_integer(0);
      next.reset();
      if (!found) break;
      node = *found;
      if (node == 0 && !closed) field_hours_.let_raw_go(order.boot, before);
      closed = closed || node == 0;
      const DroppedRows dropped =
          drop_from(name, "boot = ?1 AND other_node = ?2", {number(order.boot), node}, before);
      if (dropped.rows > 0) return dropped;
    }
  }
  return {};
}

// Minutes of which the readings are still there stay: what an hour holds at the end of a boot comes from
// them.
DroppedRows RowDropper::drop_minutes(const DropOrder& order) {
  Statement& gone =
      prepared("SELECT raw_from FROM rollup_state WHERE series = ?1 AND boot = ?2 AND raw_from IS NOT NULL");
  Statement& last = prepared(
      "SELECT max(bucket), count(*) FROM (SELECT bucket FROM rollup WHERE series = ?1 AND boot = ?2 AND "
      "level = 1 "
      "AND bucket < ?3 ORDER BY bucket LIMIT ?4)");
  Statement& remove =
      prepared("DELETE FROM rollup WHERE series = ?1 AND boot = ?2 AND level = 1 AND bucket <= ?3");
  Statement& note = prepared("UPDATE rollup_state SET minutes_from = ?3 WHERE series = ?1 AND boot = ?2");
  for (const std::int64_t series : series_of(order.device)) {
    gone.bind(0, series).bind(1, number(order.boot));
    const std::optional<Duration> raw_from =
        gone.step() ? std::optional{Duration{gone.integer(0)}} : std::nullopt;
    gone.reset();
    if (!raw_from) continue;
    const std::int64_t end =
        index_of(std::min(*raw_from, start_of(index_of(order.before, kCoarsest), kCoarsest)), Level::minute);
    last.bind(0, series).bind(1, number(order.boot)).bind(2, end).bind(3, kRowsAtOnce).step();
    const std::int64_t bucket = last.integer(0);
    const std::int64_t rows = last.integer(1);
    last.reset();
    if (rows == 0) continue;
    remove.bind(0, series).bind(1, number(order.boot)).bind(2, bucket).run();
    const Duration until = start_of(bucket + 1, Level::minute);
    note.bind(0, series).bind(1, number(order.boot)).bind(2, std::int64_t{until.count()}).run();
    return {rows, until - Duration{1}};
  }
  return {};
}

std::vector<std::int64_t> RowDropper::series_of(recorder::DeviceId device) {
  Statement& rows = prepared("SELECT id FROM series WHERE device = ?1");
  rows.bind(0, static_cast<std::int64_t>(device));
  std::vector<std::int64_t> found;
  while (rows.step()) found.push_back(rows.integer(0));
  rows.reset();
  return found;
}

}  // namespace leakhunt::storage
