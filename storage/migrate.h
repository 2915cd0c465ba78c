// Brings the file of an older schema up to date. Knows no table but those that tell whether
// a copy is one.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

// One line for a person who waits; called at each step, and about once a second within one.
using OnProgress = std::function<void(const std::string& line)>;

// Brings a new or older file to schema_version() in one transaction: all of it or nothing. Throws
// SqliteError.
void migrate(Connection& db, const OnProgress& on_progress = {});

// The same for the file at `path`, after a copy of what an older one holds to PATH.schema-N.bak
// (PATH.schema-N.2.bak where another stands there). Throws SqliteError; an error when the copy cannot be
// made: the file is then as it was.
[[nodiscard]] Outcome bring_up_to_date(Connection& db, const std::string& path,
                                       const OnProgress& on_progress = {});

}  // namespace leakhunt::storage
