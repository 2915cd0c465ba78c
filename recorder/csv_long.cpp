// Column names that exporters of long tables use.
#include "recorder/csv_long.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "recorder/csv_columns.h"

namespace leakhunt::recorder {
namespace {

constexpr std::array<std::string_view, 6> kValues = {"_value", "value",          "state",
                                                     "mean",   "mean/increment", "reading"};
constexpr std::array<std::string_view, 13> kNames = {
    "_field",    "_measurement", "field", "measurement", "metric",   "name",   "counter name",
    "entity_id", "sensor",       "key",   "series",      "variable", "counter"};

std::string folded(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

template <std::size_t N>
bool among(const std::string& name, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), name) != words.end();
}

bool is_figure(std::string_view name) {
  const auto role = column_of(name).role;
  return role == ColumnRole::free_level || role == ColumnRole::used_level ||
         role == ColumnRole::largest_block || role == ColumnRole::low_water;
}

}  // namespace

std::optional<LongForm> long_form(const std::vector<std::string>& names) {
  std::optional<LongForm> form;
  for (std::size_t i = 0; i < names.size() && !form; ++i) {
    if (among(folded(names[i]), kValues)) {
      form = LongForm{i, {}, std::nullopt};
    }
  }
  if (!form || std::any_of(names.begin(), names.end(), is_figure)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto name = folded(names[i]);
    if (i != form->value_at && among(name, kNames)) {
      form->names_at.push_back(i);
    }
    if (name == "table") {
      form->series_at = i;
    }
  }
  return form->names_at.empty() ? std::nullopt : form;
}

std::string figure_name(const LongForm& form, const std::vector<std::string_view>& cells) {
  std::string name;
  for (const auto at : form.names_at) {
    if (at < cells.size() && !cells[at].empty()) {
      name += name.empty() ? "" : " ";
      name += cells[at];
    }
  }
  return name;
}

}  // namespace leakhunt::recorder
