// Hours from rows: each is read once more when it is over.
#include "storage/field_hours.h"

#include <algorithm>
#include <optional>
#include <string>

#include "storage/buckets.h"

namespace leakhunt::storage {
namespace {

std::int64_t start_us(std::int64_t hour) {
  constexpr std::int64_t far = std::int64_t{1} << 60;
  const std::int64_t us = width(Level::hour).count();
  return std::clamp(hour, -far / us, far / us) * us;
}

std::optional<std::int64_t> one_time(Statement& query) {
  const auto t = query.step() ? query.maybe_integer(0) : std::nullopt;
  query.reset();
  return t;
}

}  // namespace

void FieldHours::Figures::add(double value) {
  min = n == 0 ? value : std::min(min, value);
  max = n == 0 ? value : std::max(max, value);
  last = value;
  ++n;
}

FieldHours::FieldHours(Connection& db)
    : db_(db),
      put_(db.prepare(
          "INSERT INTO field_hour VALUES(?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(boot, variant, hour, field) DO "
          "UPDATE SET n = excluded.n, min = excluded.min, max = excluded.max, last = excluded.last "
          "WHERE excluded.n >= n")),
      remove_(db.prepare("DELETE FROM field_hour WHERE boot = ? AND variant = ? AND hour >= ?")),
      last_hour_(db.prepare("SELECT max(hour) FROM field_hour WHERE boot = ? AND variant = ?")),
      find_word_(db.prepare("SELECT id FROM word WHERE text = ?")),
      add_word_(db.prepare("INSERT INTO word(text) VALUES(?) RETURNING id")) {
  for (const TelemetryTable& table : telemetry_tables()) {
    const std::string own = std::string{" FROM "} + table.table + " WHERE boot = ?1 AND other_node = 0";
    std::string columns = "t_boot";
    for (const TelemetryColumn& column : table.columns) columns += ", " + std::string{column.name};
    tables_.emplace(table.variant, Table{&table,
                                         db.prepare("SELECT " + columns + own +
                                                    " AND t_boot >= ?2 AND t_boot < ?3 ORDER BY t_boot"),
                                         db.prepare("SELECT max(t_boot)" + own),
                                         db.prepare("SELECT max(t_boot)" + own + " AND t_boot < ?2"),
                                         std::vector<std::int64_t>(table.columns.size())});
  }
}

FieldHours::Run FieldHours::load(Table& table, recorder::BootId boot, Duration t) {
  table.newest.bind(0, static_cast<std::int64_t>(boot));
  std::optional<std::int64_t> newest = one_time(table.newest);
  if (newest && *newest == t.count()) {
    table.newest_before.bind(0, static_cast<std::int64_t>(boot)).bind(1, t.count());
    newest = one_time(table.newest_before);
  }
  Run run;
  run.newest = newest ? Duration{*newest} : t;
  run.open = index_of(run.newest, Level::hour);
  run.fields.resize(table.table->columns.size());
  run.in_order = !newest;  // what the open hour holds is read when it is over
  return run;
}

void FieldHours::add(const TelemetryTable& table, recorder::BootId boot, Duration t, const Values& values) {
  Table& own = tables_.at(table.variant);
  auto found = runs_.find({table.variant, boot});
  if (found == runs_.end()) {
    constexpr std::size_t enough_runs = 256;
    if (runs_.size() >= enough_runs) {
      flush();
      runs_.clear();
    }
    found = runs_.emplace(Key{table.variant, boot}, load(own, boot, t)).first;
  }
  Run& run = found->second;
  const std::int64_t hour = index_of(t, Level::hour);
  if (hour < run.open) {
    run.late.insert(hour);
    return;
  }
  if (hour > run.open) {
    close(own, boot, run);
    run.open = hour;
  }
  run.in_order = run.in_order && t >= run.newest;
  run.newest = std::max(run.newest, t);
  for (const auto& [column, value] : values) run.fields[column].add(value);
}

void FieldHours::close(Table& table, recorder::BootId boot, Run& run) {
  if (run.in_order) {
    write(table, boot, run.open, run.fields);
  } else {
    std::fill(run.fields.begin(), run.fields.end(), Figures{});
    build(table, boot, run.open, run.open + 1);
  }
  run.in_order = true;
}

// Leaves the fields empty.
void FieldHours::write(Table& table, recorder::BootId boot, std::int64_t hour, std::vector<Figures>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].n == 0) continue;
    put_.bind(0, static_cast<std::int64_t>(boot)).bind(1, static_cast<std::int64_t>(table.table->variant));
    put_.bind(2, hour).bind(3, word(table, i)).bind(4, fields[i].n);
    put_.bind(5, fields[i].min).bind(6, fields[i].max).bind(7, fields[i].last).run();
    fields[i] = {};
  }
}

void FieldHours::build(Table& table, recorder::BootId boot, std::int64_t from, std::int64_t to) {
  table.rows.bind(0, static_cast<std::int64_t>(boot)).bind(1, start_us(from)).bind(2, start_us(to));
  std::vector<Figures> fields(table.table->columns.size());
  std::int64_t hour = from;
  while (table.rows.step()) {
    if (const std::int64_t now = index_of(Duration{table.rows.integer(0)}, Level::hour); now != hour) {
      write(table, boot, hour, fields);
      hour = now;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const int column = static_cast<int>(i) + 1;
      if (!table.rows.is_null(column)) fields[i].add(table.rows.real(column));
    }
  }
  table.rows.reset();
  write(table, boot, hour, fields);
}

std::int64_t FieldHours::word(Table& table, std::size_t column) {
  std::int64_t& id = table.words[column];
  if (id != 0) return id;
  const std::string_view name = table.table->columns[column].name;
  find_word_.bind(0, name);
  if (find_word_.step()) id = find_word_.integer(0);
  find_word_.reset();
  if (id == 0) {
    add_word_.bind(0, name).step();
    id = add_word_.integer(0);
    add_word_.reset();
  }
  return id;
}

void FieldHours::made_anew(recorder::BootId boot, Duration from) {
  for (auto& [variant, table] : tables_) {
    runs_.erase({variant, boot});
    last_hour_.bind(0, static_cast<std::int64_t>(boot)).bind(1, static_cast<std::int64_t>(variant));
    table.newest.bind(0, static_cast<std::int64_t>(boot));
    const auto last = one_time(last_hour_);
    const auto newest = one_time(table.newest);
    if (!last && !newest) continue;
    // The hour that is open may have been closed before, and what was open may be closed now.
    const std::int64_t begin =
        std::min(index_of(from, Level::hour), last ? *last + 1 : index_of(Duration::min(), Level::hour));
    const std::int64_t open = newest ? index_of(Duration{*newest}, Level::hour) : begin;
    remove_.bind(0, static_cast<std::int64_t>(boot)).bind(1, static_cast<std::int64_t>(variant));
    remove_.bind(2, std::min(begin, open)).run();
    build(table, boot, begin, open);
  }
}

void FieldHours::build_all() {
  std::vector<recorder::BootId> boots;
  Statement all = db_.prepare("SELECT id FROM boot");
  while (all.step()) boots.push_back(recorder::BootId{all.integer(0)});
  for (const recorder::BootId boot : boots) made_anew(boot, Duration::min());
}

void FieldHours::let_raw_go(recorder::BootId boot, Duration until) {
  flush();
  for (auto& [variant, table] : tables_) {
    table.newest.bind(0, static_cast<std::int64_t>(boot));
    if (const auto newest = one_time(table.newest); newest && *newest < until.count()) {
      const std::int64_t last = index_of(Duration{*newest}, Level::hour);
      build(table, boot, last, last + 1);
    }
  }
}

void FieldHours::flush() {
  for (auto& [key, run] : runs_) {
    for (const std::int64_t hour : run.late) build(tables_.at(key.first), key.second, hour, hour + 1);
    run.late.clear();
  }
}

void FieldHours::forget() {
  runs_.clear();
  for (auto& [variant, table] : tables_) std::fill(table.words.begin(), table.words.end(), 0);
}

}  // namespace leakhunt::storage
