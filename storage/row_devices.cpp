// A person's changes of devices, and the ports devices were seen on, to statements. Private to the writer.
#include <sqlite3.h>

#include <array>
#include <string>

#include "storage/row_writer.h"

namespace leakhunt::storage {
namespace {

// ?1 is the device that is merged, ?2 the one it becomes a part of. Boots first: they say which identities
// are in use; the identities that both have go last, when nothing refers to them any more.
constexpr const char* kMergeBoots =
    "UPDATE boot SET device = ?2, identity = (SELECT coalesce(kept.id, own.id) FROM identity AS own LEFT "
    "JOIN "
    "identity AS kept ON kept.device = ?2 AND kept.node = own.node WHERE own.id = boot.identity) WHERE "
    "device "
    "= ?1";
constexpr std::array kMergeRest{
    "UPDATE event SET device = ?2 WHERE device = ?1",
    "UPDATE gap SET device = ?2 WHERE device = ?1",
    "UPDATE verdict SET device = ?2 WHERE device = ?1",
    "UPDATE alert SET device = ?2 WHERE device = ?1",
    "INSERT INTO counter SELECT ?2, name, total FROM counter WHERE device = ?1 ON CONFLICT(device, name) DO "
    "UPDATE SET total = total + excluded.total",
    "INSERT INTO stream SELECT ?2, kind, rows, newest_us FROM stream WHERE device = ?1 ON CONFLICT(device, "
    "kind) DO UPDATE SET rows = rows + excluded.rows, newest_us = max(coalesce(newest_us, "
    "excluded.newest_us), coalesce(excluded.newest_us, newest_us))",
    "INSERT INTO dropped SELECT ?2, kind, rows, 0, until_us, cause FROM dropped WHERE device = ?1 ON "
    "CONFLICT(device, kind) DO UPDATE SET rows = rows + excluded.rows, until_us = max(until_us, "
    "excluded.until_us)",
    "UPDATE dropped SET boot = 0 WHERE device = ?2",  // rows of earlier boots may have come
    "INSERT OR IGNORE INTO field_seen SELECT ?2, variant, field FROM field_seen WHERE device = ?1",
    "INSERT INTO port SELECT ?2, path, by_id, usb_vendor, usb_product, usb_serial, seen_us FROM port WHERE "
    "device = ?1 ON CONFLICT(device) DO UPDATE SET path = excluded.path, by_id = excluded.by_id, usb_vendor "
    "= "
    "excluded.usb_vendor, usb_product = excluded.usb_product, usb_serial = excluded.usb_serial, seen_us = "
    "excluded.seen_us WHERE excluded.seen_us > seen_us",
    "UPDATE identity AS kept SET first_seen_us = min(first_seen_us, (SELECT min(first_seen_us) FROM identity "
    "AS own WHERE own.device = ?1 AND own.node = kept.node)) WHERE device = ?2 AND node IN (SELECT node FROM "
    "identity WHERE device = ?1)",
    "DELETE FROM identity WHERE device = ?1 AND node IN (SELECT node FROM identity WHERE device = ?2)",
    "UPDATE identity SET device = ?2 WHERE device = ?1"};

// What goes with a device and hangs on it, on one of its boots, or on one of its series; children first.
constexpr std::array kOfBoots{"log",    "log_block", "heap_event", "call_site", "mem_audit",
                              "packet", "anchor",    "event",      "field_hour"};
constexpr std::array kOfSeries{"sample", "rollup", "rollup_state"};
constexpr std::array kOfDevice{"event",   "gap",  "verdict", "alert",  "counter", "stream",  "field_seen",
                               "dropped", "pace", "port",    "series", "boot",    "identity"};
constexpr std::array kLeftBehind{"counter", "stream", "field_seen", "dropped", "pace", "port"};

// Undone unless it is kept: a row that is refused half-way must leave nothing behind in its transaction.
class Savepoint {
 public:
  explicit Savepoint(Connection& db) : db_(db) { db_.run("SAVEPOINT whole"); }
  Savepoint(const Savepoint&) = delete;
  Savepoint& operator=(const Savepoint&) = delete;
  ~Savepoint() {
    if (!kept_) sqlite3_exec(db_.raw(), "ROLLBACK TO whole; RELEASE whole", nullptr, nullptr, nullptr);
  }
  void keep() {
    db_.run("RELEASE whole");
    kept_ = true;
  }

 private:
  Connection& db_;
  bool kept_ = false;
};

void delete_of(Connection& db, const std::string& table, const std::string& which,
               recorder::DeviceId device) {
  db.prepare("DELETE FROM " + table + " WHERE " + which).bind(0, number(device)).run();
}

}  // namespace

void RowWriter::operator()(const recorder::PortRow& row) {
  Statement put = db_.prepare(
      "INSERT INTO port VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(device) DO UPDATE SET path = excluded.path, "
      "by_id = excluded.by_id, usb_vendor = excluded.usb_vendor, usb_product = excluded.usb_product, "
      "usb_serial = excluded.usb_serial, seen_us = excluded.seen_us");
  put.bind(0, number(row.device)).bind(1, row.path).bind(2, row.by_id).bind(3, std::int64_t{row.usb_vendor});
  put.bind(4, std::int64_t{row.usb_product}).bind(5, row.usb_serial).bind(6, row.seen.us).run();
}

void RowWriter::operator()(const recorder::RenameDevice& row) {
  db_.prepare("UPDATE device SET name = ? WHERE id = ?").bind(0, row.name).bind(1, number(row.device)).run();
}

// Not every table refers to its device by a key.
void RowWriter::check_known(recorder::DeviceId device) const {
  Statement find = db_.prepare("SELECT 1 FROM device WHERE id = ?");
  if (!find.bind(0, number(device)).step()) throw SqliteError(SQLITE_CONSTRAINT, "no such device");
}

// Series that both have become one: those of `into`.
void RowWriter::merge_series(const recorder::MergeDevices& row) {
  Statement next = db_.prepare(
      "SELECT own.id, (SELECT coalesce(kept.id, was.id) FROM identity AS was LEFT JOIN identity AS kept ON "
      "kept.device = ?2 AND kept.node = was.node WHERE was.id = own.identity) AS identity, field, source "
      "FROM "
      "series AS own WHERE device = ?1 LIMIT 1");
  Statement take_over = db_.prepare("UPDATE series SET device = ?1, identity = ?2 WHERE id = ?3");
  next.bind(0, number(row.merged)).bind(1, number(row.into));
  while (next.step()) {
    const std::int64_t own = next.integer(0);
    const std::optional<std::int64_t> identity = next.maybe_integer(1);
    find_series_.bind(0, number(row.into)).bind(1, identity.value_or(0)).bind(2, next.integer(2));
    find_series_.bind(3, next.integer(3));
    next.reset();
    const std::optional<std::int64_t> kept =
        find_series_.step() ? std::optional{find_series_.integer(0)} : std::nullopt;
    find_series_.reset();
    if (!kept) {
      take_over.bind(0, number(row.into)).bind(1, identity).bind(2, own).run();
      continue;
    }
    for (const char* table : kOfSeries) {
      db_.prepare(std::string{"UPDATE "} + table + " SET series = ? WHERE series = ?")
          .bind(0, *kept)
          .bind(1, own)
          .run();
    }
    db_.prepare("DELETE FROM series WHERE id = ?").bind(0, own).run();
  }
}

void RowWriter::operator()(const recorder::MergeDevices& row) {
  check_known(row.merged);
  check_known(row.into);
  if (row.merged == row.into) throw SqliteError(SQLITE_CONSTRAINT, "a device is no part of itself");
  settle();
  Savepoint whole(db_);
  db_.prepare(kMergeBoots).bind(0, number(row.merged)).bind(1, number(row.into)).run();
  merge_series(row);
  for (const char* sql : kMergeRest) {
    db_.prepare(sql).bind(0, number(row.merged)).bind(1, number(row.into)).run();
  }
  for (const char* table : kLeftBehind) delete_of(db_, table, "device = ?", row.merged);
  delete_of(db_, "device", "id = ?", row.merged);
  whole.keep();
  forget_ids();
}

void RowWriter::operator()(const recorder::ForgetDevice& row) {
  check_known(row.device);
  settle();
  Savepoint whole(db_);
  const std::string boots = "boot IN (SELECT id FROM boot WHERE device = ?)";
  for (const char* table : kOfBoots) delete_of(db_, table, boots, row.device);
  for (const TelemetryTable& table : telemetry_tables()) delete_of(db_, table.table, boots, row.device);
  for (const char* table : kOfSeries) {
    delete_of(db_, table, "series IN (SELECT id FROM series WHERE device = ?)", row.device);
  }
  for (const char* table : kOfDevice) delete_of(db_, table, "device = ?", row.device);
  delete_of(db_, "device", "id = ?", row.device);
  whole.keep();
  forget_ids();
}

}  // namespace leakhunt::storage
