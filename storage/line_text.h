// The text of a log line with what stands elsewhere (level, thread, uptime) or packs better as bytes
// (numbers) taken out of it, and put back. Private to log_block.cpp; docs/storage.md has the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leakhunt::storage {

// Unsigned numbers in groups of seven bits, the lowest first; the top bit says that more follows.
void put_varint(std::string& out, std::uint64_t value);
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U);
}

// Reads what was written, never past the end; ok() turns false when it would have.
class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  [[nodiscard]] std::uint64_t varint();
  [[nodiscard]] std::uint32_t word32();
  [[nodiscard]] std::string_view take(std::uint64_t size);
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return at_ == end_; }

 private:
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool ok_ = true;
};

// What of a line stands in its columns.
struct LineContext {
  std::string_view level;
  std::string_view thread;
  std::optional<std::int64_t> uptime_us;
};

class LineWriter {
 public:
  void add(std::string_view text, const LineContext& line);

  std::string text;     // one line each, with bytes 0 to 6 in the places of what was taken out
  std::string hex;      // four bytes each
  std::string numbers;  // varints
  std::string clocks;   // varints

 private:
  void add_head(std::string_view& rest, const LineContext& line);
  void add_clock(std::string_view& rest, const LineContext& line);
  void add_body(std::string_view rest);

  std::int64_t clock_offset_s_ = 0;
};

class LineReader {
 public:
  LineReader(std::string_view text, std::string_view hex, std::string_view numbers, std::string_view clocks)
      : text_(text), hex_(hex), numbers_(numbers), clocks_(clocks) {}
  // Writes the next line, without its end, to [out, end) and returns where it ends; nullptr when there is
  // none, or no room for it. `holds_newline` is set when it has a '\n' in it.
  char* next(const LineContext& line, char* out, char* end, bool& holds_newline);
  [[nodiscard]] bool ended() const { return text_.empty(); }

 private:
  char* put_token(char token, const LineContext& line, char* out, char* end, bool& holds_newline);
  char* put_clock(const LineContext& line, char* out, char* end);

  std::string_view text_;
  ByteReader hex_, numbers_, clocks_;
  std::int64_t clock_offset_s_ = 0;
};

// How long the parts of a line's head are that differ from line to line: what its message begins behind.
[[nodiscard]] std::int64_t head_length(const LineContext& line);

}  // namespace leakhunt::storage
