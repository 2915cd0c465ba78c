// The write-ahead log of the connection that writes: emptied in time, and written again after a sync that
// failed.
#pragma once

#include "storage/sqlite.h"

namespace leakhunt::storage {

// After a failed sync the system may call pages clean that never reached the disk: later syncs succeed, and a
// power cut leaves a log with a hole in it. Then nothing may be called durable, nor go on into the file,
// until the log was written once more. SQLite's own checkpoints after a commit hide such a failure, so they
// are made here.
class Wal {
 public:
  // Of a connection that outlives it; long is a log of so many pages.
  Wal(Connection& db, int long_pages);
  Wal(const Wal&) = delete;
  Wal& operator=(const Wal&) = delete;
  ~Wal();

  // After each commit: moves the log into the file when it is long. A failure is no failure of the commit.
  void after_commit();
  // Notes what the error says of the log.
  void note(const SqliteError& error);
  // Writes the log anew if it may have a hole. Before anything else is written. Throws SqliteError.
  void mend();

 private:
  void rewrite();

  Connection& db_;
  int long_pages_;
  int frames_ = 0;  // in the log, as of the last commit
  bool doubtful_ = false;
};

}  // namespace leakhunt::storage
