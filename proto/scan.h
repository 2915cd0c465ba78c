// A cursor over text for hand-written grammars. Knows no grammar of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace leakhunt::proto {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
inline constexpr auto word_characters = [] {
  std::array<bool, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const char c = static_cast<char>(i);
    table[i] = is_digit(c) || (lowered(c) >= 'a' && lowered(c) <= 'z') || c == '_';
  }
  return table;
}();
constexpr bool is_word(char c) {
  return word_characters[static_cast<unsigned char>(c)];
}
constexpr bool is_hex(char c) {
  return is_digit(c) || (lowered(c) >= 'a' && lowered(c) <= 'f');
}

// True when `text` holds `lower` (a lower-case pattern) in any case.
[[nodiscard]] bool contains_any_case(std::string_view text, std::string_view lower);

// Reads from the front. `tail_cut`: the text may have lost its end, so a number or name that touches the end
// is none.
class Cursor {
 public:
  explicit Cursor(std::string_view text, bool tail_cut = false) : rest_(text), tail_cut_(tail_cut) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  void skip(std::size_t n) { rest_.remove_prefix(n < rest_.size() ? n : rest_.size()); }
  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool eat(std::string_view literal) {
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }
  // Everything before `stop`, which is eaten too; nothing (and no step) when it does not come.
  std::optional<std::string_view> until(std::string_view stop);
  // Everything that is left; nothing where its end may be missing.
  [[nodiscard]] std::optional<std::string_view> whole_rest() const {
    return tail_cut_ ? std::nullopt : std::optional{rest_};
  }
  // A decimal number of at most 18 digits, with a sign or without.
  std::optional<std::int64_t> integer();

 private:
  std::string_view rest_;
  bool tail_cut_;
};

}  // namespace leakhunt::proto
