// Tables inside logs: what `ps`, `top`, `pidstat`, `kubectl top`, `pm2 list`, `sar -r` and their kin print,
// once or again and again, between lines that tell the time. Knows nothing of time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/recording.h"

namespace leakhunt::recorder {

// A memory cell of a row.
struct TableLevel {
  std::string label;  // the process or container it belongs to; empty where the table names none
  MetricSense sense = MetricSense::used_memory;
  double bytes = 0;
};

// Follows the lines of one file.
class LineTables {
 public:
  enum class Line { other, header, row };

  // `line` is behind its time stamps. A row's level is in `level` where it has one.
  Line take(std::string_view line, std::optional<TableLevel>& level);

 private:
  struct Header {
    std::size_t cells = 0;
    std::size_t memory_at = 0;
    std::optional<std::size_t> label_at;
    double unit_bytes = 1;
    bool unit_needed = false;
    MetricSense sense = MetricSense::used_memory;
  };
  [[nodiscard]] std::optional<Header> header_of() const;
  [[nodiscard]] std::optional<TableLevel> row_of() const;
  void split(std::string_view line);

  std::optional<Header> header_;
  std::vector<std::string_view> cells_;
};

}  // namespace leakhunt::recorder
