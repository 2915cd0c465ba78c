// Rows to statements. Every statement is prepared once; what repeats (words, series) is looked up once.
#include "storage/row_writer.h"

#include <sqlite3.h>

#include <string>

#include "recorder/boot_cause.h"

namespace leakhunt::storage {
namespace {

std::optional<std::int64_t> known(recorder::IdentityId id) {
  return id == recorder::kUnknownIdentity ? std::nullopt : std::optional{number(id)};
}

std::string upsert(const std::string& table, const std::string& key,
                   const std::vector<std::string>& columns) {
  std::string marks = key.find(',') == std::string::npos ? "?" : "?, ?";
  std::string names = key;
  std::string changes;
  for (const std::string& column : columns) {
    names += ", " + column;
    marks += ", ?";
    changes += (changes.empty() ? "" : ", ") + column + " = excluded." + column;
  }
  return "INSERT INTO " + table + "(" + names + ") VALUES(" + marks + ") ON CONFLICT(" + key +
         ") DO UPDATE SET " + changes;
}

std::string timed_insert(const std::string& table, int columns, const std::string& key = "boot, t_boot") {
  std::string marks = "?";
  for (int i = 1; i < columns; ++i) {
    marks += ", ?";
  }
  return "INSERT INTO " + table + " VALUES(" + marks + ") ON CONFLICT(" + key + ") DO NOTHING";
}

bool from_line(recorder::Source source) {
  return source != recorder::Source::poll && source != recorder::Source::stats;
}

std::int64_t log_flags(const recorder::LogRow& row) {
  return (row.tells_heap ? 1 : 0) + (row.evidence ? 2 : 0) + (row.alarm.empty() ? 0 : 4);
}

}  // namespace

Duration Places::free_place(std::uint64_t key, recorder::BootTime at) const {
  const auto found = places_.find(key);
  if (found == places_.end() || found->second.boot != at.boot) {
    return at.t;
  }
  const Place& place = found->second;
  return place.asked <= at.t && at.t <= place.used ? place.used + Duration{1} : at.t;
}

void Places::taken(std::uint64_t key, recorder::BootTime asked, Duration used) {
  constexpr std::size_t enough_runs = 4096;
  if (places_.size() >= enough_runs) {
    places_.clear();
  }
  places_[key] = {asked.boot, asked.t, used};
}

RowWriter::RowWriter(Connection& db)
    : db_(db),
      streams_(db),
      rollups_(db),
      field_hours_(db),
      device_(db.prepare(upsert("device", "id", {"name"}))),
      identity_(db.prepare(upsert(
          "identity", "id", {"device", "node", "long_name", "short_name", "hw_model", "first_seen_us"}))),
      boot_(db.prepare(upsert("boot", "id",
                              {"device", "identity", "cause", "signs", "start_seen", "reboot_count",
                               "firmware_version", "pio_env", "debug_heap"}))),
      anchor_(db.prepare(upsert("anchor", "boot, since", {"host_boot", "mono_zero_us", "utc_zero_us"}))),
      sample_(db.prepare("INSERT INTO sample(boot, t_boot, series, value, suspect) VALUES(?, ?, ?, ?, ?) "
                         "ON CONFLICT(series, boot, t_boot) DO NOTHING")),
      log_(db.prepare(timed_insert("log", 10))),
      heap_event_(db.prepare(timed_insert("heap_event", 5))),
      call_site_(db.prepare(timed_insert("call_site", 4))),
      mem_audit_(db.prepare(timed_insert("mem_audit", 5))),
      packet_(db.prepare(timed_insert("packet", 10))),
      boot_event_(db.prepare("UPDATE event SET label = ?2, note = ?3 WHERE boot = ?1 AND kind = 'boot'")),
      event_(db.prepare("INSERT INTO event(device, utc_us, boot, t_boot, kind, label, note, data) "
                        "VALUES(?, ?, ?, ?, ?, ?, ?, ?)")),
      gap_(db.prepare(
          "INSERT INTO gap(device, from_us, to_us, reason, lines, records) VALUES(?, ?, ?, ?, ?, ?)")),
      verdict_(db.prepare("INSERT INTO verdict(device, utc_us, window_us, class, state, rules, verdict) "
                          "VALUES(?, ?, ?, ?, ?, ?, ?)")),
      alert_(db.prepare(
          "INSERT INTO alert(id, device, cause, severity, state, first_us, last_us, count, text, note) "
          "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 WHERE ?2 = 0 OR EXISTS(SELECT 1 FROM device WHERE "
          "id = ?2) OR EXISTS(SELECT 1 FROM alert WHERE id = ?1) ON CONFLICT(id) DO UPDATE SET cause = "
          "excluded.cause, severity = excluded.severity, state = excluded.state, first_us = "
          "excluded.first_us, last_us = excluded.last_us, count = excluded.count, text = excluded.text, note "
          "= excluded.note")),
      counter_(db.prepare("INSERT INTO counter VALUES(?, ?, ?) ON CONFLICT(device, name) DO UPDATE SET "
                          "total = excluded.total")),
      find_word_(db.prepare("SELECT id FROM word WHERE text = ?")),
      add_word_(db.prepare("INSERT INTO word(text) VALUES(?) RETURNING id")),
      find_series_(
          db.prepare("SELECT id FROM series WHERE device = ? AND ifnull(identity, 0) = ? AND field = ? "
                     "AND source = ?")),
      add_series_(
          db.prepare("INSERT INTO series(device, identity, field, source) VALUES(?, ?, ?, ?) RETURNING id")),
      find_node_(db.prepare("SELECT node FROM identity WHERE id = ?")),
      add_field_(db.prepare("INSERT OR IGNORE INTO field_seen VALUES(?, ?, ?)")) {
  prepare_telemetry(db);
  prepare_moves(db);
}

void RowWriter::settle() {
  rollups_.flush();
  field_hours_.flush();
  streams_.flush();
}

void RowWriter::forget() {
  streams_.forget();
  words_.clear();
  forget_ids();
}

void RowWriter::forget_ids() {
  streams_.forget_anchors();
  rollups_.forget();
  field_hours_.forget();
  places_.clear();
  series_.clear();
  nodes_.clear();
  for (auto& [variant, insert] : telemetry_) {
    insert.seen.clear();
  }
}

Duration RowWriter::insert_at(Statement& insert, std::uint64_t key, recorder::BootTime at) {
  insert.bind(0, number(at.boot));
  Duration t = places_.free_place(key, at);
  while (insert.bind(1, t.count()).run() == 0) {
    t += Duration{1};
  }
  places_.taken(key, at, t);
  return t;
}

std::int64_t RowWriter::word(std::string_view text) {
  if (const auto found = words_.find(text); found != words_.end()) {
    return found->second;
  }
  // A hostile device can make up names for ever.
  constexpr std::size_t enough_words = 4096;
  if (words_.size() >= enough_words) {
    words_.clear();
  }
  find_word_.bind(0, text);
  Statement& answer = find_word_.step() ? find_word_ : add_word_;
  if (&answer == &add_word_) {
    find_word_.reset();
    add_word_.bind(0, text).step();
  }
  const std::int64_t id = answer.integer(0);
  answer.reset();
  words_.emplace(text, id);
  return id;
}

void RowWriter::bind_word(Statement& insert, int index, std::string_view text) {
  if (text.empty()) {
    insert.bind_null(index);
  } else {
    insert.bind(index, word(text));
  }
}

void RowWriter::operator()(const recorder::DeviceRow& row) {
  device_.bind(0, number(row.id)).bind(1, row.name).run();
}

void RowWriter::operator()(const recorder::IdentityRow& row) {
  identity_.bind(0, number(row.id))
      .bind(1, number(row.device))
      .bind(2, number(row.node))
      .bind(3, row.long_name);
  identity_.bind(4, row.short_name).bind(5, number(row.hw_model)).bind(6, row.first_seen.us).run();
  nodes_[row.id] = row.node;
}

void RowWriter::operator()(const recorder::BootRow& row) {
  boot_.bind(0, number(row.id))
      .bind(1, number(row.device))
      .bind(2, known(row.identity))
      .bind(3, number(row.cause));
  boot_.bind(4, row.signs).bind(5, std::int64_t{row.start_seen});
  boot_.bind(6, row.reboot_count ? std::optional{number(*row.reboot_count)} : std::nullopt);
  boot_.bind(7, row.firmware_version).bind(8, row.pio_env);
  boot_.bind(9, row.debug_heap ? std::optional{std::int64_t{*row.debug_heap}} : std::nullopt).run();
  // The lines that tell the cause come after the one that begins the boot.
  boot_event_.bind(0, number(row.id)).bind(1, recorder::word(row.cause)).bind(2, row.signs).run();
}

void RowWriter::operator()(const recorder::AnchorRow& row) {
  anchor_.bind(0, number(row.boot)).bind(1, row.since.count()).bind(2, row.host_boot);
  anchor_.bind(3, row.mono_zero.us).bind(4, row.utc_zero.us).run();
  streams_.forget_anchors();
}

std::int64_t RowWriter::series(const recorder::SampleRow& row) {
  const SeriesKey key{number(row.device), number(row.identity), row.field, row.source};
  if (const auto found = series_.find(key); found != series_.end()) {
    return found->second;
  }
  find_series_.bind(0, number(row.device)).bind(1, number(row.identity)).bind(2, number(row.field));
  find_series_.bind(3, number(row.source));
  const bool there = find_series_.step();
  std::int64_t id = there ? find_series_.integer(0) : 0;
  find_series_.reset();
  if (!there) {
    add_series_.bind(0, number(row.device)).bind(1, known(row.identity)).bind(2, number(row.field));
    add_series_.bind(3, number(row.source)).step();
    id = add_series_.integer(0);
    add_series_.reset();
  }
  return series_[key] = id;
}

void RowWriter::operator()(const recorder::SampleRow& row) {
  const std::int64_t id = series(row);
  Rollups::Run& run = rollups_.run(id, row.at.boot);
  if (!run.takes(row.at.t)) {
    streams_.count(row.device, stream_kind::samples_too_late, row.at);
    throw SqliteError(SQLITE_CONSTRAINT, "the samples of that time are kept in buckets alone");
  }
  sample_.bind(2, id).bind(3, row.value_bytes).bind(4, std::int64_t{row.suspect});
  const Duration t = insert_at(sample_, place_key(Run::sample, id), row.at);
  rollups_.add(run, t, row.value_bytes, row.suspect);
  streams_.count(row.device,
                 from_line(row.source) ? stream_kind::samples_from_lines : stream_kind::samples_reported,
                 row.at);
}

void RowWriter::operator()(const recorder::HeapEventRow& row) {
  heap_event_.bind(2, word(row.thread)).bind(3, row.before_bytes).bind(4, row.after_bytes);
  insert_at(heap_event_, place_key(Run::heap_event, number(row.device)), row.at);
  streams_.count(row.device, stream_kind::heap_events, row.at);
}

void RowWriter::operator()(const recorder::CallSiteRow& row) {
  call_site_.bind(2, word(row.context)).bind(3, row.size_bytes);
  insert_at(call_site_, place_key(Run::call_site, number(row.device)), row.at);
  streams_.count(row.device, stream_kind::call_sites, row.at);
}

void RowWriter::operator()(const recorder::MemAuditRow& row) {
  std::string tags;
  for (const auto& [tag, bytes] : row.tag_bytes) {
    tags += (tags.empty() ? "" : "\n") + tag + "=" + std::to_string(bytes);
  }
  mem_audit_.bind(2, row.when).bind(3, tags).bind(4, row.total_bytes);
  insert_at(mem_audit_, place_key(Run::mem_audit, number(row.device)), row.at);
  streams_.count(row.device, stream_kind::mem_audits, row.at);
}

void RowWriter::operator()(const recorder::LogRow& row) {
  log_.bind(2, std::int64_t{row.link});
  bind_word(log_, 3, row.level);
  bind_word(log_, 4, row.thread);
  log_.bind(5, log_flags(row));
  bind_word(log_, 6, row.alarm);
  log_.bind(7, std::int64_t{row.body_offset}).bind(8, row.uptime_us).bind(9, row.text);
  insert_at(log_, place_key(Run::log, number(row.device)), row.at);
  streams_.count(row.device, stream_kind::logs, row.at);
}

void RowWriter::operator()(const recorder::PacketRow& row) {
  packet_.bind(2, number(row.from)).bind(3, number(row.to)).bind(4, number(row.port));
  packet_.bind(5, number(row.size_bytes)).bind(6, number(row.hop_limit)).bind(7, number(row.hop_start));
  packet_.bind(8, row.rssi_dbm ? std::optional{std::int64_t{*row.rssi_dbm}} : std::nullopt);
  if (row.snr_db) {
    packet_.bind(9, static_cast<double>(*row.snr_db));
  } else {
    packet_.bind_null(9);
  }
  insert_at(packet_, place_key(Run::packet, number(row.device)), row.at);
  streams_.count(row.device, stream_kind::packets, row.at);
}

void RowWriter::operator()(const recorder::EventRow& row) {
  const bool placed = row.at && row.at->boot != recorder::kNoBoot;
  event_.bind(0, number(row.device)).bind(1, row.utc.us);
  event_.bind(2, placed ? std::optional{number(row.at->boot)} : std::nullopt);
  event_.bind(3, placed ? std::optional{std::int64_t{row.at->t.count()}} : std::nullopt);
  event_.bind(4, row.kind).bind(5, row.label).bind(6, row.note).bind(7, row.data).run();
  streams_.count(row.device, stream_kind::events, row.utc);
}

void RowWriter::operator()(const recorder::GapRow& row) {
  gap_.bind(0, number(row.device)).bind(1, row.from.us).bind(2, row.to.us).bind(3, row.reason);
  gap_.bind(4, row.lines).bind(5, row.records).run();
  const auto seconds_missing = (row.to - row.from).count() / 1'000'000;
  (*this)(recorder::EventRow{.device = row.device,
                             .utc = row.to,
                             .at = std::nullopt,
                             .kind = "gap",
                             .label = row.reason,
                             .note = "nothing for " + std::to_string(seconds_missing) + " s",
                             .data = ""});
}

void RowWriter::operator()(const recorder::VerdictRow& row) {
  verdict_.bind(0, number(row.device)).bind(1, row.utc.us).bind(2, std::int64_t{row.window.count()});
  verdict_.bind(3, row.verdict_class).bind(4, row.state).bind(5, row.rules).bind(6, row.json).run();
}

// An alert may outlive its device in the book of the daemon: it stays with the device that took over, and
// does not come back when the device was forgotten.
void RowWriter::operator()(const recorder::AlertRow& row) {
  alert_.bind(0, row.id)
      .bind(1, number(row.device))
      .bind(2, row.cause)
      .bind(3, row.severity)
      .bind(4, row.state);
  alert_.bind(5, row.first.us)
      .bind(6, row.last.us)
      .bind(7, row.count)
      .bind(8, row.text)
      .bind(9, row.note)
      .run();
}

void RowWriter::operator()(const recorder::CounterRow& row) {
  counter_.bind(0, number(row.device)).bind(1, row.name).bind(2, row.total).run();
}

}  // namespace leakhunt::storage
