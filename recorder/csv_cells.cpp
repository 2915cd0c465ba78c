// Scanners for cells: they run on every row.
#include "recorder/csv_cells.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "recorder/stamps.h"

namespace leakhunt::recorder {
namespace {

void split_spaces(std::string_view line, std::vector<std::string_view>& fields) {
  while (!line.empty() && (line.front() == '>' || line.front() == '#')) {
    line.remove_prefix(1);
  }
  for (auto at = line.find_first_not_of(" \t"); at != std::string_view::npos;) {
    const auto end = std::min(line.find_first_of(" \t", at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(" \t", end);
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\"";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

void split_cells(std::string_view line, char delimiter, std::vector<std::string_view>& fields) {
  fields.clear();
  if (delimiter == ' ') {
    split_spaces(line, fields);
    return;
  }
  // A table of markdown has bars around it as well.
  if (delimiter == '|') {
    line = trimmed(line);
    line.remove_prefix(line.starts_with('|') ? 1 : 0);
    line.remove_suffix(line.ends_with('|') ? 1 : 0);
  }
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t at = 0; at <= line.size(); ++at) {
    if (at < line.size() && line[at] == '"') {
      quoted = !quoted;
    }
    if (at == line.size() || (line[at] == delimiter && !quoted)) {
      fields.push_back(trimmed(line.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
}

std::optional<double> plain_number(std::string_view cell) {
  double value = 0;
  const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (failure != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

bool is_time_text(std::string_view cell) {
  return parse_date_time(cell).has_value() || parse_clock(cell).has_value();
}

std::optional<Size> size_of_cell(std::string_view cell, char delimiter, double scale) {
  if (const auto number = plain_number(cell)) {
    return Size{*number * scale, false};
  }
  if (delimiter == ';' && cell.find(',') != std::string_view::npos) {
    std::string point(cell);
    std::replace(point.begin(), point.end(), ',', '.');
    return parse_size(point, scale);
  }
  // `88.2MiB / 256MiB`: what is used of what is allowed.
  return parse_size(trimmed(cell.substr(0, cell.find(" / "))), scale);
}

bool is_rule(std::string_view line) {
  return line.find_first_not_of("|-:+= \t") == std::string_view::npos &&
         line.find_first_of("-=") != std::string_view::npos;
}

}  // namespace leakhunt::recorder
