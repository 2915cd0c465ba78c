// The columns of a block one after the other, each a run of its own to the compressor.
#include "storage/log_block.h"

#include <sqlite3.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <memory>
#include <stdexcept>

#include "storage/line_text.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {
namespace {

// Higher levels save 4 % at ten times the work.
constexpr int kLevel = 9;
constexpr std::size_t kMostWords = 255;  // an index of a word takes a byte; 0 = none
constexpr std::uint64_t kMostContent_bytes = std::uint64_t{64} << 20;
constexpr std::int64_t kSecond_us = 1'000'000;
// Times from line to line fit so many bytes, so that their sum cannot overflow.
constexpr std::uint64_t kMostWidth = 6;

[[noreturn]] void damaged() {
  throw SqliteError(SQLITE_CORRUPT, "a block of log lines is damaged");
}

// The words of a column, in the order in which they first come.
class Dictionary {
 public:
  std::uint8_t index(std::int64_t id) {
    if (id == 0) {
      return 0;
    }
    const auto [found, fresh] = indices_.try_emplace(id, indices_.size() + 1);
    if (fresh) {
      ids_.push_back(id);
    }
    return static_cast<std::uint8_t>(found->second);
  }
  [[nodiscard]] const std::vector<std::int64_t>& ids() const { return ids_; }

 private:
  std::map<std::int64_t, std::size_t> indices_;
  std::vector<std::int64_t> ids_;
};

struct Words {
  std::vector<std::int64_t> ids{0};
  std::vector<std::string> texts{std::string{}};

  void add(std::int64_t id, const WordText& word) {
    ids.push_back(id);
    texts.push_back(word(id));
  }
};

Words words_of(const Dictionary& dictionary, const WordText& word) {
  Words words;
  for (const std::int64_t id : dictionary.ids()) {
    words.add(id, word);
  }
  return words;
}

// Lowest byte of every number, then the next of every number, as many as the largest needs.
std::string planes(std::span<const std::uint64_t> numbers, unsigned width) {
  std::string bytes;
  bytes.reserve(numbers.size() * width);
  for (unsigned plane = 0; plane < width; ++plane) {
    for (const std::uint64_t number : numbers) {
      bytes += static_cast<char>(number >> (8 * plane));
    }
  }
  return bytes;
}

struct Columns {
  std::string links, levels, threads, alarms, flags;
  std::vector<std::uint64_t> steps;  // of time, from line to line
  std::string uptimes, body_offsets;
  Dictionary level_words, thread_words, alarm_words;
};

Columns columns_of(std::span<const StoredLine> lines) {
  Columns columns;
  Duration before = lines.front().t;
  for (const StoredLine& line : lines) {
    columns.steps.push_back(static_cast<std::uint64_t>((line.t - before).count()));
    before = line.t;
    columns.links += static_cast<char>(line.link);
    columns.levels += static_cast<char>(columns.level_words.index(line.level));
    columns.threads += static_cast<char>(columns.thread_words.index(line.thread));
    columns.alarms += static_cast<char>(columns.alarm_words.index(line.alarm));
    columns.flags += static_cast<char>(line.flags);
  }
  return columns;
}

std::int64_t uptime_unit(std::span<const StoredLine> lines) {
  const bool whole_seconds = std::all_of(lines.begin(), lines.end(), [](const StoredLine& line) {
    return line.uptime_us.value_or(0) % kSecond_us == 0;
  });
  return whole_seconds ? kSecond_us : 1;
}

void put_dictionary(std::string& out, const Dictionary& dictionary) {
  put_varint(out, dictionary.ids().size());
  for (const std::int64_t id : dictionary.ids()) {
    put_varint(out, static_cast<std::uint64_t>(id));
  }
}

// Each part ends what the compressor has in hand, since its bytes look like those of no other.
std::string compressed(std::span<const std::string> parts) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::size_t total = 0;
  for (const std::string& part : parts) {
    total += part.size();
  }
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), total);
  std::string out(ZSTD_compressBound(total) + 64 * parts.size(), '\0');
  ZSTD_outBuffer into{out.data(), out.size(), 0};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ZSTD_inBuffer from{parts[i].data(), parts[i].size(), 0};
    const bool last = i + 1 == parts.size();
    if (ZSTD_compressStream2(context.get(), &into, &from, last ? ZSTD_e_end : ZSTD_e_flush) != 0) {
      throw std::runtime_error("zstd cannot compress a block of log lines");
    }
  }
  out.resize(into.pos);
  return out;
}

std::string decompressed(std::string_view data) {
  const unsigned long long size = ZSTD_getFrameContentSize(data.data(), data.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kMostContent_bytes) {
    damaged();
  }
  std::string content(static_cast<std::size_t>(size), '\0');
  const std::size_t got = ZSTD_decompress(content.data(), content.size(), data.data(), data.size());
  if (ZSTD_isError(got) != 0 || got != content.size()) {
    damaged();
  }
  return content;
}

Words read_words(ByteReader& in, const WordText& word) {
  Words words;
  const std::uint64_t count = in.varint();
  if (count > kMostWords) {
    damaged();
  }
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    words.add(static_cast<std::int64_t>(in.varint()), word);
  }
  return words;
}

std::size_t index_in(const Words& words, char index) {
  const auto i = static_cast<std::size_t>(static_cast<unsigned char>(index));
  if (i >= words.ids.size()) {
    damaged();
  }
  return i;
}

std::uint64_t from_planes(std::string_view bytes, std::size_t count, std::size_t i) {
  std::uint64_t number = 0;
  for (std::size_t at = i + (bytes.size() / count) * count; at >= count + i; at -= count) {
    number = number << 8U | static_cast<unsigned char>(bytes[at - count]);
  }
  return number;
}

}  // namespace

std::size_t lines_for_block(std::span<const StoredLine> lines) {
  Columns columns;
  std::size_t bytes = 0;
  std::size_t n = 0;
  for (const StoredLine& line : lines) {
    columns.level_words.index(line.level);
    columns.thread_words.index(line.thread);
    columns.alarm_words.index(line.alarm);
    bytes += line.text.size();
    const bool many_words = columns.level_words.ids().size() > kMostWords ||
                            columns.thread_words.ids().size() > kMostWords ||
                            columns.alarm_words.ids().size() > kMostWords;
    const bool far_away = n > 0 && (line.t - lines[n - 1].t).count() >> (8 * kMostWidth) != 0;
    if (n == kBlockLines || far_away || (n > 0 && (many_words || bytes > kBlockText_bytes))) {
      break;
    }
    ++n;
  }
  return n;
}

LogBlock pack_lines(std::span<const StoredLine> lines, const WordText& word) {
  LogBlock block{.first = lines.front().t,
                 .last = lines.back().t,
                 .lines = static_cast<std::int64_t>(lines.size()),
                 .data = {}};
  Columns columns = columns_of(lines);
  const Words levels = words_of(columns.level_words, word);
  const Words threads = words_of(columns.thread_words, word);
  const std::int64_t unit_us = uptime_unit(lines);
  LineWriter texts;
  std::size_t text_bytes = 0;
  std::int64_t uptime_before = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const StoredLine& line = lines[i];
    const LineContext context{levels.texts[index_in(levels, columns.levels[i])],
                              threads.texts[index_in(threads, columns.threads[i])], line.uptime_us};
    texts.add(line.text, context);
    text_bytes += line.text.size() + 1;
    put_varint(columns.body_offsets, zigzag(line.body_offset - head_length(context)));
    const std::int64_t uptime = line.uptime_us.value_or(0) / unit_us;
    put_varint(columns.uptimes, line.uptime_us ? zigzag(uptime - uptime_before) + 1 : 0);
    uptime_before = line.uptime_us ? uptime : uptime_before;
    block.flags |= line.flags;
    block.levels |= line.level == 0 ? 0 : word_bit(line.level);
    block.threads |= line.thread == 0 ? 0 : word_bit(line.thread);
  }
  const std::uint64_t longest = *std::max_element(columns.steps.begin(), columns.steps.end());
  const auto width = static_cast<unsigned>((std::bit_width(longest) + 7) / 8);

  std::string head;
  put_varint(head, lines.size());
  put_varint(head, text_bytes);
  put_varint(head, static_cast<std::uint64_t>(unit_us));
  put_dictionary(head, columns.level_words);
  put_dictionary(head, columns.thread_words);
  put_dictionary(head, columns.alarm_words);
  put_varint(head, width);
  for (const std::string* part :
       {&columns.uptimes, &columns.body_offsets, &texts.clocks, &texts.hex, &texts.numbers, &texts.text}) {
    put_varint(head, part->size());
  }
  const std::array parts{head + planes(columns.steps, width),
                         columns.links + columns.levels + columns.threads + columns.alarms + columns.flags +
                             columns.uptimes + columns.body_offsets + texts.clocks,
                         texts.hex, texts.numbers, texts.text};
  block.data = compressed(parts);
  return block;
}

void UnpackedBlock::unpack(std::string_view data, Duration first, const WordText& word) {
  content_ = decompressed(data);
  ByteReader in(content_);
  const std::uint64_t count = in.varint();
  const std::uint64_t text_bytes = in.varint();
  const std::uint64_t unit = in.varint();
  const Words levels = read_words(in, word);
  const Words threads = read_words(in, word);
  const Words alarms = read_words(in, word);
  const std::uint64_t width = in.varint();
  std::array<std::uint64_t, 6> sizes{};
  for (std::uint64_t& size : sizes) {
    size = in.varint();
  }
  if (!in.ok() || count == 0 || count > kBlockLines || width > kMostWidth ||
      text_bytes > kMostContent_bytes || (unit != 1 && unit != kSecond_us)) {
    damaged();
  }
  const auto n = static_cast<std::size_t>(count);
  const std::string_view steps = in.take(width * count);
  const std::string_view links = in.take(count);
  const std::string_view level_of = in.take(count);
  const std::string_view thread_of = in.take(count);
  const std::string_view alarm_of = in.take(count);
  const std::string_view flags = in.take(count);
  ByteReader uptimes(in.take(sizes[0]));
  ByteReader body_offsets(in.take(sizes[1]));
  const std::string_view clocks = in.take(sizes[2]);
  const std::string_view hex = in.take(sizes[3]);
  const std::string_view numbers = in.take(sizes[4]);
  LineReader texts(in.take(sizes[5]), hex, numbers, clocks);
  if (!in.ok() || !in.at_end()) {
    damaged();
  }

  lines_.resize(n);
  text_.resize(static_cast<std::size_t>(text_bytes));
  one_line_each_ = true;
  char* out = text_.data();
  char* const end = text_.data() + text_.size();
  Duration t = first;
  std::uint64_t uptime = 0;  // wraps as the damaged number it then is
  bool holds_newline = false;
  for (std::size_t i = 0; i < n; ++i) {
    StoredLine& line = lines_[i];
    t += Duration{static_cast<std::int64_t>(from_planes(steps, n, i))};
    const std::size_t level = index_in(levels, level_of[i]);
    const std::size_t thread = index_in(threads, thread_of[i]);
    line.t = t;
    line.link = static_cast<std::uint8_t>(links[i]);
    line.level = levels.ids[level];
    line.thread = threads.ids[thread];
    line.alarm = alarms.ids[index_in(alarms, alarm_of[i])];
    line.flags = static_cast<std::uint8_t>(flags[i]);
    const std::uint64_t coded = uptimes.varint();
    uptime += coded == 0 ? 0 : static_cast<std::uint64_t>(unzigzag(coded - 1));
    line.uptime_us = coded == 0 ? std::nullopt : std::optional{static_cast<std::int64_t>(uptime * unit)};
    const LineContext context{levels.texts[level], threads.texts[thread], line.uptime_us};
    line.body_offset = static_cast<std::uint16_t>(unzigzag(body_offsets.varint()) + head_length(context));
    char* const begin = out;
    out = texts.next(context, out, end, holds_newline);
    if (out == nullptr || out == end) {
      damaged();
    }
    line.text = {begin, static_cast<std::size_t>(out - begin)};
    *out++ = '\n';
  }
  if (out != end || !texts.ended() || !uptimes.ok() || !body_offsets.ok()) {
    damaged();
  }
  one_line_each_ = !holds_newline;
}

std::size_t UnpackedBlock::line_at(std::size_t byte) const {
  const char* const place = text_.data() + byte;
  const auto after =
      std::upper_bound(lines_.begin(), lines_.end(), place,
                       [](const char* at, const StoredLine& line) { return at < line.text.data(); });
  return static_cast<std::size_t>(after - lines_.begin()) - 1;
}

std::size_t UnpackedBlock::end_of(std::size_t line) const {
  const std::string_view text = lines_[line].text;
  return static_cast<std::size_t>(text.data() + text.size() - text_.data()) + 1;
}

}  // namespace leakhunt::storage
