// Replaces the program's operators new and delete, so that each freed block can be looked at.
#include "tests/proto/freed_memory.h"

#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace leakhunt::proto::testing {
namespace {

thread_local std::string_view watched;
thread_local std::size_t found = 0;

void look_at(void* block) {
  if (block == nullptr || watched.empty()) return;
  if (memmem(block, malloc_usable_size(block), watched.data(), watched.size()) != nullptr) ++found;
}

}  // namespace

FreedMemoryWatch::FreedMemoryWatch(std::string_view pattern) {
  watched = pattern;
  found = 0;
}

FreedMemoryWatch::~FreedMemoryWatch() {
  watched = {};
}

std::size_t FreedMemoryWatch::blocks() const {
  return found;
}

}  // namespace leakhunt::proto::testing

// Zeroed, or a block would be blamed for what stood there before it was given out.
void* operator new(std::size_t size) {
  void* block = std::calloc(1, size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc{};
  return block;
}

void operator delete(void* block) noexcept {
  leakhunt::proto::testing::look_at(block);
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}
