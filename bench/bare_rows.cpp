// Reads the tables by what the database itself says of them.
#include "bench/bare_rows.h"

#include <algorithm>
#include <tuple>

namespace leakhunt::bench {
namespace {

using storage::Connection;
using storage::Statement;

}  // namespace

BareRows::BareRows(const std::string& path) : path_(path) {
  const Connection db(path, Connection::Mode::read_only);
  Statement tables = db.prepare(
      "SELECT t.name FROM pragma_table_list t, pragma_table_info(t.name) c WHERE t.wr AND c.name = 't_boot'");
  while (tables.step()) {
    Table table{std::string{tables.text(0)}, {}};
    Statement columns = db.prepare("SELECT type FROM pragma_table_info('" + table.name + "')");
    while (columns.step()) {
      table.types.emplace_back(columns.text(0));
    }
    tables_.push_back(std::move(table));
    load(db, tables_.size() - 1);
  }
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return std::tie(a.boot, a.t) < std::tie(b.boot, b.t); });
}

void BareRows::load(const Connection& db, std::size_t index) {
  const Table& table = tables_[index];
  Statement rows = db.prepare("SELECT boot, t_boot, * FROM " + table.name);
  while (rows.step()) {
    rows_.push_back({rows.integer(0), rows.integer(1), index, values_.size()});
    for (std::size_t i = 0; i < table.types.size(); ++i) {
      const int column = static_cast<int>(i) + 2;
      if (rows.is_null(column)) {
        values_.emplace_back();
      } else if (table.types[i] == "TEXT") {
        values_.emplace_back(std::string{rows.text(column)});
      } else if (table.types[i] == "REAL") {
        values_.emplace_back(rows.real(column));
      } else {
        values_.emplace_back(rows.integer(column));
      }
    }
  }
}

void BareRows::prepare(Connection& db) const {
  db.run("ATTACH '" + path_ + "' AS whole");
  for (const char* table : {"device", "identity", "boot", "anchor", "word", "series"}) {
    db.run(std::string{"INSERT INTO main."} + table + " SELECT * FROM whole." + table);
  }
  db.run("DETACH whole");
}

void BareRows::insert(Connection& db, std::size_t batch) const {
  std::vector<Statement> inserts;
  for (const Table& table : tables_) {
    std::string marks = "?";
    for (std::size_t i = 1; i < table.types.size(); ++i) {
      marks += ", ?";
    }
    inserts.push_back(db.prepare("INSERT INTO " + table.name + " VALUES(" + marks + ")"));
  }
  Statement begin = db.prepare("BEGIN IMMEDIATE");
  Statement commit = db.prepare("COMMIT");
  for (std::size_t n = 0; n < rows_.size(); ++n) {
    if (n % batch == 0) {
      begin.run();
    }
    const Row& row = rows_[n];
    Statement& insert = inserts[row.table];
    for (std::size_t i = 0; i < tables_[row.table].types.size(); ++i) {
      const Value& value = values_[row.first_value + i];
      const int index = static_cast<int>(i);
      if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        insert.bind(index, *integer);
      } else if (const auto* text = std::get_if<std::string>(&value)) {
        insert.bind(index, std::string_view{*text});
      } else if (const auto* real = std::get_if<double>(&value)) {
        insert.bind(index, *real);
      } else {
        insert.bind_null(index);
      }
    }
    insert.run();
    if ((n + 1) % batch == 0 || n + 1 == rows_.size()) {
      commit.run();
    }
  }
}

}  // namespace leakhunt::bench
