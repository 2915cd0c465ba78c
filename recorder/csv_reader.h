// Reads tables of readings: CSV and its kin (`;`, tab, columns of spaces), with or without header, banner,
// time or units. Knows nothing of logs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/recording.h"

namespace leakhunt::recorder {

struct CsvLayout {
  char delimiter = ',';         // ' ': runs of spaces
  std::size_t header_line = 0;  // index of the header, or of the first row where there is none
  bool has_header = true;
  std::vector<std::string> names;  // of the columns; invented where there is no header
};

// The layout of a table that begins within the first lines; nothing where it is none.
[[nodiscard]] std::optional<CsvLayout> csv_layout(std::string_view bytes);

[[nodiscard]] Recording read_csv(std::string_view bytes, const CsvLayout& layout, bool keep_impossible);

}  // namespace leakhunt::recorder
