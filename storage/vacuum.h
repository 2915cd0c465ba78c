// Writes a store's file anew without what is free in it. For when no recorder runs.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace leakhunt::storage {

struct Vacuumed {
  std::int64_t bytes_before = 0;
  std::int64_t bytes_after = 0;
};

// Under the lock of the recorder, for its time. Refuses (ErrorCode::unreachable) a file in use, naming the
// holder, and one that is not ours or of another schema; ErrorCode::failed: no room for two copies beside it.
[[nodiscard]] Result<Vacuumed> vacuum(const std::string& path);

}  // namespace leakhunt::storage
