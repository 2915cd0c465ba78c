// The tables as SQL. A migration that has landed is never edited; a change is a new one.
#include "storage/schema.h"

#include <array>
#include <string>
#include <string_view>

#include "storage/field_hours.h"
#include "storage/rollups.h"
#include "storage/telemetry_columns.h"
#include "storage/views.h"

namespace leakhunt::storage {
namespace {

// Keys (boot, t_boot) stand in the order of time within a boot; WITHOUT ROWID keeps each row once.
constexpr std::string_view kTables = R"sql(
CREATE TABLE device(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE identity(id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device, node INTEGER NOT NULL,
  long_name TEXT NOT NULL, short_name TEXT NOT NULL, hw_model INTEGER NOT NULL, first_seen_us INTEGER NOT NULL) STRICT;
CREATE INDEX identity_device ON identity(device);
CREATE TABLE boot(id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device,
  identity INTEGER REFERENCES identity, cause INTEGER NOT NULL, signs TEXT NOT NULL, start_seen INTEGER NOT NULL,
  reboot_count INTEGER, firmware_version TEXT NOT NULL, pio_env TEXT NOT NULL, debug_heap INTEGER) STRICT;
CREATE INDEX boot_device ON boot(device);
CREATE TABLE anchor(boot INTEGER NOT NULL REFERENCES boot, since INTEGER NOT NULL, host_boot TEXT NOT NULL,
  mono_zero_us INTEGER NOT NULL, utc_zero_us INTEGER NOT NULL, PRIMARY KEY(boot, since)) STRICT, WITHOUT ROWID;

CREATE TABLE source(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO source VALUES(1,'poll'),(2,'stats'),(3,'debug_heap'),(4,'heap_line'),(5,'thread_event'),
  (6,'alloc_line'),(7,'boot_line'),(8,'import');
CREATE TABLE cause(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO cause VALUES(0,'unknown'),(1,'watchdog'),(2,'panic'),(3,'out_of_memory'),(4,'planned'),
  (5,'opened_by_recorder'),(6,'power');
CREATE TABLE heap_field(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO heap_field VALUES(1,'heap_free_bytes'),(2,'largest_block_bytes'),(3,'min_free_bytes');
CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE series(id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device,
  identity INTEGER REFERENCES identity, field INTEGER NOT NULL REFERENCES heap_field,
  source INTEGER NOT NULL REFERENCES source) STRICT;
CREATE UNIQUE INDEX series_key ON series(device, ifnull(identity, 0), field, source);
CREATE TABLE sample(series INTEGER NOT NULL REFERENCES series, boot INTEGER NOT NULL REFERENCES boot,
  t_boot INTEGER NOT NULL, value INTEGER NOT NULL, suspect INTEGER NOT NULL,
  PRIMARY KEY(series, boot, t_boot)) STRICT, WITHOUT ROWID;
CREATE TABLE rollup(series INTEGER NOT NULL REFERENCES series, boot INTEGER NOT NULL REFERENCES boot,
  level INTEGER NOT NULL, bucket INTEGER NOT NULL, n INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  min INTEGER NOT NULL, max INTEGER NOT NULL, mean_t REAL NOT NULL, mean_v REAL NOT NULL, m2_t REAL NOT NULL,
  m2_v REAL NOT NULL, c_tv REAL NOT NULL, p05 REAL, p80 REAL,
  PRIMARY KEY(series, boot, level, bucket)) STRICT, WITHOUT ROWID;

CREATE TABLE log(boot INTEGER NOT NULL REFERENCES boot, t_boot INTEGER NOT NULL, link INTEGER NOT NULL,
  level INTEGER, thread INTEGER, flags INTEGER NOT NULL, alarm INTEGER, body_offset INTEGER NOT NULL,
  uptime_us INTEGER, text TEXT NOT NULL, PRIMARY KEY(boot, t_boot)) STRICT, WITHOUT ROWID;
CREATE INDEX log_evidence ON log(boot, t_boot) WHERE flags >= 2;
CREATE TABLE log_block(boot INTEGER NOT NULL REFERENCES boot, t_first INTEGER NOT NULL, t_last INTEGER NOT NULL,
  lines INTEGER NOT NULL, codec INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(boot, t_first)) STRICT, WITHOUT ROWID;
CREATE TABLE heap_event(boot INTEGER NOT NULL REFERENCES boot, t_boot INTEGER NOT NULL, thread INTEGER NOT NULL,
  before_bytes INTEGER NOT NULL, after_bytes INTEGER NOT NULL, PRIMARY KEY(boot, t_boot)) STRICT, WITHOUT ROWID;
CREATE TABLE call_site(boot INTEGER NOT NULL REFERENCES boot, t_boot INTEGER NOT NULL, context INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL, PRIMARY KEY(boot, t_boot)) STRICT, WITHOUT ROWID;
CREATE TABLE mem_audit(boot INTEGER NOT NULL REFERENCES boot, t_boot INTEGER NOT NULL, moment TEXT NOT NULL,
  tags TEXT NOT NULL, total_bytes INTEGER, PRIMARY KEY(boot, t_boot)) STRICT, WITHOUT ROWID;
CREATE TABLE packet(boot INTEGER NOT NULL REFERENCES boot, t_boot INTEGER NOT NULL, from_node INTEGER NOT NULL,
  to_node INTEGER NOT NULL, port INTEGER NOT NULL, size_bytes INTEGER NOT NULL, hop_limit INTEGER NOT NULL,
  hop_start INTEGER NOT NULL, rssi_dbm INTEGER, snr_db REAL, PRIMARY KEY(boot, t_boot)) STRICT, WITHOUT ROWID;

CREATE TABLE event(id INTEGER PRIMARY KEY, device INTEGER NOT NULL, utc_us INTEGER NOT NULL,
  boot INTEGER REFERENCES boot, t_boot INTEGER, kind TEXT NOT NULL, label TEXT NOT NULL, note TEXT NOT NULL,
  data TEXT NOT NULL) STRICT;
CREATE INDEX event_utc ON event(device, utc_us);
CREATE INDEX event_boot ON event(boot, t_boot) WHERE boot IS NOT NULL;
CREATE TABLE gap(id INTEGER PRIMARY KEY, device INTEGER NOT NULL, from_us INTEGER NOT NULL, to_us INTEGER NOT NULL,
  reason TEXT NOT NULL, lines INTEGER NOT NULL, records INTEGER NOT NULL) STRICT;
CREATE INDEX gap_to ON gap(device, to_us);
CREATE TABLE verdict(id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device, utc_us INTEGER NOT NULL,
  window_us INTEGER NOT NULL, class TEXT NOT NULL, state TEXT NOT NULL, rules TEXT NOT NULL,
  verdict TEXT NOT NULL) STRICT;
CREATE INDEX verdict_utc ON verdict(device, window_us, utc_us);
CREATE TABLE alert(id INTEGER PRIMARY KEY, device INTEGER NOT NULL, cause TEXT NOT NULL,
  severity TEXT NOT NULL, state TEXT NOT NULL, first_us INTEGER NOT NULL, last_us INTEGER NOT NULL,
  count INTEGER NOT NULL, text TEXT NOT NULL, note TEXT NOT NULL) STRICT;
CREATE TABLE counter(device INTEGER NOT NULL, name TEXT NOT NULL, total INTEGER NOT NULL,
  PRIMARY KEY(device, name)) STRICT, WITHOUT ROWID;

CREATE TABLE heartbeat(id INTEGER PRIMARY KEY CHECK(id = 1), utc_us INTEGER NOT NULL) STRICT;
CREATE TABLE stream(device INTEGER NOT NULL, kind TEXT NOT NULL, rows INTEGER NOT NULL, newest_us INTEGER,
  PRIMARY KEY(device, kind)) STRICT, WITHOUT ROWID;
CREATE TABLE field_seen(device INTEGER NOT NULL, variant TEXT NOT NULL, field TEXT NOT NULL,
  PRIMARY KEY(device, variant, field)) STRICT, WITHOUT ROWID;

CREATE VIEW boot_view AS SELECT boot.id AS boot, device.name AS device, identity.node,
  (SELECT utc_zero_us FROM anchor WHERE anchor.boot = boot.id ORDER BY since LIMIT 1) AS began_us,
  cause.name AS cause, signs, firmware_version, pio_env, debug_heap
  FROM boot JOIN device ON device.id = boot.device JOIN cause ON cause.id = boot.cause
  LEFT JOIN identity ON identity.id = boot.identity;
CREATE VIEW sample_view AS SELECT device.name AS device, heap_field.name AS field, source.name AS source,
  sample.boot, t_boot, t_boot + coalesce(
    (SELECT utc_zero_us FROM anchor WHERE anchor.boot = sample.boot AND since <= t_boot ORDER BY since DESC LIMIT 1),
    (SELECT utc_zero_us FROM anchor WHERE anchor.boot = sample.boot ORDER BY since LIMIT 1)) AS utc_us,
  value, suspect
  FROM sample JOIN series ON series.id = sample.series JOIN device ON device.id = series.device
  JOIN heap_field ON heap_field.id = series.field JOIN source ON source.id = series.source;
CREATE VIEW log_view AS SELECT boot.device, log.boot, t_boot, t_boot + coalesce(
    (SELECT utc_zero_us FROM anchor WHERE anchor.boot = log.boot AND since <= t_boot ORDER BY since DESC LIMIT 1),
    (SELECT utc_zero_us FROM anchor WHERE anchor.boot = log.boot ORDER BY since LIMIT 1)) AS utc_us,
  (SELECT word.text FROM word WHERE word.id = level) AS level,
  (SELECT word.text FROM word WHERE word.id = thread) AS thread,
  (SELECT word.text FROM word WHERE word.id = alarm) AS alarm, log.text
  FROM log JOIN boot ON boot.id = log.boot;
)sql";

std::string telemetry_sql() {
  std::string sql;
  for (const TelemetryTable& table : telemetry_tables()) {
    sql += std::string{"CREATE TABLE "} + table.table +
           "(boot INTEGER NOT NULL REFERENCES boot, other_node INTEGER NOT NULL, t_boot INTEGER NOT NULL, "
           "source INTEGER NOT NULL, extra TEXT";
    for (const TelemetryColumn& column : table.columns) {
      sql += ", " + std::string{column.name} + (column.real ? " REAL" : " INTEGER");
    }
    sql += ", PRIMARY KEY(boot, other_node, t_boot)) STRICT, WITHOUT ROWID;\n";
  }
  return sql;
}

using Migration = void (*)(Connection&);

void first_tables(Connection& db) {
  db.run(std::string{kTables});
  db.run(telemetry_sql());
}

void port_table(Connection& db) {
  db.run(
      "CREATE TABLE port(device INTEGER PRIMARY KEY REFERENCES device, path TEXT NOT NULL, by_id TEXT NOT "
      "NULL, "
      "usb_vendor INTEGER NOT NULL, usb_product INTEGER NOT NULL, usb_serial TEXT NOT NULL, "
      "seen_us INTEGER NOT NULL) STRICT");
}

// The buckets of what was recorded before there were any are built with the tables: it is not known later
// which of them are missing.
void rollup_tables(Connection& db) {
  db.run(R"sql(
DROP TABLE rollup;
CREATE TABLE rollup_level(id INTEGER PRIMARY KEY, name TEXT NOT NULL, width_us INTEGER NOT NULL) STRICT;
INSERT INTO rollup_level VALUES(1,'minute',60000000),(2,'hour',3600000000),(3,'day',86400000000);
CREATE TABLE rollup(series INTEGER NOT NULL REFERENCES series, boot INTEGER NOT NULL REFERENCES boot,
  level INTEGER NOT NULL, bucket INTEGER NOT NULL, n INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  min INTEGER NOT NULL, max INTEGER NOT NULL, min_at INTEGER NOT NULL, max_at INTEGER NOT NULL,
  mean_t REAL NOT NULL, mean_v REAL NOT NULL, m2_t REAL NOT NULL, m2_v REAL NOT NULL, c_tv REAL NOT NULL,
  p05 REAL, p80 REAL, PRIMARY KEY(series, boot, level, bucket)) STRICT, WITHOUT ROWID;
CREATE TABLE rollup_state(series INTEGER NOT NULL REFERENCES series, boot INTEGER NOT NULL REFERENCES boot,
  cadence_us INTEGER, finest INTEGER NOT NULL, sealed INTEGER NOT NULL, raw_from INTEGER, minutes_from INTEGER,
  PRIMARY KEY(series, boot)) STRICT, WITHOUT ROWID;
CREATE TABLE field_hour(boot INTEGER NOT NULL REFERENCES boot, variant INTEGER NOT NULL, hour INTEGER NOT NULL,
  field INTEGER NOT NULL REFERENCES word, n INTEGER NOT NULL, min REAL NOT NULL, max REAL NOT NULL, last REAL NOT NULL,
  PRIMARY KEY(boot, variant, hour, field)) STRICT, WITHOUT ROWID;
CREATE VIEW rollup_view AS SELECT device.name AS device, heap_field.name AS field, source.name AS source,
  rollup_level.name AS level, rollup.boot, bucket * width_us AS t_boot, bucket * width_us + coalesce(
    (SELECT utc_zero_us FROM anchor WHERE anchor.boot = rollup.boot AND since <= bucket * width_us ORDER BY since DESC LIMIT 1),
    (SELECT utc_zero_us FROM anchor WHERE anchor.boot = rollup.boot ORDER BY since LIMIT 1)) AS utc_us,
  n, first, last, min, max, first + mean_v AS mean, 60 * c_tv / nullif(m2_t, 0) AS slope_per_min, p05, p80
  FROM rollup JOIN rollup_level ON rollup_level.id = rollup.level JOIN series ON series.id = rollup.series
  JOIN device ON device.id = series.device JOIN heap_field ON heap_field.id = series.field
  JOIN source ON source.id = series.source;
)sql");
  Rollups{db}.build_all();
  FieldHours{db}.build_all();
}

// Packed lines; nothing stood in the table before. What narrows a question stands before the data, so that a
// block that is passed over is not read. And what retention has taken away, and how many rows came by when.
void log_blocks_and_dropped(Connection& db) {
  db.run(
      "DROP TABLE log_block; "
      "CREATE TABLE log_block(boot INTEGER NOT NULL REFERENCES boot, t_first INTEGER NOT NULL, t_last "
      "INTEGER "
      "NOT NULL, lines INTEGER NOT NULL, codec INTEGER NOT NULL, flags INTEGER NOT NULL, levels INTEGER NOT "
      "NULL, threads INTEGER NOT NULL, text_bytes INTEGER NOT NULL, data BLOB NOT NULL, "
      "PRIMARY KEY(boot, t_first)) STRICT, WITHOUT ROWID; "
      "CREATE TABLE dropped(device INTEGER NOT NULL, kind TEXT NOT NULL, rows INTEGER NOT NULL, boot INTEGER "
      "NOT NULL, until_us "
      "INTEGER "
      "NOT NULL, cause TEXT NOT NULL, PRIMARY KEY(device, kind)) STRICT, WITHOUT ROWID; "
      "CREATE TABLE pace(device INTEGER NOT NULL, kind TEXT NOT NULL, utc_us INTEGER NOT NULL, rows INTEGER "
      "NOT "
      "NULL, PRIMARY KEY(device, kind, utc_us)) STRICT, WITHOUT ROWID");
}

// Migration i leads from user_version i to i + 1.
constexpr std::array<Migration, 5> kMigrations{first_tables, port_table, rollup_tables, make_views,
                                               log_blocks_and_dropped};

}  // namespace

std::int64_t schema_version() {
  return static_cast<std::int64_t>(kMigrations.size());
}

Outcome check_ours(const Connection& db, const std::string& path, bool may_be_new) {
  const std::int64_t id = db.integer("PRAGMA application_id");
  const std::int64_t version = db.integer("PRAGMA user_version");
  const bool empty = db.integer("SELECT count(*) FROM sqlite_schema") == 0;
  if (id != kApplicationId && !(may_be_new && empty && id == 0)) {
    return Error{ErrorCode::unreachable, "this database is not a store of leakhunt", path,
                 "name another file; this one is left as it is"};
  }
  if (version > schema_version()) {
    return Error{ErrorCode::unreachable,
                 "the store has schema " + std::to_string(version) + ", this program knows up to " +
                     std::to_string(schema_version()),
                 path, "use the newer program that wrote it; the file is left as it is"};
  }
  return Done{};
}

void migrate_from(std::int64_t version, Connection& db) {
  kMigrations.at(static_cast<std::size_t>(version))(db);
}

}  // namespace leakhunt::storage
