// Turns lines older than a day into blocks, and blocks back into lines where their times change. Private to
// the writer: it opens and ends no transaction.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <vector>

#include "base/time.h"
#include "recorder/rows.h"
#include "storage/log_block.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

// Lines stay rows for so long.
inline constexpr Duration kPackAfter = std::chrono::hours{24};

class LogPacker {
 public:
  explicit LogPacker(Connection& db);

  // Packs one block at most, or looks for one no longer than a few milliseconds; false when nothing can be
  // packed for now. Throws SqliteError.
  bool step(Utc now);
  // What was found out about boots no longer holds.
  void forget();

 private:
  struct Boot {
    std::int64_t id = 0;
    std::int64_t old_before = 0;  // t of a line of just that age
    bool ended = false;
  };
  bool next_boot(Utc now, Boot& boot);
  bool pack(const Boot& boot);
  std::size_t read_lines(const Boot& boot, std::int64_t after);
  void write_block(const Boot& boot, std::size_t count);

  Connection& db_;
  Statement boots_, packed_to_, lines_, newer_, word_, insert_, delete_;
  std::int64_t last_boot_ = 0;   // of this round
  std::set<std::int64_t> done_;  // boots that have nothing to pack and get no more lines
  std::vector<StoredLine> read_;
  std::vector<std::string> texts_;
};

// Makes rows of every block of the boot that has lines at or after `since`.
void unpack_lines(Connection& db, recorder::BootId boot, Duration since);

}  // namespace leakhunt::storage
