// One pass over all rows of a table whose layout is known.
#include "recorder/csv_reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "recorder/csv_cells.h"
#include "recorder/csv_columns.h"
#include "recorder/csv_long.h"
#include "recorder/csv_times.h"

namespace leakhunt::recorder {
namespace {

constexpr double kSmallProcess = 4e6;
constexpr double kWrapped_low = 4294967296.0 - 16.0 * 1024 * 1024;  // a negative number in a 32-bit counter
constexpr double kWrapped_high = 4294967296.0;

class CsvReader {
 public:
  CsvReader(const CsvLayout& layout, bool keep_impossible)
      : layout_(layout), keep_impossible_(keep_impossible), long_(long_form(layout.names)) {
    for (std::size_t i = 0; i < layout.names.size(); ++i) {
      columns_.push_back(column_of(layout.names[i]));
    }
    choose_columns();
  }

  Recording read(std::string_view bytes) {
    std::size_t number = 0;
    std::vector<std::string_view> cells;
    for_lines(bytes, [&](std::string_view line) {
      const bool row = number >= layout_.header_line + (layout_.has_header ? 1 : 0);
      ++number;
      if (!row || trimmed(line).empty() || is_rule(line)) {
        return true;
      }
      split_cells(line, layout_.delimiter, cells);
      take_row(cells);
      return true;
    });
    recording_.lines_read = number;
    finish();
    return std::move(recording_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr std::size_t kMostOwners = 64;  // more values name something else than devices

  void choose_columns() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].role == ColumnRole::time && time_at_ == kNone) {
        time_at_ = i;
      }
      if (columns_[i].role == ColumnRole::group && group_at_ == kNone) {
        group_at_ = i;
      }
      if (columns_[i].role == ColumnRole::free_level || columns_[i].role == ColumnRole::used_level) {
        levels_.push_back(i);
      }
    }
    const auto fall_back = [this](auto wanted) {
      for (std::size_t i = 0; levels_.empty() && i < columns_.size(); ++i) {
        if (wanted(columns_[i].role)) {
          levels_.push_back(i);
        }
      }
    };
    fall_back([](ColumnRole r) { return r == ColumnRole::used_percent || r == ColumnRole::free_percent; });
    fall_back([](ColumnRole r) { return r == ColumnRole::largest_block; });
    fall_back([](ColumnRole r) { return r == ColumnRole::low_water; });
    fall_back([](ColumnRole r) { return r == ColumnRole::unknown; });
    time_ = TimeColumn(time_at_ == kNone ? 1.0 : columns_[time_at_].scale);
    if (long_) {
      levels_.clear();
    }
    for (const auto i : levels_) {
      recording_.metrics.push_back(metric_of(i));
    }
    owners_.resize(levels_.size());
  }

  [[nodiscard]] Metric metric_of(std::size_t i) const {
    Metric metric;
    metric.name = layout_.names[i];
    metric.source = "column";
    const auto role = columns_[i].role;
    const bool used = role == ColumnRole::used_level || role == ColumnRole::used_percent;
    metric.sense = used ? MetricSense::used_memory : MetricSense::free_memory;
    metric.sense_told = role != ColumnRole::unknown;
    metric.role = role == ColumnRole::largest_block ? MetricRole::largest_block
                  : role == ColumnRole::low_water   ? MetricRole::low_water
                                                    : MetricRole::level;
    return metric;
  }

  void take_row(const std::vector<std::string_view>& cells) {
    if (cells.size() < std::min(columns_.size(), std::size_t{2}) || cells.size() > columns_.size() + 1) {
      ++bad_rows_;
      return;
    }
    Reading row;
    if (time_at_ == kNone) {
      row.t_s = kAssumedStep_s * static_cast<double>(rows_);
    } else if (const auto t = time_at_ < cells.size() ? time_.read(cells[time_at_]) : std::nullopt) {
      row.t_s = *t;
    } else {
      ++bad_rows_;
      return;
    }
    ++rows_;
    if (long_) {
      take_long_row(cells, row);
      return;
    }
    take_covariates(cells, row);
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      auto& metric = recording_.metrics[k];
      const auto before = metric.readings.size();
      take_level(cells, levels_[k], row, metric);
      if (group_at_ < cells.size() && metric.readings.size() > before) {
        owners_[k].push_back(
            groups_.try_emplace(std::string(cells[group_at_]), groups_.size()).first->second);
      }
    }
  }

  // The figure's own name decides what it is, as that of a column would.
  void take_long_row(const std::vector<std::string_view>& cells, const Reading& row) {
    const auto name = figure_name(*long_, cells);
    const auto column = column_of(name);
    const bool level = column.role == ColumnRole::free_level || column.role == ColumnRole::used_level;
    if (!level || long_->value_at >= cells.size()) {
      return;
    }
    const auto size = size_of_cell(cells[long_->value_at], layout_.delimiter, column.scale);
    if (!size || !(std::abs(size->bytes) <= kLargestFigure)) {
      ++bad_cells_;
      return;
    }
    const std::string apart(long_->series_at ? cells[*long_->series_at] : std::string_view{});
    const auto [place, is_new] = long_metrics_.try_emplace({name, apart}, recording_.metrics.size());
    if (is_new) {
      recording_.metrics.emplace_back();
    }
    auto& metric = recording_.metrics[place->second];
    metric.name = name;
    metric.source = "column";
    metric.sense =
        column.role == ColumnRole::used_level ? MetricSense::used_memory : MetricSense::free_memory;
    metric.readings.push_back(row);
    metric.readings.back().value = size->bytes;
  }

  void take_covariates(const std::vector<std::string_view>& cells, Reading& row) {
    for (std::size_t i = 0; i < std::min(cells.size(), columns_.size()); ++i) {
      double* const into = covariate(row, columns_[i].role);
      if (into == nullptr || cells[i].empty()) {
        continue;
      }
      const auto size = size_of_cell(cells[i], layout_.delimiter, columns_[i].scale);
      if (size && std::abs(size->bytes) <= kLargestFigure) {
        *into = size->bytes;
      }
    }
  }

  static double* covariate(Reading& row, ColumnRole role) {
    switch (role) {
      case ColumnRole::uptime:
        return &row.uptime_s;
      case ColumnRole::largest_block:
        return &row.largest_block;
      case ColumnRole::low_water:
        return &row.min_free;
      case ColumnRole::total:
        return &row.total;
      case ColumnRole::packets_rx:
        return &row.packets_rx;
      case ColumnRole::total_nodes:
        return &row.total_nodes;
      default:
        return nullptr;
    }
  }

  void take_level(const std::vector<std::string_view>& cells, std::size_t column, Reading row,
                  Metric& metric) {
    if (column >= cells.size() || cells[column].empty()) {
      return;
    }
    const auto size = size_of_cell(cells[column], layout_.delimiter, columns_[column].scale);
    if (!size) {
      ++bad_cells_;
      return;
    }
    row.value = size->bytes;
    row.total =
        row.total < row.value ? kNoFigure : row.total;  // what is smaller is the size of something else
    if (!(std::abs(row.value) <= kLargestFigure)) {
      ++too_large_;
      return;
    }
    const bool wrapped = row.value >= kWrapped_low && row.value < kWrapped_high;
    if (metric.sense == MetricSense::free_memory && wrapped && !keep_impossible_) {
      ++impossible_;
      return;
    }
    if (metric.sense == MetricSense::used_memory) {
      row.largest_block = row.min_free = kNoFigure;
    }
    if (is_percent(columns_[column].role)) {
      row.total = 100 * kBytesPerPercent;
    }
    metric.readings.push_back(row);
  }

  static bool is_percent(ColumnRole role) {
    return role == ColumnRole::used_percent || role == ColumnRole::free_percent;
  }

  // A column without units that goes from 1023 to 1.002 has changed from one unit to the next.
  void follow_unit_change(Metric& metric, double scale) {
    double factor = 1;
    double before = kNoFigure;
    for (auto& reading : metric.readings) {
      const double now = reading.value / scale;
      const bool up = before >= 900 && before <= 1100 && now >= 0.9 && now <= 1.1;
      const bool down = factor > 1 && now >= 900 && now <= 1100 && before >= 0.9 && before <= 1.1;
      unit_changes_ += up || down ? 1U : 0U;
      factor *= up ? 1024 : down ? 1.0 / 1024 : 1;
      before = now;
      reading.value *= factor;
    }
  }

  // `ps` counts in KiB and its columns do not say so: no process lives in less than 4 MB.
  void settle_unit(Metric& metric, std::size_t column) {
    const auto& name = metric.name;
    const bool bare = columns_[column].scale == 1 && name.find("ytes") == std::string::npos;
    const bool resident = name.starts_with("rss") || name.starts_with("RSS") || name.starts_with("Rss");
    const bool small = std::all_of(metric.readings.begin(), metric.readings.end(),
                                   [](const Reading& r) { return r.value < kSmallProcess; });
    if (!bare || !resident || !small || metric.readings.empty()) return;
    for (auto& reading : metric.readings) reading.value *= 1024;
    recording_.notes.push_back("'" + name + "' read as KiB: too small for a process in bytes");
  }

  // Rows of several devices in one table: each has its own series, of the same name.
  void split_by_owner() {
    if (groups_.size() < 2 || groups_.size() > kMostOwners) {
      return;
    }
    std::vector<std::string> names(groups_.size());
    for (const auto& [name, index] : groups_) {
      names[index] = name;
    }
    std::vector<Metric> split;
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      const auto& whole = recording_.metrics[k];
      if (owners_[k].size() != whole.readings.size()) {
        return;
      }
      for (std::size_t one = 0; one < names.size(); ++one) {
        Metric own = whole;
        own.owner = names[one];
        own.readings.clear();
        for (std::size_t i = 0; i < whole.readings.size(); ++i) {
          if (owners_[k][i] == one) {
            own.readings.push_back(whole.readings[i]);
          }
        }
        split.push_back(std::move(own));
      }
    }
    recording_.metrics = std::move(split);
  }

  void note(std::size_t count, const std::string& text) {
    if (count > 0) {
      recording_.notes.push_back(std::to_string(count) + " " + text);
    }
  }

  void finish() {
    recording_.kind = RecordingKind::csv;
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      if (is_percent(columns_[levels_[k]].role)) {
        recording_.notes.push_back("'" + layout_.names[levels_[k]] +
                                   "' is a percentage of a memory of unknown size: 1 % is counted as 1 MiB");
        continue;
      }
      follow_unit_change(recording_.metrics[k], columns_[levels_[k]].scale);
      settle_unit(recording_.metrics[k], levels_[k]);
    }
    split_by_owner();
    recording_.time = time_at_ == kNone ? TimeBase::none : time_.base();
    note(layout_.header_line, "lines before the header skipped");
    note(bad_rows_, "rows skipped that do not fit the header or have no time");
    note(bad_cells_, "cells skipped that are no number");
    note(too_large_, "cells skipped that are above 2^53: no size of a memory");
    note(impossible_, "impossible readings skipped (a negative number in a 32-bit counter)");
    note(unit_changes_, "changes of the unit followed (a value near 1024 becomes one near 1)");
    if (time_at_ == kNone) {
      recording_.notes.emplace_back("no time column: even spacing of 60 s assumed, so no rate can be told");
    }
    settle_times(recording_);
    if (!layout_.has_header) {
      recording_.notes.emplace_back(
          "no header: a first column that rises is the time, the next one is judged as free memory");
    }
    if (rows_ == 0) {
      recording_.notes.emplace_back("a header without rows");
    }
  }

  const CsvLayout& layout_;
  bool keep_impossible_;
  std::optional<LongForm> long_;
  std::map<std::pair<std::string, std::string>, std::size_t> long_metrics_;  // name, series: index
  std::vector<Column> columns_;
  std::size_t time_at_ = kNone;
  std::size_t group_at_ = kNone;
  std::map<std::string, std::size_t> groups_;     // a value of the group column: its index
  std::vector<std::vector<std::size_t>> owners_;  // of each level: the group of each reading
  std::vector<std::size_t> levels_;
  TimeColumn time_{1.0};
  Recording recording_;
  std::size_t rows_ = 0;
  std::size_t bad_rows_ = 0;
  std::size_t bad_cells_ = 0;
  std::size_t too_large_ = 0;
  std::size_t impossible_ = 0;
  std::size_t unit_changes_ = 0;
};

}  // namespace

Recording read_csv(std::string_view bytes, const CsvLayout& layout, bool keep_impossible) {
  return CsvReader(layout, keep_impossible).read(bytes);
}

}  // namespace leakhunt::recorder
