// Opens, creates and replaces the file. What stands in the tables is the business of others.
#include "storage/store.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <utility>

#include "storage/schema.h"

namespace leakhunt::storage {
namespace {

// What is left of a WAL after a checkpoint that a slow reader had held up.
constexpr const char* kLimitWal = "PRAGMA journal_size_limit = 67108864";

Outcome create_if_missing(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);  // NOLINT: a C interface
  if (fd < 0) {
    return Error{ErrorCode::unreachable, std::string{"cannot open the store: "} + std::strerror(errno), path,
                 "the file must be writable by this user"};
  }
  close(fd);
  return Done{};
}

// Whether the file's header carries our application id, told without SQLite: for a file it calls damaged.
bool header_is_ours(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 72> header{};
  if (!file.read(header.data(), header.size()) || std::memcmp(header.data(), "SQLite format 3", 16) != 0) {
    return false;
  }
  std::int64_t id = 0;
  for (std::size_t i = 68; i < 72; ++i) {
    id = id * 256 + static_cast<unsigned char>(header.at(i));
  }
  return id == kApplicationId;
}

std::string date_suffix() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t n = std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return {text.data(), n};
}

// Which file stands at the path; zeros when none does.
std::pair<dev_t, ino_t> file_at(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? std::pair{status.st_dev, status.st_ino}
                                          : std::pair<dev_t, ino_t>{};
}

// Removes the -wal and -shm of a file that is no more.
void remove_companions(const std::string& path) {
  static_cast<void>(std::remove((path + "-wal").c_str()));
  static_cast<void>(std::remove((path + "-shm").c_str()));
}

// Renames the file with its -wal, which belongs to it; returns the new name, or an empty one.
std::string put_aside(const std::string& path, const std::string& why) {
  const std::string stem = path + "." + why + "-" + date_suffix();
  std::string target = stem;
  for (int n = 2; access(target.c_str(), F_OK) == 0; ++n) {
    target = stem + "-" + std::to_string(n);
  }
  if (std::rename(path.c_str(), target.c_str()) != 0) {
    return {};
  }
  static_cast<void>(std::rename((path + "-wal").c_str(), (target + "-wal").c_str()));
  static_cast<void>(std::remove((path + "-shm").c_str()));
  return target;
}

bool is_damage(const SqliteError& error) {
  return error.primary() == SQLITE_CORRUPT || error.primary() == SQLITE_NOTADB;
}

Error open_error(const SqliteError& error, const std::string& path) {
  switch (error.primary()) {
    case SQLITE_NOTADB:
      return {ErrorCode::unreachable, "this file is not a database", path,
              "name another file; this one is left as it is"};
    case SQLITE_CORRUPT:
      return {ErrorCode::unreachable, std::string{"the database is damaged: "} + error.what(), path,
              "move it away, or restore a backup"};
    case SQLITE_BUSY:
      return {ErrorCode::unreachable, "another program holds the database", path, "close it and try again"};
    default:
      return {ErrorCode::unreachable, std::string{"cannot open the store: "} + error.what(), path,
              "check the permissions and the free space of its folder"};
  }
}

}  // namespace

Store::Store(std::string path, OpenOptions options, FileLock lock)
    : path_(std::move(path)), options_(std::move(options)), lock_(std::move(lock)) {}

void Store::connect() {
  db_ = Connection(path_, Connection::Mode::read_write);
  file_ = file_at(path_);
  sqlite3_busy_timeout(db_.raw(), static_cast<int>(options_.busy_timeout.count()));
  // Pages that rows leave are not written once more only to be empty.
  db_.run(
      "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA "
      "secure_delete = "
      "FAST");
}

bool Store::in_place() const {
  return file_ == file_at(path_);
}

void Store::let_go() {
  if (!db_) {
    return;
  }
  const bool elsewhere = !in_place();
  if (elsewhere) {
    try {
      // The file may have been moved: what its -wal holds goes into it, for the -wal stays behind.
      db_.run("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (const SqliteError&) {
      // It may be gone for good as well; nothing is left to be saved then.
    }
  }
  db_ = Connection();
  if (elsewhere) {
    remove_companions(path_);
  }
}

Outcome Store::begin_anew() {
  const std::string why = in_place() ? "corrupt" : "replaced";
  let_go();
  if (half_made_) {
    static_cast<void>(std::remove(path_.c_str()));
    remove_companions(path_);
  } else if (access(path_.c_str(), F_OK) == 0) {
    set_aside_ = put_aside(path_, why);
    if (set_aside_.empty()) {
      return Error{ErrorCode::unreachable, std::string{"cannot put the store aside: "} + std::strerror(errno),
                   path_, "move it away by hand"};
    }
  }
  if (Outcome created = create_if_missing(path_); !created) {
    return created;
  }
  half_made_ = true;
  try {
    connect();
    migrate(db_);
    db_.run(kLimitWal);
  } catch (const SqliteError& error) {
    db_ = Connection();
    return open_error(error, path_);
  }
  half_made_ = false;
  return Done{};
}

Result<Store> open_for_writing(const std::string& path, const OpenOptions& options) {
  Result<FileLock> lock = FileLock::acquire(path, options.holder);
  if (!lock) {
    return lock.error();
  }
  if (Outcome created = create_if_missing(path); !created) {
    return created.error();
  }
  Store store(path, options, *std::move(lock));
  try {
    store.connect();
    if (Outcome ours = check_ours(store.db_, path, true); !ours) {
      return ours.error();
    }
    if (Outcome current = bring_up_to_date(store.db_, path, options.on_progress); !current) {
      return current.error();
    }
    store.db_.run(kLimitWal);
  } catch (const SqliteError& error) {
    if (!is_damage(error) || !options.set_aside_corrupt || !header_is_ours(path)) {
      return open_error(error, path);
    }
    if (Outcome anew = store.begin_anew(); !anew) {
      return anew.error();
    }
  }
  return store;
}

}  // namespace leakhunt::storage
