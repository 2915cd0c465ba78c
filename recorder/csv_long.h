// Tables in long form: a row for each figure, one column naming it and one holding it, as time-series
// databases, home automation and performance counters export. Knows nothing of times.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leakhunt::recorder {

struct LongForm {
  std::size_t value_at = 0;
  std::vector<std::size_t> names_at;     // columns whose cells together name the figure
  std::optional<std::size_t> series_at;  // cells that keep figures of one name apart
};

// Nothing where the names are those of an ordinary table.
[[nodiscard]] std::optional<LongForm> long_form(const std::vector<std::string>& names);

// What a row's figure is called; empty where its cells are missing.
[[nodiscard]] std::string figure_name(const LongForm& form, const std::vector<std::string_view>& cells);

}  // namespace leakhunt::recorder
