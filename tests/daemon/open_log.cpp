// Preloaded into a program under test: appends every path it opens to the file named by OPEN_LOG, then opens
// it.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace {

void note(const char* path) {
  const char* log = ::getenv("OPEN_LOG");
  if (log == nullptr || path == nullptr) return;
  const std::string line = std::string{path} + "\n";
  // Not by the functions below.
  const long fd = ::syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) ::abort();
  static_cast<void>(!::write(static_cast<int>(fd), line.data(), line.size()));
  ::close(static_cast<int>(fd));
}

template <class Function>
Function* next(const char* name) {
  Function* function = nullptr;
  void* found = ::dlsym(RTLD_NEXT, name);
  if (found == nullptr) ::abort();
  std::memcpy(&function, &found, sizeof function);
  return function;
}

mode_t mode_of(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

}  // namespace

#define OPEN(name)                                                     \
  int name(const char* path, int flags, ...) {                         \
    va_list rest;                                                      \
    va_start(rest, flags);                                             \
    const mode_t mode = mode_of(flags, rest);                          \
    va_end(rest);                                                      \
    note(path);                                                        \
    return next<int(const char*, int, ...)>(#name)(path, flags, mode); \
  }
#define OPENAT(name)                                                                \
  int name(int folder, const char* path, int flags, ...) {                          \
    va_list rest;                                                                   \
    va_start(rest, flags);                                                          \
    const mode_t mode = mode_of(flags, rest);                                       \
    va_end(rest);                                                                   \
    note(path);                                                                     \
    return next<int(int, const char*, int, ...)>(#name)(folder, path, flags, mode); \
  }
#define FOPEN(name)                                                  \
  FILE* name(const char* path, const char* mode) {                   \
    note(path);                                                      \
    return next<FILE*(const char*, const char*)>(#name)(path, mode); \
  }

extern "C" {
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
FOPEN(fopen)
FOPEN(fopen64)
int __open_2(const char* path, int flags) {
  note(path);
  return next<int(const char*, int)>("__open_2")(path, flags);
}
int __open64_2(const char* path, int flags) {
  note(path);
  return next<int(const char*, int)>("__open64_2")(path, flags);
}
}
