// An open file descriptor, closed with its owner.
#include "sim/descriptor.h"

#include <unistd.h>

#include <utility>

namespace leakhunt::sim {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    std::swap(fd_, other.fd_);
  }
  return *this;
}

void Descriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace leakhunt::sim
