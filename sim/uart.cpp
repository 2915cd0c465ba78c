// A serial line of a fixed speed in virtual time. Knows no file descriptors.
#include "sim/uart.h"

#include <algorithm>

namespace leakhunt::sim {
namespace {

constexpr Duration kLookAgain = std::chrono::milliseconds{20};

double nanoseconds(Mono at) {
  return static_cast<double>(at.us) * 1e3;
}

}  // namespace

void Uart::advance(Mono now) {
  // A thousandth of a byte absorbs rounding.
  const double gone = (nanoseconds(now) - head_ns_) / ns_per_byte_ + 1e-3;
  if (waiting_.empty() || gone < 1) return;
  const std::size_t count = std::min(waiting_.size(), static_cast<std::size_t>(gone));
  left_.append(waiting_, 0, count);
  waiting_.erase(0, count);
  head_ns_ += static_cast<double>(count) * ns_per_byte_;
}

void Uart::write(std::string_view bytes, Mono at) {
  advance(at);
  if (waiting_.empty()) head_ns_ = std::max(head_ns_, nanoseconds(at));
  waiting_.append(bytes);
}

std::size_t Uart::left(Mono now) {
  advance(now);
  return left_.size();
}

std::size_t Uart::waiting(Mono now) {
  advance(now);
  return waiting_.size();
}

std::string Uart::leave(Mono now, std::size_t room) {
  advance(now);
  std::string out = std::move(left_);
  left_.clear();
  if (out.size() > room) {
    dropped_bytes_ += out.size() - room;
    out.resize(room);
  }
  return out;
}

std::optional<Mono> Uart::next(Mono now) const {
  if (!left_.empty()) return now;
  if (waiting_.empty()) return std::nullopt;
  const double end_ns = head_ns_ + static_cast<double>(waiting_.size()) * ns_per_byte_;
  return std::min(now + kLookAgain, Mono{static_cast<std::int64_t>(end_ns / 1e3) + 1});
}

}  // namespace leakhunt::sim
