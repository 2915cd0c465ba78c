// What a column of a CSV is, by its name alone. Knows nothing of its values.
#pragma once

#include <cstdint>
#include <string_view>

namespace leakhunt::recorder {

enum class ColumnRole : std::uint8_t {
  time,
  uptime,
  free_level,
  used_level,
  free_percent,  // of a memory whose size is not told
  used_percent,
  largest_block,
  low_water,
  total,  // heap size, or the limit of a container
  packets_rx,
  total_nodes,
  group,      // whose the row is: a device, node, host, container
  covariate,  // a field of LocalStats or the like that is no memory
  unknown,
};

// One per cent of a memory of unknown size counts as 1 MiB of 100: shapes and times come out right, bytes do
// not.
inline constexpr double kBytesPerPercent = 1024.0 * 1024.0;

struct Column {
  ColumnRole role = ColumnRole::unknown;
  double scale = 1;  // bytes or seconds per unit of its numbers
};

// `heap_free_bytes`, `freeHeap`, `RSS(MB)`, `elapsed_s`, `timestamp_ms`, ... `*_free_*` and `*_block_*` fall
// when it is bad, `rss*` and `*used*` rise.
[[nodiscard]] Column column_of(std::string_view name);

}  // namespace leakhunt::recorder
