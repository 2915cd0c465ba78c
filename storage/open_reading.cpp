// How a store is opened by those who must not write it.
#include <sqlite3.h>
#include <stdlib.h>

#include <filesystem>
#include <utility>

#include "storage/copy.h"
#include "storage/lock.h"
#include "storage/migrate.h"
#include "storage/reader_impl.h"
#include "storage/schema.h"

namespace leakhunt::storage {
namespace {

namespace fs = std::filesystem;

struct Opened {
  Connection db;
  std::unique_ptr<PrivateFolder> copy;
};

bool there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void prepare(Connection& db) {
  constexpr int wait_ms = 2000;
  sqlite3_busy_timeout(db.raw(), wait_ms);
  db.run("PRAGMA trusted_schema = OFF");
  static_cast<void>(db.integer("SELECT count(*) FROM sqlite_schema"));
}

Opened open_as(const std::string& path, Connection::Mode mode) {
  Opened opened{Connection(path, mode), nullptr};
  prepare(opened.db);
  return opened;
}

std::unique_ptr<PrivateFolder> private_folder() {
  std::string name = (fs::temp_directory_path() / "leakhunt-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw fs::filesystem_error("cannot make a private folder", name,
                               std::error_code(errno, std::generic_category()));
  }
  return std::make_unique<PrivateFolder>(name);
}

// The WAL holds what the file lacks; without its -shm it cannot be read in place by one who may not write.
Opened open_copy(const std::string& path) {
  auto folder = private_folder();
  const fs::path copy = folder->path() / "store.db";
  fs::copy_file(path, copy);
  fs::copy_file(path + "-wal", copy.string() + "-wal");
  fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write);
  fs::permissions(copy.string() + "-wal", fs::perms::owner_read | fs::perms::owner_write);
  Opened opened = open_as(copy.string(), Connection::Mode::read_write);
  opened.db.run("PRAGMA query_only = ON");
  opened.copy = std::move(folder);
  return opened;
}

// A -wal with something in it. A recorder that was asked to end leaves none, or an empty one.
bool has_wal(const std::string& path) {
  std::error_code failed;
  const auto size = fs::file_size(path + "-wal", failed);
  return !failed && size > 0;
}

// Nothing is left beside a file that no recorder holds: read so, it needs neither -wal nor -shm.
bool at_rest(const std::string& path) {
  return !has_wal(path) && !FileLock::held(path);
}

Opened open_somehow(const std::string& path, Reading reading) {
  const bool wal = has_wal(path);
  if (wal && !there(path + "-shm")) {
    return open_copy(path);
  }
  if (reading != Reading::lasting && at_rest(path)) {
    return open_as(path, Connection::Mode::immutable);
  }
  try {
    return open_as(path, Connection::Mode::read_only);
  } catch (const SqliteError& error) {
    const int code = error.primary();
    if (wal || (code != SQLITE_CANTOPEN && code != SQLITE_READONLY && code != SQLITE_IOERR)) {
      throw;
    }
    return open_as(path, Connection::Mode::immutable);
  }
}

// An older file is read as what it would become: brought up to date in a private copy.
Result<Opened> current(Opened opened, Reading reading) {
  if (reading == Reading::as_it_is || opened.db.integer("PRAGMA user_version") >= schema_version()) {
    return opened;
  }
  auto folder = private_folder();
  const std::string copy = (folder->path() / "current.db").string();
  if (const auto copied = copy_store(opened.db, copy); !copied) {
    Error error = copied.error();
    error.code = ErrorCode::unreachable;
    error.hint = "its schema is older, so it is read from a copy: set TMPDIR to a folder that can hold it";
    return error;
  }
  opened = Opened{Connection(copy, Connection::Mode::read_write), std::move(folder)};
  migrate(opened.db);
  prepare(opened.db);
  opened.db.run("PRAGMA query_only = ON");
  return opened;
}

Error open_error(const SqliteError& error, const std::string& path) {
  switch (error.primary()) {
    case SQLITE_NOTADB:
      return {ErrorCode::unreachable, "this file is not a database", path,
              "name the leakhunt.db of a recorder"};
    case SQLITE_CORRUPT:
      return {ErrorCode::unreachable, std::string{"the store is damaged: "} + error.what(), path,
              "`sqlite3 FILE 'PRAGMA integrity_check'` tells more"};
    default:
      return {ErrorCode::unreachable, std::string{"cannot open the store: "} + error.what(), path,
              "check that this user may read the file, its folder, and -wal and -shm beside it"};
  }
}

}  // namespace

Result<Reader> open_for_reading(const std::string& path, Reading reading) {
  std::error_code ignored;
  if (!there(path) || fs::is_directory(path, ignored)) {
    return Error{ErrorCode::unreachable, there(path) ? "this is a folder, not a store" : "no store there",
                 path, "name the leakhunt.db of a recorder's state folder"};
  }
  try {
    Opened opened = open_somehow(path, reading);
    if (Outcome ours = check_ours(opened.db, path, false); !ours) {
      return ours.error();
    }
    const std::int64_t schema = opened.db.integer("PRAGMA user_version");
    Result<Opened> readable = current(std::move(opened), reading);
    if (!readable) {
      return readable.error();
    }
    return Reader(
        std::make_unique<Reader::Impl>(path, schema, std::move(readable->db), std::move(readable->copy)));
  } catch (const SqliteError& error) {
    return open_error(error, path);
  } catch (const fs::filesystem_error& error) {
    return Error{ErrorCode::unreachable, std::string{"cannot copy the store: "} + error.code().message(),
                 path, "it has a -wal file but no -shm; the temporary folder must hold a copy of both"};
  }
}

}  // namespace leakhunt::storage
