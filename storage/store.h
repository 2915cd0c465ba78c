// Opening a store for writing, and what the recorder must know of it to go on. Knows neither devices nor
// questions.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>

#include "base/result.h"
#include "recorder/rows.h"
#include "storage/lock.h"
#include "storage/migrate.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

struct OpenOptions {
  // How long a statement waits for another process that holds the file.
  std::chrono::milliseconds busy_timeout{500};
  // Who holds the lock, for the one who is refused; the pid is added.
  std::string holder = "leakhuntd";
  // A damaged file of ours is renamed to PATH.corrupt-YYYYMMDDTHHMMSSZ, a new one begun in its place.
  bool set_aside_corrupt = true;
  // Told how far it is while an older file is brought up to date, which may take minutes.
  OnProgress on_progress{};
};

// An open store: the only one that may write the file.
class Store {
 public:
  // What stands in the store about each device; read once when the daemon starts.
  [[nodiscard]] Result<recorder::RecordState> load_state() const;

  [[nodiscard]] const std::string& path() const { return path_; }
  // Where the damaged file went that this store takes the place of; empty when there was none.
  [[nodiscard]] const std::string& set_aside() const { return set_aside_; }
  [[nodiscard]] Connection& connection() { return db_; }

  // False: the path leads to no file or to another one; what is written now is lost with the last descriptor.
  [[nodiscard]] bool in_place() const;

  // Closes, puts the file that stands at the path aside (damaged, or not ours to write) and begins a new one
  // under the same lock. May be tried again when it failed.
  [[nodiscard]] Outcome begin_anew();

 private:
  friend Result<Store> open_for_writing(const std::string& path, const OpenOptions& options);
  Store(std::string path, OpenOptions options, FileLock lock);
  void connect();
  void let_go();

  std::string path_;
  OpenOptions options_;
  FileLock lock_;
  Connection db_;
  std::string set_aside_;
  std::pair<dev_t, ino_t> file_{};  // of the open connection
  bool half_made_ = false;          // begin_anew failed after it had made a file
};

// Opens or creates (mode 0640) the store, and brings an older one up to date (bring_up_to_date). Refuses,
// with ErrorCode::unreachable and one line that says what to do: a file that is not a database or not ours, a
// newer schema, a folder that is not there, a second writer.
[[nodiscard]] Result<Store> open_for_writing(const std::string& path, const OpenOptions& options = {});

}  // namespace leakhunt::storage
