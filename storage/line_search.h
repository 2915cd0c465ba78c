// What a reader of log lines looks for in their text. The reader knows no kind of expression.
#pragma once

#include <cstddef>
#include <string_view>

namespace leakhunt::storage {

class LineSearch {
 public:
  LineSearch() = default;
  LineSearch(const LineSearch&) = delete;
  LineSearch& operator=(const LineSearch&) = delete;
  virtual ~LineSearch() = default;

  [[nodiscard]] virtual bool matches(std::string_view line) const = 0;
  // A byte of the first line that may match, of those that begin at or after `from` in `lines`, each of which
  // ends with '\n'; npos when none can. `from` is the beginning of a line.
  [[nodiscard]] virtual std::size_t find(std::string_view lines, std::size_t from) const = 0;
};

}  // namespace leakhunt::storage
