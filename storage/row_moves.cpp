// The one change rows see: those of one boot become rows of another, or move on within their own.
#include <string>
#include <utility>
#include <vector>

#include "storage/pack_logs.h"
#include "storage/row_writer.h"

namespace leakhunt::storage {
namespace {

// Parameters: 1 the new boot, 2 the shift, 3 the old boot, 4 since.
constexpr const char* kRows = " WHERE boot = ?3 AND t_boot >= ?4";
constexpr const char* kSampleRows =
    " WHERE series IN (SELECT id FROM series WHERE device = (SELECT device FROM boot WHERE id = ?3))"
    " AND boot = ?3 AND t_boot >= ?4";

}  // namespace

void RowWriter::prepare_moves(Connection& db) {
  const auto prepare = [&](const std::string& table, const std::string& rows) {
    const std::string mirrored = rows.substr(0, rows.rfind("t_boot")) + "t_boot < 0";
    moves_.push_back(
        {{db.prepare("UPDATE OR IGNORE " + table + " SET boot = ?1, t_boot = t_boot + ?2" + rows),
          db.prepare("SELECT ?1, ?2, ?3, ?4 FROM " + table + rows + " LIMIT 1")},
         db.prepare("UPDATE " + table + " SET t_boot = -(t_boot + ?2) - 1" + rows),
         {db.prepare("UPDATE OR IGNORE " + table + " SET boot = ?1, t_boot = -t_boot - 1 + ?2" + mirrored),
          db.prepare("SELECT ?1, ?2, ?3, ?4 FROM " + table + mirrored + " LIMIT 1")}});
  };
  for (const char* table : {"log", "heap_event", "call_site", "mem_audit", "packet", "event"}) {
    prepare(table, kRows);
  }
  for (const TelemetryTable& table : telemetry_tables()) {
    prepare(table.table, kRows);
  }
  prepare("sample", kSampleRows);
}

// A row whose new place is taken moves on, as any row does.
void RowWriter::move_all(Move& move, const recorder::MoveRows& row, Duration shift) {
  constexpr int furthest = 1'000'000;
  for (int further = 0; further < furthest; ++further) {
    move.move.bind(0, number(row.to)).bind(1, shift.count() + further).bind(2, number(row.from)).run();
    move.left.bind(2, number(row.from));
    const bool some_left = move.left.step();
    move.left.reset();
    if (!some_left) {
      break;
    }
  }
}

void RowWriter::rebuild_moved(const recorder::MoveRows& row) {
  std::vector<std::int64_t> series;
  Statement all = db_.prepare("SELECT id FROM series WHERE device = (SELECT device FROM boot WHERE id = ?)");
  all.bind(0, number(row.from));
  while (all.step()) series.push_back(all.integer(0));
  for (const std::int64_t one : series) rollups_.made_anew(one, row.from, row.since);
  field_hours_.made_anew(row.from, row.since);
  if (row.from == row.to) return;
  for (const std::int64_t one : series) rollups_.made_anew(one, row.to, row.since + row.shift);
  field_hours_.made_anew(row.to, row.since + row.shift);
}

void RowWriter::operator()(const recorder::MoveRows& row) {
  settle();
  unpack_lines(db_, row.from, row.since);
  for (TableMoves& moves : moves_) {
    if (row.from != row.to) {
      moves.away.move.bind(3, row.since.count());
      moves.away.left.bind(3, row.since.count());
      move_all(moves.away, row, row.shift);
      continue;
    }
    // Through the times below 0, where no row stands, so that none meets one that has not moved yet.
    moves.mirror.bind(1, row.shift.count()).bind(2, number(row.from)).bind(3, row.since.count()).run();
    move_all(moves.back, row, Duration{});
  }
  places_.clear();
  streams_.forget_anchors();
  rebuild_moved(row);
}

}  // namespace leakhunt::storage
