// What is asked of the file as a whole: sizes, soundness, a copy.
#include <sqlite3.h>

#include "storage/copy.h"
#include "storage/reader_impl.h"

namespace leakhunt::storage {
namespace {

// What must hold between tables beyond what their keys say. Each query gives the rows that break the rule.
struct Rule {
  const char* words;
  const char* count;
};

constexpr Rule kRules[] = {
    {"boots whose identity is of another device",
     "SELECT count(*) FROM boot JOIN identity ON identity.id = boot.identity WHERE identity.device <> "
     "boot.device"},
    {"series whose identity is of another device",
     "SELECT count(*) FROM series JOIN identity ON identity.id = series.identity "
     "WHERE identity.device <> series.device"},
    {"boots with samples of another device's series",
     "SELECT count(*) FROM (SELECT DISTINCT series, boot FROM sample) AS s JOIN boot ON boot.id = s.boot "
     "JOIN series ON series.id = s.series WHERE series.device <> boot.device"},
    {"log lines whose level, thread or alarm is no word",
     "SELECT count(*) FROM log WHERE level NOT IN (SELECT id FROM word) OR thread NOT IN (SELECT id FROM "
     "word) "
     "OR alarm NOT IN (SELECT id FROM word)"},
    {"heap events of a thread that is no word",
     "SELECT count(*) FROM heap_event WHERE thread NOT IN (SELECT id FROM word)"},
    {"call sites of a context that is no word",
     "SELECT count(*) FROM call_site WHERE context NOT IN (SELECT id FROM word)"},
    {"totals kept for a device that is not there",
     "SELECT count(*) FROM stream WHERE device <> 0 AND device NOT IN (SELECT id FROM device)"},
};

void add_column(std::vector<std::string>& problems, Statement rows, std::string_view fine) {
  while (rows.step()) {
    if (rows.text(0) != fine) problems.emplace_back(rows.text(0));
  }
}

}  // namespace

std::vector<TableSize> Reader::table_sizes() {
  return impl_->ask([&] {
    std::vector<TableSize> sizes;
    Statement tables = impl_->db_.prepare(
        "SELECT coalesce(tbl_name, part), sum(bytes) FROM (SELECT name AS part, pgsize AS bytes FROM dbstat "
        "WHERE aggregate = TRUE) LEFT JOIN sqlite_schema AS s ON s.name = part GROUP BY 1 ORDER BY 2 DESC, 1");
    while (tables.step()) sizes.push_back({std::string{tables.text(0)}, 0, tables.integer(1)});
    for (TableSize& size : sizes) {
      impl_->check_time();
      size.rows = impl_->db_.integer("SELECT count(*) FROM \"" + size.table + "\"");
    }
    return sizes;
  });
}

std::vector<std::string> Reader::check() {
  return impl_->ask([&] {
    std::vector<std::string> problems;
    const Connection& db = impl_->db_;
    try {
      add_column(problems, db.prepare("PRAGMA integrity_check"), "ok");
      add_column(
          problems,
          db.prepare(
              "SELECT 'a row of ' || \"table\" || ' refers to nothing in ' || parent || ' (' || count(*) || "
              "' rows)' FROM pragma_foreign_key_check GROUP BY \"table\", parent"),
          "");
      for (const Rule& rule : kRules) {
        impl_->check_time();
        if (const std::int64_t rows = db.integer(rule.count); rows > 0) {
          problems.push_back(std::to_string(rows) + " " + rule.words);
        }
      }
    } catch (const SqliteError& error) {
      if (error.primary() != SQLITE_CORRUPT) throw;
      problems.emplace_back(error.what());
    }
    return problems;
  });
}

Result<std::int64_t> Reader::copy_to(const std::string& path) {
  return copy_store(impl_->db_, path, [&](std::int64_t, std::int64_t) { return !impl_->out_of_time(); });
}

}  // namespace leakhunt::storage
