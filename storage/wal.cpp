// SQLite's hook on commits, and its own file of the log.
#include "storage/wal.h"

#include <sqlite3.h>

#include <algorithm>
#include <vector>

namespace leakhunt::storage {
namespace {

constexpr sqlite3_int64 kChunkBytes = sqlite3_int64{1} << 16U;

void check(int code) {
  if (code != SQLITE_OK) {
    throw SqliteError(code, sqlite3_errstr(code));
  }
}

}  // namespace

Wal::Wal(Connection& db, int long_pages) : db_(db), long_pages_(long_pages) {
  sqlite3_wal_hook(
      db_.raw(),
      [](void* self, sqlite3*, const char*, int frames) {
        static_cast<Wal*>(self)->frames_ = frames;
        return SQLITE_OK;
      },
      this);
}

Wal::~Wal() {
  sqlite3_wal_hook(db_.raw(), nullptr, nullptr);
}

void Wal::after_commit() {
  if (frames_ < long_pages_ || doubtful_) {
    return;
  }
  const int code = sqlite3_wal_checkpoint_v2(db_.raw(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  if ((code & 0xff) == SQLITE_IOERR) {
    doubtful_ = true;
  }
}

void Wal::note(const SqliteError& error) {
  doubtful_ = doubtful_ || error.primary() == SQLITE_IOERR;
}

void Wal::mend() {
  if (!doubtful_) {
    return;
  }
  // Nobody else writes it meanwhile.
  db_.run("BEGIN IMMEDIATE");
  try {
    rewrite();
  } catch (const SqliteError&) {
    db_.run("ROLLBACK");
    throw;
  }
  db_.run("ROLLBACK");
  doubtful_ = false;
}

void Wal::rewrite() {
  sqlite3_file* log = nullptr;
  check(sqlite3_file_control(db_.raw(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log));
  if (log == nullptr || log->pMethods == nullptr) {
    return;
  }
  sqlite3_int64 size = 0;
  check(log->pMethods->xFileSize(log, &size));
  std::vector<char> chunk(static_cast<std::size_t>(kChunkBytes));
  for (sqlite3_int64 at = 0; at < size; at += kChunkBytes) {
    const int bytes = static_cast<int>(std::min(kChunkBytes, size - at));
    check(log->pMethods->xRead(log, chunk.data(), bytes, at));
    check(log->pMethods->xWrite(log, chunk.data(), bytes, at));
  }
  check(log->pMethods->xSync(log, SQLITE_SYNC_NORMAL));
}

}  // namespace leakhunt::storage
