// Whether another program still runs. Knows nothing of why that matters.
#pragma once

#include <sys/types.h>

#include <optional>

namespace leakhunt::daemon {

// A running process, not its number, which another may get later. Movable.
class HolderWatch {
 public:
  // None when there is no such process.
  [[nodiscard]] static std::optional<HolderWatch> on(pid_t pid);
  HolderWatch(HolderWatch&& other) noexcept;
  HolderWatch& operator=(HolderWatch&& other) noexcept;
  HolderWatch(const HolderWatch&) = delete;
  HolderWatch& operator=(const HolderWatch&) = delete;
  ~HolderWatch();

  [[nodiscard]] bool runs() const;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  HolderWatch(int fd, pid_t pid) : fd_(fd), pid_(pid) {}
  int fd_ = -1;
  pid_t pid_ = 0;
};

}  // namespace leakhunt::daemon
