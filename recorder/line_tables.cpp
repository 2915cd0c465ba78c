// Headers by the names their programs use, rows by the place of the memory column.
#include "recorder/line_tables.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "recorder/csv_cells.h"
#include "recorder/log_shapes.h"

namespace leakhunt::recorder {
namespace {

constexpr std::string_view kBoxBar = "\xE2\x94\x82";  // what terminal tables draw between their cells
constexpr std::size_t kLongestLine = 2048;

// A column of memory, the best first: what a program holds before what the whole system does.
struct MemoryColumn {
  std::string_view name;
  double unit_bytes = 1024;
  bool unit_needed = false;
  MetricSense sense = MetricSense::used_memory;
};
constexpr std::array kMemoryColumns = {
    MemoryColumn{"RSS"},
    MemoryColumn{"rss"},
    MemoryColumn{"RES"},
    MemoryColumn{"PSS"},
    MemoryColumn{"WS(K)"},
    MemoryColumn{"WorkingSet", 1},
    MemoryColumn{"WorkingSet64", 1},
    MemoryColumn{"MEMORY(bytes)", 1, true},
    MemoryColumn{"memory", 1, true},
    MemoryColumn{"mem", 1, true},
    MemoryColumn{"MEM", 1, true},
    MemoryColumn{"kbavail", 1024, false, MetricSense::free_memory},
    MemoryColumn{"kbmemused"},
};

// Words that stand beside them in a header and hardly ever in a sentence.
constexpr std::array<std::string_view, 36> kOtherColumns = {
    "PID",     "UID", "USER",    "PPID",    "VSZ",         "VIRT",       "SHR",       "%MEM",    "%CPU",
    "COMMAND", "CMD", "Command", "COMM",    "NAME",        "CPU(cores)", "id",        "name",    "mode",
    "status",  "cpu", "pid",     "uptime",  "kbmemfree",   "%memused",   "kbbuffers", "NPM(K)",  "PM(K)",
    "CPU(s)",  "Id",  "SI",      "Handles", "ProcessName", "minflt/s",   "%memory",   "Threads", "THREADS"};
constexpr std::array<std::string_view, 8> kLabelColumns = {"COMMAND", "CMD",  "Command",     "COMM",
                                                           "NAME",    "name", "ProcessName", "comm"};

template <std::size_t N>
bool among(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

void LineTables::split(std::string_view line) {
  cells_.clear();
  if (line.find(kBoxBar) == std::string_view::npos) {
    split_cells(line, ' ', cells_);
    return;
  }
  for (std::size_t at = line.find(kBoxBar); at != std::string_view::npos;) {
    const auto begin = at + kBoxBar.size();
    at = line.find(kBoxBar, begin);
    if (at != std::string_view::npos) {
      cells_.push_back(trimmed(line.substr(begin, at - begin)));
    }
  }
}

std::optional<LineTables::Header> LineTables::header_of() const {
  const auto numeric = [](std::string_view cell) { return plain_number(cell).has_value(); };
  const auto beside = std::count_if(cells_.begin(), cells_.end(),
                                    [](std::string_view cell) { return among(cell, kOtherColumns); });
  if (cells_.size() < 2 || beside < 1 || std::any_of(cells_.begin(), cells_.end(), numeric)) {
    return std::nullopt;
  }
  for (const auto& column : kMemoryColumns) {
    const auto found = std::find(cells_.begin(), cells_.end(), column.name);
    if (found == cells_.end()) {
      continue;
    }
    Header header{cells_.size(),      static_cast<std::size_t>(found - cells_.begin()),
                  std::nullopt,       column.unit_bytes,
                  column.unit_needed, column.sense};
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (among(cells_[i], kLabelColumns)) {
        header.label_at = i;
      }
    }
    return header;
  }
  return std::nullopt;
}

std::optional<TableLevel> LineTables::row_of() const {
  // A process started without arguments still fills its last column; `Average:` and the like are no rows.
  if (cells_.size() < header_->cells || cells_.front().ends_with(':')) {
    return std::nullopt;
  }
  const auto size = parse_size(cells_[header_->memory_at], header_->unit_bytes);
  if (!size || (header_->unit_needed && !size->had_unit)) {
    return std::nullopt;
  }
  TableLevel level{"", header_->sense, size->bytes};
  if (header_->label_at) {
    level.label = cells_[*header_->label_at];
  }
  return level;
}

LineTables::Line LineTables::take(std::string_view line, std::optional<TableLevel>& level) {
  level.reset();
  if (line.empty() || line.size() > kLongestLine) {
    return Line::other;
  }
  if (!header_ && line.find_first_of("RSEMmekW") == std::string_view::npos) {
    return Line::other;
  }
  split(line);
  if (cells_.empty()) {
    return Line::other;
  }
  if (header_) {
    level = row_of();
    if (level) {
      return Line::row;
    }
  }
  if (const auto header = header_of()) {
    header_ = header;
    return Line::header;
  }
  // Rules between header and rows keep the table open, any other line ends it.
  const bool rule = std::all_of(cells_.begin(), cells_.end(), [](std::string_view cell) {
    return cell.find_first_not_of("-=+") == std::string_view::npos || cell.starts_with("\xE2\x94");
  });
  if (!rule) {
    header_.reset();
  }
  return Line::other;
}

}  // namespace leakhunt::recorder
