// Lines and cells of tables, and what a cell is. Knows nothing of columns.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "recorder/log_shapes.h"

namespace leakhunt::recorder {

// Without blanks and quotes around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// Calls `row(line)` for each line, without its end (LF, CR LF, or CR alone where the table has no LF), until
// it says false.
template <class Row>
void for_lines(std::string_view bytes, Row row) {
  if (bytes.starts_with("\xEF\xBB\xBF")) {
    bytes.remove_prefix(3);
  }
  const char line_end = bytes.find('\n') == std::string_view::npos ? '\r' : '\n';
  while (!bytes.empty()) {
    const auto end = bytes.find(line_end);
    auto line = bytes.substr(0, end);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (!row(line)) {
      return;
    }
    bytes = end == std::string_view::npos ? std::string_view{} : bytes.substr(end + 1);
  }
}

// The cells of a line; delimiter ' ' stands for runs of blanks, with `>` and `#` in front of the line left
// out.
void split_cells(std::string_view line, char delimiter, std::vector<std::string_view>& cells);

[[nodiscard]] std::optional<double> plain_number(std::string_view cell);
// A date, or a clock.
[[nodiscard]] bool is_time_text(std::string_view cell);
// A number with or without a unit; `scale` bytes where it has none. A decimal comma beside delimiter ';'.
[[nodiscard]] std::optional<Size> size_of_cell(std::string_view cell, char delimiter, double scale);

// `|---|---:|`, `-----+----`: a line drawn between header and rows.
[[nodiscard]] bool is_rule(std::string_view line);

}  // namespace leakhunt::recorder
