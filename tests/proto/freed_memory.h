// Looks at each block of memory at the moment it is given back: what still stands there would be left behind.
#pragma once

#include <cstddef>
#include <string_view>

namespace leakhunt::proto::testing {

// While it lives, counts the freed blocks of this program that hold `pattern` (valid as long as the watch).
// One at a time, on one thread.
class FreedMemoryWatch {
 public:
  explicit FreedMemoryWatch(std::string_view pattern);
  FreedMemoryWatch(const FreedMemoryWatch&) = delete;
  FreedMemoryWatch& operator=(const FreedMemoryWatch&) = delete;
  ~FreedMemoryWatch();

  [[nodiscard]] std::size_t blocks() const;
};

}  // namespace leakhunt::proto::testing
