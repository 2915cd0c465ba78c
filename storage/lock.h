// The lock that lets one process alone write a store. Knows nothing of what is in the file.
#pragma once

#include <string>

#include "base/result.h"

namespace leakhunt::storage {

// Held from acquire() to destruction, by flock on FILE.lock beside the database; the kernel frees it when the
// process dies. The file names its holder ("PID NAME") and is never removed.
class FileLock {
 public:
  // Refuses with ErrorCode::unreachable, naming the holder, while another process has it.
  [[nodiscard]] static Result<FileLock> acquire(const std::string& database, const std::string& name);

  // Whether a process holds it now; makes no file. A lock file that cannot be read counts as held.
  [[nodiscard]] static bool held(const std::string& database);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace leakhunt::storage
