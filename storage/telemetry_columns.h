// Which table and columns hold which telemetry variant. Knows the names of the wire, not its encoding.
#pragma once

#include <span>
#include <string_view>

#include "recorder/rows.h"

namespace leakhunt::storage {

struct TelemetryColumn {
  std::string_view name;  // snake_case wire name
  bool real = false;      // else an integer
};

// One table per variant, its columns in the order of the wire.
struct TelemetryTable {
  recorder::Variant variant;
  std::string_view name;  // the variant's word in the schema: "local", "device", ...
  const char* table;      // of the database, and the kind of its stream
  std::span<const TelemetryColumn> columns;
};

// All variants, by their number on the wire.
[[nodiscard]] std::span<const TelemetryTable> telemetry_tables();
// Null for a number the schema does not know.
[[nodiscard]] const TelemetryTable* telemetry_table(recorder::Variant variant);

}  // namespace leakhunt::storage
