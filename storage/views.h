// The views of a store: its rows as a person wants to read them.
#pragma once

#include "storage/sqlite.h"

namespace leakhunt::storage {

// Makes all views anew. A migration that changes a table they read calls this last.
void make_views(Connection& db);

}  // namespace leakhunt::storage
