// Finds where a table begins, how its cells are divided and what its columns are called.
#include <algorithm>
#include <array>
#include <cctype>

#include "recorder/csv_cells.h"
#include "recorder/csv_columns.h"
#include "recorder/csv_long.h"
#include "recorder/csv_reader.h"

namespace leakhunt::recorder {
namespace {

constexpr std::size_t kHeaderWithin = 64;  // lines before the table
constexpr std::size_t kLongestName = 96;

bool is_name(std::string_view cell) {
  return !cell.empty() && cell.size() <= kLongestName &&
         cell.find_first_of(":={}") == std::string_view::npos && !plain_number(cell) && !is_time_text(cell) &&
         std::any_of(cell.begin(), cell.end(),
                     [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
}

bool is_level(ColumnRole role) {
  return role == ColumnRole::free_level || role == ColumnRole::used_level ||
         role == ColumnRole::largest_block || role == ColumnRole::low_water;
}

// A row that fits a header: as many cells, and a number or time where the header has a memory or time column.
bool fits(const std::vector<std::string_view>& cells, const std::vector<std::string>& names, char delimiter) {
  if (cells.size() != names.size()) {
    return false;
  }
  std::size_t good = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    good += cells[i].empty() || is_time_text(cells[i]) || size_of_cell(cells[i], delimiter, 1) ? 1U : 0U;
  }
  return good * 2 >= cells.size() && good > 0;
}

std::vector<std::string_view> first_lines(std::string_view bytes) {
  std::vector<std::string_view> lines;
  for_lines(bytes, [&lines](std::string_view line) {
    lines.push_back(line);
    return lines.size() < kHeaderWithin;
  });
  return lines;
}

std::optional<std::size_t> next_filled(const std::vector<std::string_view>& lines, std::size_t after) {
  for (std::size_t i = after + 1; i < lines.size(); ++i) {
    if (!trimmed(lines[i]).empty() && !is_rule(lines[i])) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<CsvLayout> header_at(const std::vector<std::string_view>& lines, std::size_t at,
                                   char delimiter) {
  std::vector<std::string_view> cells;
  split_cells(lines[at], delimiter, cells);
  // The first column of an index has no name.
  const bool unnamed = cells.size() > 2 && cells.front().empty();
  if (cells.empty() || !std::all_of(cells.begin() + (unnamed ? 1 : 0), cells.end(), is_name)) {
    return std::nullopt;
  }
  CsvLayout layout{delimiter, at, true, {cells.begin(), cells.end()}};
  std::size_t times = 0;
  std::size_t levels = 0;
  for (const auto& name : layout.names) {
    const auto role = column_of(name).role;
    times += role == ColumnRole::time || role == ColumnRole::uptime ? 1U : 0U;
    levels += is_level(role) ? 1U : 0U;
  }
  if (delimiter == ' ' &&
      (cells.size() < 3 || column_of(layout.names[0]).role != ColumnRole::time || levels == 0)) {
    return std::nullopt;
  }
  const auto next = next_filled(lines, at);
  if (!next) {
    return times > 0 && cells.size() > 1 ? std::optional(layout) : std::nullopt;
  }
  split_cells(lines[*next], delimiter, cells);
  if (delimiter != ' ' && times > 0 && cells.size() == layout.names.size() && long_form(layout.names)) {
    return layout;
  }
  const bool told = times + levels > 0;
  return told && fits(cells, layout.names, delimiter) ? std::optional(layout) : std::nullopt;
}

// Rows from the first line on, and every line looked at is one.
std::optional<CsvLayout> headless(const std::vector<std::string_view>& lines, char delimiter) {
  CsvLayout layout{delimiter, 0, false, {}};
  std::vector<std::string_view> cells;
  std::size_t rows = 0;
  bool rising = true;
  double before = -1;
  double start = 0;
  for (const auto line : lines) {
    if (trimmed(line).empty()) {
      continue;
    }
    split_cells(line, delimiter, cells);
    const bool numeric = std::all_of(cells.begin(), cells.end(), [delimiter](std::string_view cell) {
      return cell.empty() || is_time_text(cell) || size_of_cell(cell, delimiter, 1);
    });
    if (!numeric || (rows > 0 && cells.size() != layout.names.size())) {
      return std::nullopt;
    }
    if (rows++ == 0) {
      layout.names.assign(cells.size(), "value");
    }
    const double first = plain_number(cells[0]).value_or(is_time_text(cells[0]) ? before + 1 : before);
    rising = rising && first >= before;
    start = rows == 1 ? first : start;
    before = first;
  }
  if (rows < 3 || (layout.names.size() < 2 && delimiter != ',')) {
    return std::nullopt;
  }
  if (layout.names.size() > 1 && rising && before > start) {
    layout.names[0] = "timestamp";
  }
  return layout;
}

}  // namespace

std::optional<CsvLayout> csv_layout(std::string_view bytes) {
  const auto lines = first_lines(bytes);
  constexpr std::array kDelimiters = {',', ';', '\t', '|', ' '};
  for (std::size_t at = 0; at < lines.size(); ++at) {
    for (const char delimiter : kDelimiters) {
      if (auto layout = header_at(lines, at, delimiter)) {
        return layout;
      }
    }
  }
  for (const char delimiter : {',', ';', '\t'}) {
    if (auto layout = headless(lines, delimiter)) {
      return layout;
    }
  }
  return std::nullopt;
}

}  // namespace leakhunt::recorder
