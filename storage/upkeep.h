// What a store needs beside new rows: old lines packed. One step at a time, each short, so that no sample
// waits. Private to the writer: it opens and ends no transaction.
#pragma once

#include <optional>

#include "base/time.h"
#include "storage/pack_logs.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

class Upkeep {
 public:
  explicit Upkeep(Connection& db) : packer_(db) {}

  // False: nothing to do, or nothing until some time has passed.
  [[nodiscard]] bool due(Mono now) const { return !next_look_ || now >= *next_look_; }
  // Does one thing; true when more waits to be done. Throws SqliteError.
  bool step(Moment now);
  // Comes back later: the store takes nothing.
  void put_off(Mono now);
  // What was found out about rows no longer holds.
  void forget() { packer_.forget(); }

 private:
  LogPacker packer_;
  std::optional<Mono> next_look_;
};

}  // namespace leakhunt::storage
