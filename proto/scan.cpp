// A cursor over text.
#include "proto/scan.h"

#include <algorithm>

namespace leakhunt::proto {

bool contains_any_case(std::string_view text, std::string_view lower) {
  const auto same = [](char a, char b) { return lowered(a) == b; };
  return std::search(text.begin(), text.end(), lower.begin(), lower.end(), same) != text.end();
}

std::optional<std::string_view> Cursor::until(std::string_view stop) {
  const std::size_t at = rest_.find(stop);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view before = rest_.substr(0, at);
  rest_.remove_prefix(at + stop.size());
  return before;
}

std::optional<std::int64_t> Cursor::integer() {
  std::size_t at = 0;
  const bool negative = !rest_.empty() && rest_.front() == '-';
  if (negative || (!rest_.empty() && rest_.front() == '+')) at = 1;
  const std::size_t first = at;
  std::int64_t value = 0;
  while (at < rest_.size() && is_digit(rest_[at]) && at - first < 18)
    value = value * 10 + (rest_[at++] - '0');
  const bool touches_end = at == rest_.size();
  if (at == first || (touches_end && tail_cut_) || (!touches_end && is_digit(rest_[at]))) return std::nullopt;
  rest_.remove_prefix(at);
  return negative ? -value : value;
}

}  // namespace leakhunt::proto
