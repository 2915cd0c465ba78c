// A place in a text that moves over figures and marks. Knows nothing of times.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace leakhunt::recorder {

[[nodiscard]] inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A place in a text; every take_* either moves on or leaves the place as it was.
class StampScanner {
 public:
  explicit StampScanner(std::string_view text) : text_(text) {}

  [[nodiscard]] std::string_view rest() const { return text_; }
  [[nodiscard]] bool at_end() const { return text_.empty(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const { return ahead < text_.size() ? text_[ahead] : '\0'; }
  void skip(std::size_t n) { text_.remove_prefix(n < text_.size() ? n : text_.size()); }

  bool take(char c) {
    if (peek() != c) {
      return false;
    }
    skip(1);
    return true;
  }
  bool take_any(std::string_view of) {
    if (at_end() || of.find(peek()) == std::string_view::npos) {
      return false;
    }
    skip(1);
    return true;
  }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t') {
      skip(1);
    }
  }
  // Exactly `width` digits.
  std::optional<int> fixed(std::size_t width) {
    int value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (!is_digit(peek(i))) {
        return std::nullopt;
      }
      value = value * 10 + (peek(i) - '0');
    }
    skip(width);
    return value;
  }
  // At least `least` digits and at most 15.
  std::optional<double> integer(std::size_t least) {
    std::size_t width = 0;
    while (is_digit(peek(width))) {
      ++width;
    }
    if (width < least || width > 15) {
      return std::nullopt;
    }
    std::uint64_t value = 0;
    std::from_chars(text_.data(), text_.data() + width, value);
    skip(width);
    return static_cast<double>(value);
  }
  // `.123` or `,123`; 0 where there is none.
  double fraction() {
    if ((peek() != '.' && peek() != ',') || !is_digit(peek(1))) {
      return 0;
    }
    skip(1);
    double value = 0;
    for (double scale = 0.1; is_digit(peek()); scale *= 0.1) {
      value += scale * (peek() - '0');
      skip(1);
    }
    return value;
  }

 private:
  std::string_view text_;
};

}  // namespace leakhunt::recorder
