// SQLite's VACUUM between a lock and a checkpoint.
#include "storage/vacuum.h"

#include <sqlite3.h>

#include <filesystem>

#include "storage/copy.h"
#include "storage/lock.h"
#include "storage/schema.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {
namespace {

namespace fs = std::filesystem;

std::int64_t size_of(const std::string& path) {
  std::error_code ignored;
  const auto size = fs::file_size(path, ignored);
  return ignored ? 0 : static_cast<std::int64_t>(size);
}

Outcome check_file(const std::string& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) {
    return Done{};
  }
  return Error{ErrorCode::unreachable, "no store there", path,
               "name the leakhunt.db of a recorder's state folder"};
}

Result<Vacuumed> vacuum_locked(const std::string& path) {
  Connection db(path, Connection::Mode::read_write);
  constexpr int wait_ms = 2000;
  sqlite3_busy_timeout(db.raw(), wait_ms);
  db.run("PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL");
  if (Outcome ours = check_ours(db, path, false); !ours) {
    return ours.error();
  }
  if (db.integer("PRAGMA user_version") < schema_version()) {
    return Error{ErrorCode::unreachable, "the store has an older schema", path,
                 "start leakhuntd on it once, which brings it up to date"};
  }
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  Vacuumed done{size_of(path), 0};
  // It is built in the temporary folder, passes through the WAL, and lands in the file.
  const std::string folder = fs::absolute(path).parent_path().string();
  if (Outcome room = check_room(folder, 2 * done.bytes_before); !room) {
    return room.error();
  }
  db.run("VACUUM");
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  done.bytes_after = size_of(path);
  return done;
}

}  // namespace

Result<Vacuumed> vacuum(const std::string& path) {
  if (Outcome there = check_file(path); !there) {
    return there.error();
  }
  const auto lock = FileLock::acquire(path, "leakhuntctl db vacuum");
  if (!lock) {
    return lock.error();
  }
  try {
    return vacuum_locked(path);
  } catch (const SqliteError& error) {
    return Error{ErrorCode::failed, std::string{"the vacuum failed: "} + error.what(), path,
                 "the store is as it was; check the disk"};
  }
}

}  // namespace leakhunt::storage
