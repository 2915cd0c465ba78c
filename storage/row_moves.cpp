// The one change rows see: those of one boot become rows of another, or move on within their own.
#include <string>
#include <utility>

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
    moves_.push_back({db.prepare("UPDATE OR IGNORE " + table + " SET boot = ?1, t_boot = t_boot + ?2" + rows),
                      db.prepare("SELECT ?1, ?2 FROM " + table + rows + " LIMIT 1"),
                      db.prepare("UPDATE " + table + " SET t_boot = -(t_boot + ?2) - 1" + rows),
                      db.prepare("UPDATE " + table + " SET t_boot = -t_boot - 1" + mirrored)});
  };
  for (const char* table : {"log", "heap_event", "call_site", "mem_audit", "packet", "event"}) {
    prepare(table, kRows);
  }
  for (const TelemetryTable& table : telemetry_tables()) {
    prepare(table.table, kRows);
  }
  prepare("sample", kSampleRows);
}

// Through the times below 0, where no row stands, so that none meets one that has not moved yet.
void RowWriter::shift_within(const recorder::MoveRows& row) {
  for (Move& move : moves_) {
    move.mirror.bind(1, row.shift.count()).bind(2, static_cast<std::int64_t>(row.from));
    move.mirror.bind(3, row.since.count()).run();
    move.mirror_back.bind(2, static_cast<std::int64_t>(row.from)).run();
  }
}

void RowWriter::move_to_other(const recorder::MoveRows& row) {
  for (auto& [move, left, mirror, mirror_back] : moves_) {
    for (Statement* statement : {&move, &left}) {
      statement->bind(0, static_cast<std::int64_t>(row.to)).bind(2, static_cast<std::int64_t>(row.from));
      statement->bind(1, row.shift.count()).bind(3, row.since.count());
    }
    // A row whose new place is taken moves on, as any row does.
    constexpr int furthest = 1'000'000;
    for (int further = 0; further < furthest; ++further) {
      move.bind(1, row.shift.count() + further).run();
      const bool some_left = left.step();
      left.reset();
      if (!some_left) {
        break;
      }
    }
  }
}

void RowWriter::operator()(const recorder::MoveRows& row) {
  if (row.from == row.to) {
    shift_within(row);
  } else {
    move_to_other(row);
  }
  places_.clear();
  streams_.forget_anchors();
}

}  // namespace leakhunt::storage
