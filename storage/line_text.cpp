// One pass over a line each way. A byte below 7 in a packed text stands for what was taken out.
#include "storage/line_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace leakhunt::storage {
namespace {

enum Token : char { literal = 0, hex_word = 1, number = 2, thread = 3, level = 4, clock = 5, uptime = 6 };
constexpr char kLastToken = Token::uptime;

constexpr std::size_t kHexWord = 10;     // "0x" and eight digits
constexpr std::size_t kMostDigits = 18;  // fit 64 bits
constexpr std::size_t kClockText = 8;    // "HH:MM:SS"
constexpr std::int64_t kDay_s = 86'400;
constexpr std::int64_t kSecond_us = 1'000'000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_lower_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}

bool is_hex_word(std::string_view rest) {
  return rest.size() >= kHexWord && rest[0] == '0' && rest[1] == 'x' &&
         std::all_of(rest.begin() + 2, rest.begin() + kHexWord, is_lower_hex);
}

// Digits at the front that come back from their value as they are.
std::size_t number_length(std::string_view rest) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_digit);
  const auto length = static_cast<std::size_t>(end - rest.begin());
  return length <= kMostDigits && (length == 1 || rest[0] != '0') ? length : 0;
}

std::uint64_t value_of(std::string_view digits, int base) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return value;
}

// "HH:MM:SS" of a day at the front, or unset.
std::optional<std::int64_t> clock_at(std::string_view rest) {
  if (rest.size() < kClockText || rest[2] != ':' || rest[5] != ':') {
    return std::nullopt;
  }
  for (const std::size_t i : {0U, 1U, 3U, 4U, 6U, 7U}) {
    if (!is_digit(rest[i])) {
      return std::nullopt;
    }
  }
  const auto two = [&](std::size_t i) { return (rest[i] - '0') * 10 + (rest[i + 1] - '0'); };
  const std::int64_t hours = two(0);
  const std::int64_t minutes = two(3);
  const std::int64_t seconds = two(6);
  if (hours > 23 || minutes > 59 || seconds > 59) {
    return std::nullopt;
  }
  return hours * 3600 + minutes * 60 + seconds;
}

std::int64_t day_offset(std::int64_t clock_s, const LineContext& line) {
  const std::int64_t uptime_s = line.uptime_us.value_or(0) / kSecond_us % kDay_s;
  return ((clock_s - uptime_s) % kDay_s + kDay_s) % kDay_s;
}

std::string uptime_text(const LineContext& line) {
  return line.uptime_us && *line.uptime_us >= 0 && *line.uptime_us % kSecond_us == 0
             ? std::to_string(*line.uptime_us / kSecond_us)
             : std::string{};
}

bool moved_past(std::string_view& rest, std::string_view what) {
  if (!rest.starts_with(what)) {
    return false;
  }
  rest.remove_prefix(what.size());
  return true;
}

char* put(std::string_view what, char* out, char* end) {
  if (out == nullptr || static_cast<std::size_t>(end - out) < what.size()) {
    return nullptr;
  }
  std::memcpy(out, what.data(), what.size());
  return out + what.size();
}

char* put_number(std::uint64_t value, char* out, char* end) {
  const auto done = std::to_chars(out, end, value);
  return done.ec == std::errc{} ? done.ptr : nullptr;
}

char* put_hex(std::uint32_t value, char* out, char* end) {
  if (end - out < static_cast<std::ptrdiff_t>(kHexWord)) {
    return nullptr;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  *out++ = '0';
  *out++ = 'x';
  for (int shift = 28; shift >= 0; shift -= 4) {
    *out++ = digits[(value >> static_cast<unsigned>(shift)) & 15U];
  }
  return out;
}

}  // namespace

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) {
    out += static_cast<char>(value | 0x80U);
  }
  out += static_cast<char>(value);
}

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at_++);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  ok_ = false;
  return 0;
}

std::uint32_t ByteReader::word32() {
  const std::string_view bytes = take(4);
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

std::string_view ByteReader::take(std::uint64_t size) {
  if (static_cast<std::uint64_t>(end_ - at_) < size) {
    ok_ = false;
    return {};
  }
  const std::string_view bytes{at_, size};
  at_ += size;
  return bytes;
}

void LineWriter::add(std::string_view text_of_line, const LineContext& line) {
  std::string_view rest = text_of_line;
  add_head(rest, line);
  add_body(rest);
  text += '\n';
}

// `LEVEL | HH:MM:SS UPTIME [Thread] `, or as much of it as stands there.
void LineWriter::add_head(std::string_view& rest, const LineContext& line) {
  if (!line.level.empty() && moved_past(rest, line.level)) {
    text += Token::level;
  }
  const std::size_t bar = rest.find_first_not_of(' ');
  if (bar == std::string_view::npos || !rest.substr(bar).starts_with("| ")) {
    return;
  }
  text += rest.substr(0, bar + 2);
  rest.remove_prefix(bar + 2);
  add_clock(rest, line);
  if (moved_past(rest, " ")) {
    text += ' ';
  }
  const std::string seconds = uptime_text(line);
  const bool whole = rest.size() <= seconds.size() || !is_digit(rest[seconds.size()]);
  if (!seconds.empty() && whole && moved_past(rest, seconds)) {
    text += Token::uptime;
  }
  if (!line.thread.empty() && rest.starts_with(" [") && rest.substr(2).starts_with(line.thread)) {
    text += " [";
    text += Token::thread;
    rest.remove_prefix(2 + line.thread.size());
  }
}

void LineWriter::add_clock(std::string_view& rest, const LineContext& line) {
  if (const auto clock_s = clock_at(rest)) {
    const std::int64_t offset_s = day_offset(*clock_s, line);
    put_varint(clocks, zigzag(offset_s - clock_offset_s_));
    clock_offset_s_ = offset_s;
    text += Token::clock;
    rest.remove_prefix(kClockText);
  }
}

void LineWriter::add_body(std::string_view rest) {
  bool after_word = false;  // a digit or letter stands before
  while (!rest.empty()) {
    const char c = rest[0];
    std::size_t length = 0;
    if (!after_word && c == '0' && is_hex_word(rest)) {
      length = kHexWord;
      const auto value = static_cast<std::uint32_t>(value_of(rest.substr(2, kHexWord - 2), 16));
      for (unsigned shift = 0; shift < 32; shift += 8) {
        hex += static_cast<char>(value >> shift);
      }
      text += Token::hex_word;
    } else if (!after_word && is_digit(c) && (length = number_length(rest)) > 0) {
      put_varint(numbers, value_of(rest.substr(0, length), 10));
      text += Token::number;
    } else {
      if ((c >= 0 && c <= kLastToken) || c == '\n') {
        text += Token::literal;
      }
      text += c;
      after_word = is_digit(c) || is_letter(c);
      rest.remove_prefix(1);
      continue;
    }
    after_word = true;
    rest.remove_prefix(length);
  }
}

char* LineReader::next(const LineContext& line, char* out, char* end, bool& holds_newline) {
  const char* at = text_.data();
  const char* const last = at + text_.size();
  while (at != last && out != nullptr) {
    const char c = *at++;
    if (c > '\n' || c < 0 || (c > kLastToken && c != '\n')) {
      out = out == end ? nullptr : (*out = c, out + 1);
      continue;
    }
    text_ = {at, static_cast<std::size_t>(last - at)};
    if (c == '\n') {
      return out;
    }
    out = put_token(c, line, out, end, holds_newline);
    at = text_.data();
  }
  return nullptr;
}

char* LineReader::put_token(char token, const LineContext& line, char* out, char* end, bool& holds_newline) {
  switch (token) {
    case Token::literal: {
      if (text_.empty()) {
        return nullptr;
      }
      const std::string_view byte = text_.substr(0, 1);
      holds_newline = holds_newline || byte[0] == '\n';
      text_.remove_prefix(1);
      return put(byte, out, end);
    }
    case Token::hex_word: {
      const std::uint32_t value = hex_.word32();
      return hex_.ok() ? put_hex(value, out, end) : nullptr;
    }
    case Token::number: {
      const std::uint64_t value = numbers_.varint();
      return numbers_.ok() ? put_number(value, out, end) : nullptr;
    }
    case Token::thread:
      return put(line.thread, out, end);
    case Token::level:
      return put(line.level, out, end);
    case Token::clock:
      return put_clock(line, out, end);
    default:
      return line.uptime_us && *line.uptime_us >= 0
                 ? put_number(static_cast<std::uint64_t>(*line.uptime_us / kSecond_us), out, end)
                 : nullptr;
  }
}

char* LineReader::put_clock(const LineContext& line, char* out, char* end) {
  const std::int64_t change_s = unzigzag(clocks_.varint());
  if (!clocks_.ok() || change_s <= -kDay_s || change_s >= kDay_s) {
    return nullptr;
  }
  clock_offset_s_ += change_s;
  const std::int64_t uptime_s = line.uptime_us.value_or(0) / kSecond_us % kDay_s;
  const std::int64_t clock_s = ((clock_offset_s_ + uptime_s) % kDay_s + kDay_s) % kDay_s;
  std::array<char, kClockText> digits{};
  std::size_t i = 0;
  for (const std::int64_t part : {clock_s / 3600, clock_s / 60 % 60, clock_s % 60}) {
    digits.at(i) = static_cast<char>('0' + part / 10);
    digits.at(i + 1) = static_cast<char>('0' + part % 10);
    if (i < 6) {
      digits.at(i + 2) = ':';
    }
    i += 3;
  }
  return put({digits.data(), digits.size()}, out, end);
}

std::int64_t head_length(const LineContext& line) {
  std::int64_t length = static_cast<std::int64_t>(line.thread.size());
  for (std::int64_t s = line.uptime_us.value_or(0) / kSecond_us; s > 0; s /= 10) {
    ++length;
  }
  return length;
}

}  // namespace leakhunt::storage
