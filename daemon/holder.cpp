// Search through the open files of processes in /proc.
#include "daemon/holder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>

namespace leakhunt::daemon {
namespace {

namespace fs = std::filesystem;

bool is_same(const struct stat& a, const struct stat& b) {
  return S_ISCHR(a.st_mode) ? S_ISCHR(b.st_mode) && a.st_rdev == b.st_rdev
                            : a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool has_open(const fs::path& process, const struct stat& wanted) {
  std::error_code error;
  for (fs::directory_iterator fd{process / "fd", error}, end; !error && fd != end; fd.increment(error)) {
    struct stat status {};
    if (::stat(fd->path().c_str(), &status) == 0 && is_same(status, wanted)) return true;
  }
  return false;
}

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

}  // namespace

std::string holder_of(const std::string& path, const fs::path& proc) {
  struct stat wanted {};
  if (::stat(path.c_str(), &wanted) != 0) return "";
  const std::string self = std::to_string(::getpid());
  std::error_code error;
  for (fs::directory_iterator process{proc, error}, end; !error && process != end; process.increment(error)) {
    const std::string pid = process->path().filename();
    if (!is_number(pid) || pid == self || !has_open(process->path(), wanted)) continue;
    std::string name;
    std::getline(std::ifstream{process->path() / "comm"}, name);
    return pid + " (" + name + ")";
  }
  return "";
}

}  // namespace leakhunt::daemon
