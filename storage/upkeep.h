// What a store needs beside new rows: old lines packed, rows of which enough is kept taken away. One step at
// a time, each short, so that no sample waits. Private to the writer: it opens and ends no transaction.
#pragma once

#include <optional>

#include "base/time.h"
#include "storage/keeper.h"
#include "storage/pack_logs.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

class Upkeep {
 public:
  Upkeep(Connection& db, Rollups& rollups, FieldHours& field_hours, Retention retention)
      : packer_(db), keeper_(db, rollups, field_hours, retention) {}

  // False: nothing to do, or nothing until some time has passed.
  [[nodiscard]] bool due(Mono now) const { return !next_look_ || now >= *next_look_; }
  // Does one thing; true when more waits to be done. Throws SqliteError.
  bool step(Moment now);
  // Comes back later: the store takes nothing.
  void put_off(Mono now);
  // What was found out about rows no longer holds.
  void forget() {
    packer_.forget();
    keeper_.forget();
  }
  [[nodiscard]] bool heap_below_floor() const { return keeper_.below_floor(); }

 private:
  LogPacker packer_;
  Keeper keeper_;
  std::optional<Mono> next_look_;
};

}  // namespace leakhunt::storage
