// What `--grep` looks for, in one line or in many at once. The one place that knows RE2 and blocks of text.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/line_search.h"

namespace leakhunt::answer {

class LineExpression final : public storage::LineSearch {
 public:
  // An expression in RE2's syntax, not empty. Errors: too long, not understood.
  [[nodiscard]] static Result<std::unique_ptr<LineExpression>> compiled(const std::string& expression);

  [[nodiscard]] bool matches(std::string_view line) const override;
  [[nodiscard]] std::size_t find(std::string_view lines, std::size_t from) const override;

 private:
  LineExpression(const std::string& expression, std::optional<std::string> literal);

  std::optional<std::string> literal_;  // the expression is just this text
  std::unique_ptr<RE2> in_line_;
  std::unique_ptr<RE2> in_lines_;  // finds the same in a run of lines; null = each line by itself
};

}  // namespace leakhunt::answer
