// Log lines of a boot part by part, out of plain rows and packed blocks as if all were rows. Private to those
// who read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "storage/line_search.h"
#include "storage/log_block.h"
#include "storage/spans.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

// `log.flags`.
inline constexpr std::uint8_t kTellsHeap = 1;
inline constexpr std::uint8_t kEvidence = 2;  // such a line is never packed
inline constexpr std::uint8_t kAlarm = 4;

// The columns t_boot, link, level, thread, flags, alarm, body_offset, uptime_us, text of a row of `log`, in
// this order; its text is valid until the statement's next step.
inline constexpr const char* kLineColumns =
    "t_boot, link, level, thread, flags, alarm, body_offset, uptime_us, text";
[[nodiscard]] StoredLine stored_line(const Statement& row);

struct LineFilter {
  std::uint8_t flags = 0;  // all of these
  bool any_flag = false;
  bool by_level = false;
  bool by_thread = false;
  std::vector<std::int64_t> levels{};  // ids of words
  std::vector<std::int64_t> threads{};
  const LineSearch* search = nullptr;  // must outlive the reading

  // Whether the columns pass; the text is not looked at.
  [[nodiscard]] bool passes(const StoredLine& line) const;
};

class LogPages {
 public:
  // `down`: the newest first. The connection must outlive this.
  LogPages(const Connection& db, LineFilter filter, bool down, WordText word);

  // Reads the part of the range that comes next and takes it off `range`; false when nothing is left of it.
  // One read transaction of well under a second, over when this returns.
  bool next(BootRange& range);
  // Those of that part that pass, in the order asked for; valid until the next part.
  [[nodiscard]] std::span<const StoredLine> lines() const { return lines_; }

 private:
  // Narrows `part` to the rows of one page and one block; the block's data is kept when it lies in it.
  void read_part(BootRange& part);
  bool step_block(const BootRange& part);
  void read_rows(BootRange& part);
  void read_block(const BootRange& part);
  void take_block_line(const StoredLine& line);
  void merge();

  LineFilter filter_;
  bool down_;
  WordText word_;
  Statement rows_, blocks_;
  std::vector<StoredLine> plain_, packed_, lines_;
  std::string plain_text_;
  std::string data_;  // of the block in `block_`, or to be unpacked
  std::string unpacked_data_;
  Duration block_first_{};
  bool has_block_ = false;
  UnpackedBlock block_;
};

}  // namespace leakhunt::storage
