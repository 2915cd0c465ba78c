// Lines of a log as one compressed block and back: docs/storage.md, "A block of log lines". Knows no SQL.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace leakhunt::storage {

// How many lines a block holds at most, and how many bytes of text it takes in before it is full.
inline constexpr std::size_t kBlockLines = 2048;
inline constexpr std::size_t kBlockText_bytes = std::size_t{1} << 20;
// `log_block.codec` of what pack_lines makes.
inline constexpr std::int64_t kBlockCodec = 1;

// A row of `log`. Level, thread and alarm are ids of words; 0 = none.
struct StoredLine {
  Duration t{};
  std::uint8_t link = 0;
  std::int64_t level = 0;
  std::int64_t thread = 0;
  std::int64_t alarm = 0;
  std::uint8_t flags = 0;
  std::uint16_t body_offset = 0;
  std::optional<std::int64_t> uptime_us;
  std::string_view text;
};

// The text of a word by its id; asked once for each word of a block.
using WordText = std::function<std::string(std::int64_t)>;

// The words of a column as bits, so that a block can be passed over unread: bit id % 63 of each.
[[nodiscard]] constexpr std::int64_t word_bit(std::int64_t id) {
  return std::int64_t{1} << (id % 63);
}

struct LogBlock {
  Duration first{};
  Duration last{};
  std::int64_t lines = 0;
  std::int64_t flags = 0;    // of all lines together
  std::int64_t levels = 0;   // word_bit of each that occurs
  std::int64_t threads = 0;  // likewise
  std::string data;
};

// How many lines from the front of `lines` fit into one block.
[[nodiscard]] std::size_t lines_for_block(std::span<const StoredLine> lines);
// `lines`: at least one, as many as fit, in the order of their times.
[[nodiscard]] LogBlock pack_lines(std::span<const StoredLine> lines, const WordText& word);

// What stands in a block; can be used again for the next one.
class UnpackedBlock {
 public:
  UnpackedBlock() = default;
  UnpackedBlock(const UnpackedBlock&) = delete;  // the lines point into the text
  UnpackedBlock& operator=(const UnpackedBlock&) = delete;
  ~UnpackedBlock() = default;

  // Throws SqliteError(SQLITE_CORRUPT) when `data` is no such block.
  void unpack(std::string_view data, Duration first, const WordText& word);

  // In the order of their times. Their texts stand in text().
  [[nodiscard]] std::span<const StoredLine> lines() const { return lines_; }
  // All texts, each followed by '\n'.
  [[nodiscard]] std::string_view text() const { return text_; }
  // Which line the byte of text() belongs to.
  [[nodiscard]] std::size_t line_at(std::size_t byte) const;
  // Where the line after `line` begins in text().
  [[nodiscard]] std::size_t end_of(std::size_t line) const;
  // No text holds a '\n' itself.
  [[nodiscard]] bool one_line_each() const { return one_line_each_; }

 private:
  std::vector<StoredLine> lines_;
  std::string content_;
  std::string text_;
  bool one_line_each_ = true;
};

}  // namespace leakhunt::storage
