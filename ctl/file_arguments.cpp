// The commands about the store's file: sql, db.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "ctl/words.h"

namespace leakhunt::ctl {
namespace {

Error wrong(std::string what, std::string hint) {
  return {ErrorCode::usage, std::move(what), "db", std::move(hint)};
}

Result<What> build_sql(const Words& w) {
  v1::Question q = question_for(w);
  auto* ask = q.mutable_sql();
  ask->set_statement(w.label);
  ask->set_max_rows(w.max);
  if (w.label.empty()) return {SqlLines{q}};
  return {q};
}

Result<What> build_database(const Words& w) {
  v1::Question q = question_for(w);
  auto* ask = q.mutable_database();
  if (w.names.size() > 1) return wrong("too many words", "db check, db backup FILE, db vacuum, or db info");
  if (w.action == "backup") {
    if (w.names.empty()) return wrong("which file should be written?", "db backup FILE");
    // The daemon stands in another folder.
    std::error_code ignored;
    ask->set_backup_to(std::filesystem::absolute(w.names.front(), ignored).string());
    return {q};
  }
  if (!w.names.empty()) return wrong("'" + w.names.front() + "' is not expected here", "db " + w.action);
  if (w.action == "check") {
    ask->set_check(true);
  } else if (w.action == "vacuum") {
    ask->set_vacuum(true);
  } else if (w.action == "info") {
    ask->set_info(true);
  } else {
    return wrong("unknown action '" + w.action + "'", "db check, db backup FILE, db vacuum, or db info");
  }
  return {q};
}

}  // namespace

void add_file_commands(CLI::App& app, Words& w, std::vector<Command>& out) {
  auto* sql = app.add_subcommand(
      "sql", "Ask the store one statement that only reads; without QUERY each line of stdin");
  sql->add_option("query", w.label, "such as \"SELECT * FROM boot_view\"; docs/storage.md tells the tables");
  sql->add_option("--max", w.max, "most rows")->check(CLI::Range(1, 1'000'000));
  out.push_back({sql, build_sql});

  auto* db = app.add_subcommand("db", "The store's file: check | backup FILE | vacuum | info");
  db->add_option("action", w.action, "check, backup, vacuum or info")->required();
  db->add_option("file", w.names, "the file a backup is written to; none of that name may be there");
  out.push_back({db, build_database});
}

}  // namespace leakhunt::ctl
