// Telemetry records: one row per packet in the table of its variant.
#include <cmath>
#include <string>
#include <string_view>

#include "storage/row_writer.h"

namespace leakhunt::storage {
namespace {

// Parameters before those of the columns: boot, t_boot, other_node, source, extra.
constexpr int kFixed = 5;

// Doubles beyond this do not hold every integer.
bool fits_integer(double value) {
  return std::trunc(value) == value && std::abs(value) <= 9007199254740992.0;
}

// The column of that name, looked for from `hint` on, since values come in the order of the wire.
std::size_t column_of(const TelemetryTable& table, std::string_view name, std::size_t hint) {
  const std::size_t count = table.columns.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t column = (hint + i) % count;
    if (table.columns[column].name == name) {
      return column;
    }
  }
  return count;
}

bool tells_heap(const recorder::TelemetryRow& row) {
  for (const auto& [name, value] : row.values) {
    if (name == "heap_total_bytes" || name == "heap_free_bytes") {
      return true;
    }
  }
  return false;
}

}  // namespace

void RowWriter::prepare_telemetry(Connection& db) {
  for (const TelemetryTable& table : telemetry_tables()) {
    std::string names = "boot, t_boot, other_node, source, extra";
    std::string marks = "?, ?, ?, ?, ?";
    for (const TelemetryColumn& column : table.columns) {
      names += ", " + std::string{column.name};
      marks += ", ?";
    }
    Statement insert = db.prepare(std::string{"INSERT INTO "} + table.table + "(" + names + ") VALUES(" +
                                  marks + ") ON CONFLICT(boot, other_node, t_boot) DO NOTHING");
    telemetry_.emplace(table.variant, TelemetryInsert{&table, std::move(insert), {}});
  }
}

bool RowWriter::is_own(const recorder::TelemetryRow& row) {
  if (row.node == 0 || row.identity == recorder::kUnknownIdentity) {
    return row.node == 0;
  }
  auto found = nodes_.find(row.identity);
  if (found == nodes_.end()) {
    find_node_.bind(0, number(row.identity));
    const std::uint32_t node = find_node_.step() ? static_cast<std::uint32_t>(find_node_.integer(0)) : 0;
    find_node_.reset();
    found = nodes_.emplace(row.identity, node).first;
  }
  return found->second == row.node;
}

void RowWriter::note_field(TelemetryInsert& insert, recorder::DeviceId device, std::size_t column) {
  std::vector<bool>& seen = insert.seen[device];
  seen.resize(insert.table->columns.size());
  if (!seen[column]) {
    add_field_.bind(0, number(device))
        .bind(1, insert.table->name)
        .bind(2, insert.table->columns[column].name);
    add_field_.run();
    seen[column] = true;
  }
}

// Binds what has a column, and returns the rest as text.
std::string RowWriter::bind_values(TelemetryInsert& insert, const recorder::TelemetryRow& row, bool own) {
  const auto& columns = insert.table->columns;
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    insert.statement.bind_null(kFixed + i);
  }
  std::string extra;
  std::size_t next = 0;
  own_values_.clear();
  for (const auto& [name, value] : row.values) {
    const std::size_t column = column_of(*insert.table, name, next);
    const bool there = column < columns.size();
    if (!there || (!columns[column].real && !fits_integer(value))) {
      extra += (extra.empty() ? "" : " ") + std::string{name} + "=" + std::to_string(value);
      continue;
    }
    const int index = kFixed + static_cast<int>(column);
    if (columns[column].real) {
      insert.statement.bind(index, value);
    } else {
      insert.statement.bind(index, static_cast<std::int64_t>(value));
    }
    if (own) {
      own_values_.emplace_back(column, value);
      note_field(insert, row.device, column);
    }
    next = column + 1;
  }
  return extra;
}

void RowWriter::operator()(const recorder::TelemetryRow& row) {
  const auto found = telemetry_.find(row.variant);
  if (found == telemetry_.end()) {
    return;
  }
  TelemetryInsert& insert = found->second;
  const bool own = is_own(row);
  const std::int64_t other_node = own ? 0 : number(row.node);
  const std::string extra = bind_values(insert, row, own);
  insert.statement.bind(2, other_node).bind(3, number(row.source));
  if (extra.empty()) {
    insert.statement.bind_null(4);
  } else {
    insert.statement.bind(4, extra);
  }
  const auto run = static_cast<Run>(static_cast<int>(Run::telemetry) + static_cast<int>(row.variant));
  const Duration t =
      insert_at(insert.statement, place_key(run, (number(row.device) << 32) ^ other_node), row.at);
  if (own) field_hours_.add(*insert.table, row.at.boot, t, own_values_);
  streams_.count(row.device, own ? insert.table->table : stream_kind::other_nodes, row.at);
  if (own && row.variant == recorder::Variant::local && !tells_heap(row)) {
    streams_.count(row.device, stream_kind::local_without_heap, row.at);
  }
}

}  // namespace leakhunt::storage
