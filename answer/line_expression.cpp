// A text alone is searched for as bytes; everything else by RE2, which in a run of lines takes `^` and `$`
// for the ends of a line and crosses none.
#include "answer/line_expression.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace leakhunt::answer {
namespace {

constexpr std::size_t kLongestExpression = 1000;
constexpr std::int64_t kExpressionMemory_bytes = std::int64_t{4} << 20;

RE2::Options options(bool never_across_lines) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kExpressionMemory_bytes);
  options.set_never_nl(never_across_lines);
  return options;
}

// The text an expression without operators stands for.
std::optional<std::string> literal_of(std::string_view expression) {
  constexpr std::string_view operators = ".+*?()|[]{}^$";
  std::string text;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    char c = expression[i];
    if (operators.find(c) != std::string_view::npos || c == '\n') {
      return std::nullopt;
    }
    if (c == '\\') {
      if (++i == expression.size() || std::ispunct(static_cast<unsigned char>(expression[i])) == 0) {
        return std::nullopt;
      }
      c = expression[i];
    }
    text += c;
  }
  return text;
}

// `\A`, `\z` and a change of `(?m)` mean the ends of one text, whatever stands around it.
bool knows_ends_of_text(std::string_view expression) {
  if (expression.find("\\A") != std::string_view::npos || expression.find("\\z") != std::string_view::npos) {
    return true;
  }
  for (std::size_t at = expression.find("(?"); at != std::string_view::npos;
       at = expression.find("(?", at + 2)) {
    const std::string_view flags = expression.substr(at + 2, expression.find_first_of(":)", at) - at - 2);
    if (flags.find_first_of("m-") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<LineExpression>> LineExpression::compiled(const std::string& expression) {
  if (expression.size() > kLongestExpression) {
    return Error{ErrorCode::usage, "the expression is longer than 1000 characters", "--grep", ""};
  }
  std::unique_ptr<LineExpression> made{new LineExpression(expression, literal_of(expression))};
  if (!made->in_line_->ok()) {
    return Error{ErrorCode::usage,
                 "the expression \"" + expression + "\" is not understood: " + made->in_line_->error(),
                 "--grep", "RE2 syntax; \\[ for a bracket"};
  }
  return made;
}

LineExpression::LineExpression(const std::string& expression, std::optional<std::string> literal)
    : literal_(std::move(literal)), in_line_(std::make_unique<RE2>(expression, options(false))) {
  if (!literal_ && in_line_->ok() && !knows_ends_of_text(expression)) {
    in_lines_ = std::make_unique<RE2>("(?m)" + expression, options(true));
    if (!in_lines_->ok()) {
      in_lines_.reset();
    }
  }
}

bool LineExpression::matches(std::string_view line) const {
  return literal_ ? line.find(*literal_) != std::string_view::npos : RE2::PartialMatch(line, *in_line_);
}

std::size_t LineExpression::find(std::string_view lines, std::size_t from) const {
  if (literal_) {
    const void* found = memmem(lines.data() + from, lines.size() - from, literal_->data(), literal_->size());
    return found == nullptr ? std::string_view::npos
                            : static_cast<std::size_t>(static_cast<const char*>(found) - lines.data());
  }
  if (!in_lines_) {
    return from;
  }
  re2::StringPiece found;
  return in_lines_->Match(lines, from, lines.size(), RE2::UNANCHORED, &found, 1)
             ? static_cast<std::size_t>(found.data() - lines.data())
             : std::string_view::npos;
}

}  // namespace leakhunt::answer
