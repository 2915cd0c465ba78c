// Bytes that may hold keys: overwritten before their memory is given back, and never copied by accident.
// Knows nothing of what they mean.
#pragma once

#include <string.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace leakhunt::proto {

// The standard allocator, but memory is overwritten before it is given back, also when a vector grows.
template <class T>
struct WipingAllocator {
  using value_type = T;

  WipingAllocator() = default;
  template <class U>
  WipingAllocator(const WipingAllocator<U>&) {}  // NOLINT: implicit, as allocators are

  [[nodiscard]] T* allocate(std::size_t count) { return std::allocator<T>{}.allocate(count); }
  void deallocate(T* memory, std::size_t count) {
    explicit_bzero(memory, count * sizeof(T));
    std::allocator<T>{}.deallocate(memory, count);
  }
  bool operator==(const WipingAllocator&) const = default;
};

class SecretBytes {
 public:
  SecretBytes() = default;
  SecretBytes(std::initializer_list<std::uint8_t> bytes) : bytes_(bytes) {}
  explicit SecretBytes(std::span<const std::uint8_t> bytes) : bytes_(bytes.begin(), bytes.end()) {}
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;
  SecretBytes(SecretBytes&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  SecretBytes& operator=(SecretBytes&& other) noexcept {
    bytes_ = std::exchange(other.bytes_, {});
    return *this;
  }
  ~SecretBytes() = default;

  void append(std::span<const std::uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void append(std::uint8_t byte) { bytes_.push_back(byte); }

  // Valid until the next change.
  [[nodiscard]] std::span<const std::uint8_t> view() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  bool operator==(const SecretBytes&) const = default;

 private:
  std::vector<std::uint8_t, WipingAllocator<std::uint8_t>> bytes_;
};

}  // namespace leakhunt::proto
