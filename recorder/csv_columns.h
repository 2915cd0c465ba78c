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
  largest_block,
  low_water,
  total,  // heap size, or the limit of a container
  packets_rx,
  total_nodes,
  covariate,  // a field of LocalStats or the like that is no memory
  unknown,
};

struct Column {
  ColumnRole role = ColumnRole::unknown;
  double scale = 1;  // bytes or seconds per unit of its numbers
};

// `heap_free_bytes`, `freeHeap`, `RSS(MB)`, `elapsed_s`, `timestamp_ms`, ... `*_free_*` and `*_block_*` fall
// when it is bad, `rss*` and `*used*` rise.
[[nodiscard]] Column column_of(std::string_view name);

}  // namespace leakhunt::recorder
