// Names for ids, civil time for times since boot.
#include "storage/views.h"

#include <string>
#include <string_view>

#include "storage/telemetry_columns.h"

namespace leakhunt::storage {
namespace {

// The civil time of `t` in the boot `boot`, by the anchor that held then, else by its first.
std::string utc_of(const std::string& boot, const std::string& t) {
  const std::string zero = "(SELECT utc_zero_us FROM anchor WHERE anchor.boot = " + boot;
  return t + " + coalesce(" + zero + " AND since <= " + t + " ORDER BY since DESC LIMIT 1), " + zero +
         " ORDER BY since LIMIT 1))";
}

// 2026-03-01T14:05:09.250Z: sorts as it reads.
std::string iso(const std::string& utc_us) {
  return "strftime('%Y-%m-%dT%H:%M:%fZ', " + utc_us + " / 1000000.0, 'unixepoch')";
}

std::string word(const std::string& id) {
  return "(SELECT word.text FROM word WHERE word.id = " + id + ")";
}

std::string node(const std::string& number) {
  return "printf('!%08x', " + number + ")";
}

// Rows of a table with (boot, t_boot): device, boot, time, t_boot, then `columns`.
std::string timed_rows(const std::string& table, const std::string& columns) {
  const std::string utc = utc_of(table + ".boot", table + ".t_boot");
  return "SELECT device.name AS device, " + table + ".boot, " + table + ".t_boot, " + utc + " AS utc_us, " +
         iso("(" + utc + ")") + " AS time, " + columns + " FROM " + table +
         " JOIN boot ON boot.id = " + table + ".boot JOIN device ON device.id = boot.device";
}

std::string timed_view(const std::string& name, const std::string& table, const std::string& columns) {
  return "CREATE VIEW " + name + " AS " + timed_rows(table, columns) + ";\n";
}

std::string rollup_view() {
  const std::string began = "bucket * width_us";
  const std::string utc = utc_of("rollup.boot", began);
  return "CREATE VIEW rollup_view AS SELECT device.name AS device, heap_field.name AS field, source.name AS "
         "source, "
         "rollup_level.name AS level, rollup.boot, " +
         began + " AS t_boot, " + utc + " AS utc_us, " + iso("(" + utc + ")") +
         " AS time, n, first, last, min, max, first + mean_v AS mean, 60 * c_tv / nullif(m2_t, 0) AS "
         "slope_per_min, "
         "p05, p80 FROM rollup JOIN rollup_level ON rollup_level.id = rollup.level "
         "JOIN series ON series.id = rollup.series JOIN device ON device.id = series.device "
         "JOIN heap_field ON heap_field.id = series.field JOIN source ON source.id = series.source;\n";
}

std::string telemetry_views() {
  std::string sql;
  for (const TelemetryTable& table : telemetry_tables()) {
    const std::string name = table.table;
    std::string columns =
        "source.name AS source, iif(other_node = 0, NULL, " + node("other_node") + ") AS other_node";
    for (const TelemetryColumn& column : table.columns)
      columns += ", " + name + "." + std::string{column.name};
    columns += ", extra";
    std::string view = timed_view(name + "_view", name, columns);
    view.insert(view.rfind(';'), " LEFT JOIN source ON source.id = " + name + ".source");
    sql += view;
  }
  return sql;
}

std::string record_views() {
  const std::string began =
      "(SELECT utc_zero_us FROM anchor WHERE anchor.boot = boot.id ORDER BY since LIMIT 1)";
  const std::string sampled = utc_of("sample.boot", "t_boot");
  return "CREATE VIEW boot_view AS SELECT boot.id AS boot, device.name AS device, identity.node, " + began +
         " AS began_us, " + iso(began) +
         " AS began, cause.name AS cause, signs, firmware_version, pio_env, debug_heap FROM boot "
         "JOIN device ON device.id = boot.device JOIN cause ON cause.id = boot.cause "
         "LEFT JOIN identity ON identity.id = boot.identity;\n"
         "CREATE VIEW sample_view AS SELECT device.name AS device, heap_field.name AS field, source.name AS "
         "source, "
         "sample.boot, t_boot, " +
         sampled + " AS utc_us, " + iso("(" + sampled + ")") +
         " AS time, value, suspect FROM sample JOIN series ON series.id = sample.series "
         "JOIN device ON device.id = series.device JOIN heap_field ON heap_field.id = series.field "
         "JOIN source ON source.id = series.source;\n" +
         "CREATE VIEW log_view AS " + lines_for_view("log") + ";\n" +
         timed_view("heap_event_view", "heap_event",
                    word("thread") +
                        " AS thread, before_bytes, after_bytes, after_bytes - before_bytes AS delta_bytes") +
         timed_view("call_site_view", "call_site", word("context") + " AS context, size_bytes") +
         timed_view("packet_view", "packet",
                    node("from_node") + " AS from_node, " + node("to_node") +
                        " AS to_node, port, size_bytes, hop_limit, hop_start, rssi_dbm, snr_db");
}

// Of these a row may be the recorder's own: then it has no device.
std::string event_views() {
  return "CREATE VIEW event_view AS SELECT device.name AS device, utc_us, " + iso("utc_us") +
         " AS time, boot, t_boot, kind, label, note, data FROM event LEFT JOIN device ON device.id = "
         "event.device;\n"
         "CREATE VIEW gap_view AS SELECT device.name AS device, " +
         iso("from_us") + " AS began, " + iso("to_us") +
         " AS ended, reason, lines, records FROM gap LEFT JOIN device ON device.id = gap.device;\n"
         "CREATE VIEW alert_view AS SELECT alert.id, device.name AS device, cause, severity, state, " +
         iso("first_us") + " AS first, " + iso("last_us") +
         " AS last, count, text, note FROM alert LEFT JOIN device ON device.id = alert.device;\n"
         "CREATE VIEW verdict_view AS SELECT device.name AS device, utc_us, " +
         iso("utc_us") +
         " AS time, window_us / 1000000 AS window_s, class, state, rules, verdict FROM verdict "
         "JOIN device ON device.id = verdict.device;\n";
}

}  // namespace

std::string lines_for_view(const std::string& table) {
  return timed_rows(table, word("level") + " AS level, " + word("thread") + " AS thread, " + word("alarm") +
                               " AS alarm, " + table + ".text");
}

void make_views(Connection& db) {
  std::string drop;
  Statement views =
      db.prepare("SELECT name FROM sqlite_schema WHERE type = 'view' AND name LIKE '%\\_view' ESCAPE '\\'");
  while (views.step()) drop += "DROP VIEW \"" + std::string{views.text(0)} + "\";\n";
  views.reset();
  db.run(drop + record_views() + rollup_view() + telemetry_views() + event_views());
}

}  // namespace leakhunt::storage
