// What goes into a block of log lines comes out of it, whatever a device sent; a damaged block is refused.
#include "storage/log_block.h"

#include <gtest/gtest.h>

#include <random>

#include "storage/line_text.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {
namespace {

using namespace std::chrono_literals;

std::string word_text(std::int64_t id) {
  return id <= 3 ? std::vector<std::string>{"", "DEBUG", "INFO", "HEAP"}.at(static_cast<std::size_t>(id))
                 : "Thread" + std::to_string(id);
}

std::int64_t below(std::mt19937& random, std::int64_t end) {
  return std::uniform_int_distribution<std::int64_t>{0, end - 1}(random);
}

class LogBlocks : public ::testing::Test {
 protected:
  StoredLine& add(const std::string& text, std::optional<std::int64_t> uptime_us = {}) {
    texts_.push_back(std::make_unique<std::string>(text));
    StoredLine line{.t = lines_.empty() ? Duration{5} : lines_.back().t + 100ms,
                    .level = 1,
                    .thread = 7,
                    .flags = 1,
                    .body_offset = 3,
                    .uptime_us = uptime_us,
                    .text = *texts_.back()};
    return lines_.emplace_back(line);
  }
  void expect_whole() {
    const LogBlock block = pack_lines(lines_, word_text);
    UnpackedBlock unpacked;
    unpacked.unpack(block.data, block.first, word_text);
    ASSERT_EQ(unpacked.lines().size(), lines_.size());
    EXPECT_EQ(block.last, lines_.back().t);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const StoredLine& got = unpacked.lines()[i];
      const StoredLine& put = lines_[i];
      EXPECT_EQ(got.text, put.text) << i;
      EXPECT_EQ(got.t, put.t) << i;
      EXPECT_EQ(got.link, put.link) << i;
      EXPECT_EQ(got.level, put.level) << i;
      EXPECT_EQ(got.thread, put.thread) << i;
      EXPECT_EQ(got.alarm, put.alarm) << i;
      EXPECT_EQ(got.flags, put.flags) << i;
      EXPECT_EQ(got.body_offset, put.body_offset) << i;
      EXPECT_EQ(got.uptime_us, put.uptime_us) << i;
    }
  }

  std::vector<std::unique_ptr<std::string>> texts_;
  std::vector<StoredLine> lines_;
};

TEST_F(LogBlocks, LinesOfAFirmwareComeBackByteForByte) {
  add("DEBUG | 00:01:40 100 [Thread7] [heap 119529] Received from=0xd8f16adf, id=0xcd613e30, len=2",
      100'000'000);
  add("DEBUG | 23:59:59 101 [Thread7] wrapped 0x0000000F 007 0 00 1.063 18446744073709551616", 101'000'000);
  add("DEBUG | 00:00:00 102 [Thread7] next day 0x1234567 0x123456789 a12 12a", 102'000'000);
  add("DEBUG | ??:??:?? 103 [Thread7] no clock", 103'000'000);
  add("INFO  | 00:00:01 103 [Other] another level and thread than its columns say", 103'000'000);
  add("DEBUG | 99:99:99 1030 [Thread7] no such time, a longer uptime", 103'000'000);
  add("DEBUG", 4'500'000);
  add("DEBUG | ");
  add("");
  add("a line \n within a line \x01\x02\x06\x07\n", -5);
  add(std::string("\0\1\2\3\4\5\6\7\n\0", 10));
  lines_[3].level = 2;
  lines_[4].thread = 0;
  lines_[5].alarm = 9;
  lines_[6].link = 255;
  lines_[7].body_offset = 65535;
  lines_[8].flags = 5;
  expect_whole();
}

TEST_F(LogBlocks, OneLineIsABlock) {
  add("alone");
  expect_whole();
}

TEST_F(LogBlocks, HostileBytesComeBack) {
  using namespace std::string_literals;
  std::mt19937 random(7);
  const std::string alphabet = "0123456789abcdefx:|[] \0\1\2\3\4\5\6\7\nDEBUG\xff"s;
  for (int i = 0; i < 1500; ++i) {
    std::string text;
    for (auto n = random() % 40; n > 0; --n) text += alphabet[random() % alphabet.size()];
    if (random() % 3 == 0) text.insert(0, "DEBUG | 12:00:0" + std::to_string(random() % 10) + " ");
    StoredLine& line = add(text);
    line.level = below(random, 4);
    line.thread = below(random, 20);
    line.alarm = random() % 2 == 0 ? 0 : 5;
    line.body_offset = static_cast<std::uint16_t>(random());
    line.uptime_us = random() % 5 == 0 ? std::nullopt : std::optional{below(random, 9'000'000)};
    line.t += Duration{below(random, 1'000'000)};
  }
  expect_whole();
}

TEST_F(LogBlocks, ABlockEndsWhereItsLimitsAre) {
  for (std::size_t i = 0; i < kBlockLines + 10; ++i) add("x");
  EXPECT_EQ(lines_for_block(lines_), kBlockLines);
  for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i].thread = static_cast<std::int64_t>(i) + 1;
  EXPECT_EQ(lines_for_block(lines_), 255U);
  lines_.resize(20);
  const std::string long_text(kBlockText_bytes / 4, 'x');
  for (StoredLine& line : lines_) line.text = long_text;
  EXPECT_EQ(lines_for_block(lines_), 4U);
  lines_.resize(3);
  lines_[2].t += Duration{std::int64_t{1} << 50};
  EXPECT_EQ(lines_for_block(lines_), 2U);
}

TEST_F(LogBlocks, TellsWhatItHoldsWithoutBeingOpened) {
  add("a").flags = 1;
  add("b").flags = 4;
  lines_[1].level = 0;
  lines_[1].thread = 70;
  const LogBlock block = pack_lines(lines_, word_text);
  EXPECT_EQ(block.flags, 5);
  EXPECT_EQ(block.levels, word_bit(1));
  EXPECT_EQ(block.threads, word_bit(7));  // 70 shares its bit with 7
  EXPECT_EQ(block.lines, 2);
}

TEST_F(LogBlocks, SaysWhichLineAByteIsOf) {
  add("one");
  add("");
  add("three");
  const LogBlock block = pack_lines(lines_, word_text);
  UnpackedBlock unpacked;
  unpacked.unpack(block.data, block.first, word_text);
  EXPECT_EQ(unpacked.text(), "one\n\nthree\n");
  EXPECT_TRUE(unpacked.one_line_each());
  EXPECT_EQ(unpacked.line_at(0), 0U);
  EXPECT_EQ(unpacked.line_at(3), 0U);
  EXPECT_EQ(unpacked.line_at(4), 1U);
  EXPECT_EQ(unpacked.line_at(5), 2U);
  EXPECT_EQ(unpacked.end_of(1), 5U);
}

TEST_F(LogBlocks, ADamagedBlockIsRefused) {
  for (int i = 0; i < 100; ++i)
    add("DEBUG | 00:01:40 100 [Thread7] line " + std::to_string(i * 77), 100'000'000);
  const LogBlock block = pack_lines(lines_, word_text);
  UnpackedBlock unpacked;
  for (std::size_t at = 0; at < block.data.size(); at += 3) {
    std::string damaged = block.data;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    // A byte of the frame's header may mean nothing; then all comes back.
    try {
      unpacked.unpack(damaged, block.first, word_text);
      EXPECT_EQ(unpacked.lines()[99].text, lines_[99].text) << at;
    } catch (const SqliteError&) {
    }
  }
  EXPECT_THROW(unpacked.unpack(block.data.substr(0, block.data.size() / 2), block.first, word_text),
               SqliteError);
  EXPECT_THROW(unpacked.unpack("", block.first, word_text), SqliteError);
}

// The checksum is no help against content that was made to mislead.
TEST_F(LogBlocks, MisleadingContentIsRefused) {
  for (const bool thread_given : {true, false}) {
    bool newline = false;
    std::string out(8, '\0');
    const LineContext line{"DEBUG", thread_given ? "Router" : "", std::nullopt};
    for (const std::string text :
         {"\1\n", "\2\n", "\5\n", "\6\n", "no end", "longer than the room\n", "\x04\x04\n", ""}) {
      LineReader reader(text, "\1\2\3", "\xff\xff", "\xff");
      EXPECT_EQ(reader.next(line, out.data(), out.data() + out.size(), newline), nullptr) << text;
    }
  }
}

}  // namespace
}  // namespace leakhunt::storage
