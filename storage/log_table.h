// Packed and plain lines as one table for those who ask in SQL: `log_line`, with the columns of `log`, and a
// `log_view` that shows both.
#pragma once

#include "storage/sqlite.h"

namespace leakhunt::storage {

// For this connection only; nothing is written to the file. The connection must stay where it is while it is
// open. Throws SqliteError.
void add_log_lines(Connection& db);

}  // namespace leakhunt::storage
