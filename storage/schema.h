// The tables of a store and how an older file becomes a newer one. docs/storage.md explains each table.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

// "LkHt": what `PRAGMA application_id` says of a file of ours.
inline constexpr std::int64_t kApplicationId = 0x4C6B4874;
// What `PRAGMA user_version` says of a file this program writes.
[[nodiscard]] std::int64_t schema_version();

// Refuses a file that is not ours or of a newer schema. An empty file is ours when `may_be_new`.
[[nodiscard]] Outcome check_ours(const Connection& db, const std::string& path, bool may_be_new);
// The step from a version below schema_version() to the next, within the transaction of the caller.
void migrate_from(std::int64_t version, Connection& db);

}  // namespace leakhunt::storage
