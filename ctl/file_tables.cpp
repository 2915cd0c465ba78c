// The answers about the store's file as text or CSV.
#include "ctl/file_tables.h"

#include <fmt/format.h>

#include <vector>

#include "answer/json.h"
#include "ctl/text.h"
#include "proto/printable.h"

namespace leakhunt::ctl {
namespace {

using proto::printable;
using Rows = std::vector<std::vector<std::string>>;

std::string cell(const v1::SqlValue& value) {
  switch (value.value_case()) {
    case v1::SqlValue::kInteger:
      return std::to_string(value.integer());
    case v1::SqlValue::kReal:
      return fmt::format("{}", value.real());
    case v1::SqlValue::kText:
      return value.text();
    case v1::SqlValue::kBlob:
      return answer::hex(value.blob());
    default:
      return "";
  }
}

Rows sql_rows(const v1::SqlRows& sql) {
  Rows rows = {{sql.columns().begin(), sql.columns().end()}};
  for (const v1::SqlRow& row : sql.rows()) {
    std::vector<std::string>& cells = rows.emplace_back();
    for (const v1::SqlValue& value : row.values()) cells.push_back(cell(value));
  }
  return rows;
}

std::string sql_text(const v1::SqlRows& sql) {
  std::string out = table(sql_rows(sql));
  if (sql.cut())
    out += fmt::format("the first {} rows; there are more than an answer holds\n", grouped(sql.rows_size()));
  return out;
}

std::string info_text(const v1::Database& d) {
  std::string out = fmt::format("{}: {} B, {} B of WAL, schema {}, pages of {} B, {} of them free\n",
                                printable(d.path()), grouped(d.bytes()), grouped(d.wal_bytes()), d.schema(),
                                d.page_bytes(), grouped(d.free_pages()));
  Rows rows = {{"table", "rows", "bytes"}};
  for (const v1::TableSize& t : d.tables())
    rows.push_back({t.table(), grouped(t.rows()), grouped(t.bytes())});
  return out + table(rows);
}

std::string database_text(const v1::Database& d) {
  if (!d.backup().empty()) return fmt::format("{}: {} B\n", printable(d.backup()), grouped(d.backup_bytes()));
  if (d.tables_size() > 0) return info_text(d);
  if (d.bytes_before() > 0)
    return fmt::format("{}: {} B, before {} B\n", printable(d.path()), grouped(d.bytes()),
                       grouped(d.bytes_before()));
  if (d.problems().empty()) return printable(d.path()) + ": sound\n";
  std::string out;
  for (const std::string& problem : d.problems()) out += printable(problem) + "\n";
  return out;
}

Rows database_rows(const v1::Database& d) {
  if (!d.backup().empty()) return {{"backup", "bytes"}, {d.backup(), std::to_string(d.backup_bytes())}};
  if (d.bytes_before() > 0)
    return {{"path", "bytes_before", "bytes"},
            {d.path(), std::to_string(d.bytes_before()), std::to_string(d.bytes())}};
  if (d.tables_size() > 0) {
    Rows rows = {{"table", "rows", "bytes"}};
    for (const v1::TableSize& t : d.tables())
      rows.push_back({t.table(), std::to_string(t.rows()), std::to_string(t.bytes())});
    return rows;
  }
  Rows rows = {{"problem"}};
  for (const std::string& problem : d.problems()) rows.push_back({problem});
  return rows;
}

}  // namespace

std::string file_text_of(const v1::Answer& a) {
  if (a.has_sql()) return sql_text(a.sql());
  return a.has_database() ? database_text(a.database()) : "";
}

std::string file_csv_of(const v1::Answer& a) {
  if (a.has_sql()) return csv(sql_rows(a.sql()));
  return a.has_database() ? csv(database_rows(a.database())) : "";
}

}  // namespace leakhunt::ctl
