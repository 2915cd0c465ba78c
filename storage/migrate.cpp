// The copy first, then every step in one transaction.
#include "storage/migrate.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "storage/copy.h"
#include "storage/schema.h"

namespace leakhunt::storage {
namespace {

std::int64_t version_of(const Connection& db) {
  return db.integer("PRAGMA user_version");
}

std::string step_words(std::int64_t version) {
  return "the store is brought from schema " + std::to_string(version) + " to " + std::to_string(version + 1);
}

// Tells that a step is still under way while SQLite works.
class Ticker {
 public:
  Ticker(Connection& db, const OnProgress& on_progress, std::string what)
      : db_(db), on_progress_(on_progress), what_(std::move(what)) {
    constexpr int steps_between_looks = 100'000;
    if (!on_progress_) return;
    on_progress_(what_);
    sqlite3_progress_handler(
        db_.raw(), steps_between_looks,
        [](void* self) {
          static_cast<Ticker*>(self)->look();
          return 0;
        },
        this);
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  ~Ticker() { sqlite3_progress_handler(db_.raw(), 0, nullptr, nullptr); }

 private:
  void look() {
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::seconds{1}) return;
    told_ = now;
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(now - began_);
    on_progress_(what_ + ": " + std::to_string(passed.count()) + " s");
  }

  Connection& db_;
  const OnProgress& on_progress_;
  std::string what_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point told_ = began_;
};

// What tells one state of a store from another: each row moves one of the two.
std::pair<std::int64_t, std::int64_t> state_of(const Connection& db) {
  return {db.integer("SELECT utc_us FROM heartbeat"), db.integer("SELECT total(rows) FROM stream")};
}

// Whether a file holds what `db` does: a start that was ended in its migration has left its copy.
bool is_copy(const std::string& path, const Connection& db) {
  try {
    const Connection copy(path, Connection::Mode::immutable);
    return version_of(copy) == version_of(db) && state_of(copy) == state_of(db);
  } catch (const SqliteError&) {
    return false;
  }
}

OnCopied as_copied(const OnProgress& on_progress) {
  return
      [on_progress, told = std::chrono::steady_clock::now()](std::int64_t done, std::int64_t total) mutable {
        const auto now = std::chrono::steady_clock::now();
        if (on_progress && now - told >= std::chrono::seconds{1}) {
          told = now;
          on_progress("the store is copied before its schema changes: " +
                      std::to_string(100 * done / std::max<std::int64_t>(total, 1)) + " %");
        }
        return true;
      };
}

Outcome keep_copy(Connection& db, const std::string& path, const OnProgress& on_progress) {
  const std::string stem = path + ".schema-" + std::to_string(version_of(db));
  std::string target = stem + ".bak";
  for (int n = 2; ::access(target.c_str(), F_OK) == 0; ++n) {
    if (is_copy(target, db)) return Done{};
    target = stem + "." + std::to_string(n) + ".bak";
  }
  const auto copied = copy_store(db, target, as_copied(on_progress));
  if (!copied) {
    Error error = copied.error();
    error.code = ErrorCode::unreachable;
    error.what = "the store has an older schema and must be copied before it changes: " + error.what;
    return error;
  }
  if (on_progress) on_progress("the store as it was is kept as " + target);
  return Done{};
}

}  // namespace

void migrate(Connection& db, const OnProgress& on_progress) {
  if (db.integer("SELECT count(*) FROM sqlite_schema") == 0) {
    // A commit writes each page it touches, and those of a quiet device touch a few bytes on each: half a
    // page is half of what a day writes (docs/benchmarks.md). Smaller ones would not hold a line of a log.
    db.run("PRAGMA page_size = 2048; PRAGMA auto_vacuum = INCREMENTAL");
  }
  db.run("PRAGMA journal_mode = WAL");
  if (version_of(db) >= schema_version()) {
    return;
  }
  db.run("BEGIN IMMEDIATE");
  try {
    const OnProgress tell = version_of(db) > 0 ? on_progress : OnProgress{};  // nobody waits for a new file
    for (std::int64_t version = version_of(db); version < schema_version(); ++version) {
      const Ticker ticker(db, tell, step_words(version));
      migrate_from(version, db);
    }
    db.run("PRAGMA application_id = " + std::to_string(kApplicationId));
    db.run("PRAGMA user_version = " + std::to_string(schema_version()));
    db.run("COMMIT");
  } catch (const SqliteError&) {
    if (sqlite3_get_autocommit(db.raw()) == 0) {
      sqlite3_exec(db.raw(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    throw;
  }
}

Outcome bring_up_to_date(Connection& db, const std::string& path, const OnProgress& on_progress) {
  const std::int64_t version = version_of(db);
  if (version > 0 && version < schema_version()) {
    if (Outcome copied = keep_copy(db, path, on_progress); !copied) {
      return copied;
    }
  }
  migrate(db, on_progress);
  return Done{};
}

}  // namespace leakhunt::storage
