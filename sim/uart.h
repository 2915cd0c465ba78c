// A serial line of a fixed speed in virtual time: bytes leave one after another, and what the reader's buffer
// has no room for is lost. Knows no file descriptors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace leakhunt::sim {

class Uart {
 public:
  // 115200 baud, 8N1: 11 520 bytes a second.
  explicit Uart(double bytes_per_s = 11'520) : ns_per_byte_(1e9 / bytes_per_s) {}

  // Queues bytes at `at`; times never go back.
  void write(std::string_view bytes, Mono at);
  // Forgets what has not left yet.
  void drop_unsent() { waiting_.clear(); }
  // What has left by `now`, at most `room` bytes; the rest of it had no place to go and is counted.
  [[nodiscard]] std::string leave(Mono now, std::size_t room);
  // When to look again: the last waiting byte has left, or 20 ms have passed.
  [[nodiscard]] std::optional<Mono> next(Mono now) const;
  // Bytes that have left by `now` and were not fetched yet.
  [[nodiscard]] std::size_t left(Mono now);
  // Bytes that have not left by `now`.
  [[nodiscard]] std::size_t waiting(Mono now);
  // Both together, whatever time it is.
  [[nodiscard]] std::size_t unfetched_bytes() const { return waiting_.size() + left_.size(); }
  [[nodiscard]] std::uint64_t dropped_bytes() const { return dropped_bytes_; }

 private:
  void advance(Mono now);

  double ns_per_byte_;
  std::string waiting_;
  std::string left_;
  double head_ns_ = 0;  // when the first waiting byte begins to leave
  std::uint64_t dropped_bytes_ = 0;
};

}  // namespace leakhunt::sim
