// Copies a store, while it is being written, as it stands at one moment. Knows nothing of what is in it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

// Called now and then with the bytes copied and those there are; false ends the copying.
using OnCopied = std::function<bool(std::int64_t done_bytes, std::int64_t total_bytes)>;

// Writes what `from` shows into a new file at `to` (mode 0640) and returns its size. The file has that name
// only once it is whole and synced. One read transaction for the whole time: what others commit meanwhile
// stays in the WAL, so the free space must hold the copy and some more. Errors (ErrorCode::failed): there is
// a file already, no room, ended by `on_copied`, or what the system or SQLite says.
[[nodiscard]] Result<std::int64_t> copy_store(Connection& from, const std::string& to,
                                              const OnCopied& on_copied = {});

// An error unless the file system of `folder` has so many bytes to spare.
[[nodiscard]] Outcome check_room(const std::string& folder, std::int64_t bytes);

}  // namespace leakhunt::storage
