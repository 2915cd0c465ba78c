// The telemetry variants and their fields, by every name a user may give them. Read from the schema; holds no
// values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace leakhunt::proto {

// The numbers are the fields of Telemetry on the wire.
enum class Variant : std::uint8_t {
  device = 2,
  environment = 3,
  air_quality = 4,
  power = 5,
  local = 6,
  health = 7,
  host = 8,
  traffic = 9,
};

struct TelemetryField {
  enum class Kind : std::uint8_t { integer, real, text };
  std::string name;        // snake_case, as on the wire: `heap_free_bytes`
  std::string camel_name;  // `heapFreeBytes`
  std::uint32_t number = 0;
  Kind kind = Kind::integer;
};

struct TelemetryVariant {
  Variant variant = Variant::local;
  std::string name;                    // the short one of --variant: `local`, `airQuality`
  std::string wire_name;               // `local_stats`
  std::string camel_name;              // `localStats`
  std::vector<TelemetryField> fields;  // by number
};

// All variants, by number.
[[nodiscard]] const std::vector<TelemetryVariant>& telemetry_variants();
[[nodiscard]] const TelemetryVariant& info(Variant variant);

// By short, snake-case or wire name (`local`, `local_stats`, `localStats`, `airQuality`, `air_quality`,
// `air_quality_metrics`, ...). Null when there is none.
[[nodiscard]] const TelemetryVariant* find_variant(std::string_view name);

// By snake_case or camelCase; `free_heap` and `total_heap` are heap_free_bytes and heap_total_bytes.
[[nodiscard]] const TelemetryField* find_field(const TelemetryVariant& variant, std::string_view name);

// Every variant that has a field of this name.
[[nodiscard]] std::vector<Variant> variants_with_field(std::string_view name);

}  // namespace leakhunt::proto
