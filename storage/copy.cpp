// SQLite's backup, page by page inside one read transaction: held open, it never has to begin again.
#include "storage/copy.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace leakhunt::storage {
namespace {

constexpr int kPagesAtOnce = 64;
// What may gather in the WAL while its reader holds it up, beside the copy itself.
constexpr std::int64_t kWalRoomBytes = std::int64_t{64} << 20U;

Error system_error(const std::string& what, const std::string& where, const std::string& hint) {
  return {ErrorCode::failed, what + ": " + std::strerror(errno), where, hint};
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Error exists_already(const std::string& path) {
  return {ErrorCode::failed, "there is a file of that name", path, "name another; nothing is written over"};
}

// Removes the unfinished copy unless it was kept.
class Part {
 public:
  explicit Part(std::string path) : path_(std::move(path)) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part() {
    if (!kept_) static_cast<void>(std::remove(path_.c_str()));
  }

  [[nodiscard]] Outcome make() const {
    static_cast<void>(std::remove(path_.c_str()));  // of one that was killed
    constexpr mode_t mode = 0640;
    const int fd = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);  // NOLINT: C
    if (fd < 0) return system_error("the copy cannot be made", path_, "the folder must be writable");
    ::close(fd);
    return Done{};
  }

  // Gives the file its name, if nobody else has it.
  [[nodiscard]] Outcome keep_as(const std::string& name) {
    int failed = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE);
    if (failed != 0 && errno == EINVAL && ::access(name.c_str(), F_OK) != 0) {
      failed = std::rename(path_.c_str(), name.c_str());  // a file system that knows no better
    }
    if (failed != 0 && (errno == EEXIST || ::access(name.c_str(), F_OK) == 0)) return exists_already(name);
    if (failed != 0) return system_error("the copy cannot be named", name, "");
    kept_ = true;
    sync_folder(folder_of(name));
    return Done{};
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  static void sync_folder(const std::string& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // NOLINT: a C interface
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
  }

  std::string path_;
  bool kept_ = false;
};

// A read transaction for as long as this lives.
class Snapshot {
 public:
  explicit Snapshot(Connection& db) : db_(db) {
    db_.run("BEGIN");
    static_cast<void>(db_.integer("SELECT count(*) FROM sqlite_schema"));
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() { sqlite3_exec(db_.raw(), "ROLLBACK", nullptr, nullptr, nullptr); }

 private:
  Connection& db_;
};

struct FinishBackup {
  void operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }
};

// False: `on_copied` ended it. Throws SqliteError.
bool copy_pages(Connection& from, Connection& to, std::int64_t page_bytes, const OnCopied& on_copied) {
  const std::unique_ptr<sqlite3_backup, FinishBackup> backup(
      sqlite3_backup_init(to.raw(), "main", from.raw(), "main"));
  if (!backup) throw SqliteError(sqlite3_extended_errcode(to.raw()), sqlite3_errmsg(to.raw()));
  for (int code = SQLITE_OK; code != SQLITE_DONE;) {
    code = sqlite3_backup_step(backup.get(), kPagesAtOnce);
    if (code != SQLITE_OK && code != SQLITE_DONE) throw SqliteError(code, sqlite3_errstr(code));
    const std::int64_t pages = sqlite3_backup_pagecount(backup.get());
    const std::int64_t done = pages - sqlite3_backup_remaining(backup.get());
    if (code != SQLITE_DONE && on_copied && !on_copied(done * page_bytes, pages * page_bytes)) return false;
  }
  return true;
}

}  // namespace

Outcome check_room(const std::string& folder, std::int64_t bytes) {
  struct statvfs room {};
  if (::statvfs(folder.c_str(), &room) != 0) {
    return system_error("the folder cannot be used", folder, "name a folder that is there");
  }
  const auto free = static_cast<std::int64_t>(room.f_bavail * room.f_frsize);
  if (free >= bytes) return Done{};
  return Error{ErrorCode::failed,
               "not enough room: " + std::to_string(bytes) + " bytes are needed, " + std::to_string(free) +
                   " are free",
               folder, "free some space or name another folder"};
}

Result<std::int64_t> copy_store(Connection& from, const std::string& to, const OnCopied& on_copied) {
  if (::access(to.c_str(), F_OK) == 0) return exists_already(to);
  try {
    const Snapshot snapshot(from);
    const std::int64_t page_bytes = from.integer("PRAGMA page_size");
    const std::int64_t bytes = from.integer("PRAGMA page_count") * page_bytes;
    if (auto room = check_room(folder_of(to), bytes + bytes / 64 + kWalRoomBytes); !room) return room.error();
    Part part(to + ".part");
    if (auto made = part.make(); !made) return made.error();
    {
      Connection copy(part.path(), Connection::Mode::read_write);
      copy.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL");
      if (!copy_pages(from, copy, page_bytes, on_copied)) {
        return Error{ErrorCode::failed, "the copy was interrupted", to, "nothing of it was kept; try again"};
      }
    }
    if (auto kept = part.keep_as(to); !kept) return kept.error();
    return bytes;
  } catch (const SqliteError& error) {
    return Error{ErrorCode::failed, std::string{"the copy failed: "} + error.what(), to,
                 "nothing of it was kept; check the disk"};
  }
}

}  // namespace leakhunt::storage
