// A recursive-descent parser of RFC 8259. See json_value.h.
#include "answer/json_value.h"

#include <array>
#include <cstdint>

namespace leakhunt::answer {
namespace {

constexpr int kDeepest = 64;

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | (code >> 6U));
    byte(0x80 | (code & 0x3fU));
  } else if (code < 0x10000) {
    byte(0xe0 | (code >> 12U));
    byte(0x80 | ((code >> 6U) & 0x3fU));
    byte(0x80 | (code & 0x3fU));
  } else {
    byte(0xf0 | (code >> 18U));
    byte(0x80 | ((code >> 12U) & 0x3fU));
    byte(0x80 | ((code >> 6U) & 0x3fU));
    byte(0x80 | (code & 0x3fU));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  JsonParse parse() {
    JsonValue value;
    if (!read(value, 0)) {
      return {std::nullopt, at_};
    }
    skip_blanks();
    if (at_ != text_.size()) {
      return {std::nullopt, at_};
    }
    return {std::move(value), 0};
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) {
      return false;
    }
    at_ += token.size();
    return true;
  }

  bool read(JsonValue& value, int depth) {
    skip_blanks();
    if (depth > kDeepest) {
      return false;
    }
    switch (peek()) {
      case '{':
        return read_object(value, depth);
      case '[':
        return read_array(value, depth);
      case '"':
        value.kind = JsonValue::Kind::string;
        return read_string(value.text);
      case 't':
      case 'f':
        value.kind = JsonValue::Kind::boolean;
        value.boolean = peek() == 't';
        return take(value.boolean ? "true" : "false");
      case 'n':
        return take("null");
      default:
        return read_number(value);
    }
  }

  bool read_object(JsonValue& value, int depth) {
    value.kind = JsonValue::Kind::object;
    ++at_;
    skip_blanks();
    if (take("}")) {
      return true;
    }
    do {
      skip_blanks();
      auto& [name, member] = value.members.emplace_back();
      if (peek() != '"' || !read_string(name)) {
        return false;
      }
      skip_blanks();
      if (!take(":") || !read(member, depth + 1)) {
        return false;
      }
      skip_blanks();
    } while (take(","));
    return take("}");
  }

  bool read_array(JsonValue& value, int depth) {
    value.kind = JsonValue::Kind::array;
    ++at_;
    skip_blanks();
    if (take("]")) {
      return true;
    }
    do {
      if (!read(value.elements.emplace_back(), depth + 1)) {
        return false;
      }
      skip_blanks();
    } while (take(","));
    return take("]");
  }

  std::optional<std::uint32_t> hex4() {
    if (text_.size() - at_ < 4) {
      return std::nullopt;
    }
    std::uint32_t code = 0;
    for (const char c : text_.substr(at_, 4)) {
      const bool digit = c >= '0' && c <= '9';
      const char lower = static_cast<char>(c | 0x20);
      if (!digit && (lower < 'a' || lower > 'f')) {
        return std::nullopt;
      }
      code = code * 16 + static_cast<std::uint32_t>(digit ? c - '0' : lower - 'a' + 10);
    }
    at_ += 4;
    return code;
  }

  // Behind `\u`; a lone half of a surrogate pair becomes U+FFFD.
  bool read_unicode(std::string& out) {
    auto code = hex4();
    if (!code) {
      return false;
    }
    if (*code >= 0xd800 && *code < 0xdc00 && take("\\u")) {
      const auto low = hex4();
      if (!low) {
        return false;
      }
      const bool pair = *low >= 0xdc00 && *low < 0xe000;
      code = pair ? 0x10000 + ((*code - 0xd800) << 10U) + (*low - 0xdc00) : 0xfffd;
    } else if (*code >= 0xd800 && *code < 0xe000) {
      code = 0xfffd;
    }
    append_utf8(out, *code);
    return true;
  }

  bool read_escape(std::string& out) {
    static constexpr std::array<std::pair<char, char>, 8> kEscapes{{{'"', '"'},
                                                                    {'\\', '\\'},
                                                                    {'/', '/'},
                                                                    {'b', '\b'},
                                                                    {'f', '\f'},
                                                                    {'n', '\n'},
                                                                    {'r', '\r'},
                                                                    {'t', '\t'}}};
    const char c = peek();
    ++at_;
    if (c == 'u') {
      return read_unicode(out);
    }
    for (const auto& [escape, meant] : kEscapes) {
      if (c == escape) {
        out += meant;
        return true;
      }
    }
    --at_;
    return false;
  }

  bool read_string(std::string& out) {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) {
        return false;
      }
      ++at_;
      if (c != '\\') {
        out += c;
      } else if (!read_escape(out)) {
        return false;
      }
    }
    return false;
  }

  bool skip_digits() {
    const std::size_t from = at_;
    at_ = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
    return at_ > from;
  }

  bool read_number(JsonValue& value) {
    const std::size_t from = at_;
    take("-");
    const bool leading_zero = peek() == '0';
    const std::size_t digits = at_;
    if (!skip_digits() || (leading_zero && at_ - digits > 1)) {
      return false;
    }
    if (take(".") && !skip_digits()) {
      return false;
    }
    if (take("e") || take("E")) {
      if (!take("+")) {
        take("-");
      }
      if (!skip_digits()) {
        return false;
      }
    }
    value.kind = JsonValue::Kind::number;
    value.text = text_.substr(from, at_ - from);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

JsonParse parse_json(std::string_view text) {
  return Parser{text}.parse();
}

}  // namespace leakhunt::answer
