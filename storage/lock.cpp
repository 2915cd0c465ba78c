// flock on a file beside the database. The database itself is not locked so: closing any descriptor of it
// would drop the locks SQLite holds in this process.
#include "storage/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace leakhunt::storage {
namespace {

std::string holder_of(int fd) {
  std::array<char, 128> text{};
  const ssize_t n = pread(fd, text.data(), text.size() - 1, 0);
  std::string holder(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  holder = holder.substr(0, holder.find('\n'));
  return holder.empty() ? "an unknown process" : "pid " + holder;
}

bool write_holder(int fd, const std::string& name) {
  const std::string text = std::to_string(getpid()) + " (" + name + ")\n";
  return ftruncate(fd, 0) == 0 &&
         pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

}  // namespace

Result<FileLock> FileLock::acquire(const std::string& database, const std::string& name) {
  const std::string path = database + ".lock";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);  // NOLINT: a C interface
  if (fd < 0) {
    return Error{ErrorCode::unreachable, std::string{"cannot open the lock file: "} + std::strerror(errno),
                 path, "the folder must exist and be writable by this user"};
  }
  FileLock lock(fd);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return Error{ErrorCode::unreachable, "the store is in use by " + holder_of(fd), database,
                 "stop that process first, or use another state folder"};
  }
  // A full disk must not keep the daemon from starting: the lock holds without the name.
  static_cast<void>(write_holder(fd, name));
  return lock;
}

bool FileLock::held(const std::string& database) {
  const int fd = open((database + ".lock").c_str(), O_RDONLY | O_CLOEXEC);  // NOLINT: a C interface
  if (fd < 0) {
    return errno != ENOENT;
  }
  const FileLock looked(fd);
  return flock(fd, LOCK_SH | LOCK_NB) != 0;
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileLock::~FileLock() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

}  // namespace leakhunt::storage
