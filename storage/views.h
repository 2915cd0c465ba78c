// The views of a store: its rows as a person wants to read them.
#pragma once

#include <string>

#include "storage/sqlite.h"

namespace leakhunt::storage {

// What log_view selects, from `log` or from a table with its columns.
[[nodiscard]] std::string lines_for_view(const std::string& table);

// Makes all views anew. A migration that changes a table they read calls this last.
void make_views(Connection& db);

}  // namespace leakhunt::storage
