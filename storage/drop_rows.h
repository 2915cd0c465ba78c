// Takes the oldest rows of a kind out of a boot, a few at a time, after what is to stay of them has been
// written. Private to the writer: it opens and ends no transaction.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "recorder/rows.h"
#include "storage/field_hours.h"
#include "storage/retention.h"
#include "storage/rollups.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

// Which rows of which boot.
struct DropOrder {
  Kind kind{};
  recorder::DeviceId device{};
  recorder::BootId boot{};
  bool boot_is_over = false;
  Duration before{};  // rows at or after this time stay
};

struct DroppedRows {
  std::int64_t rows = 0;
  Duration until{};  // of the newest of them; unset without rows
};

class RowDropper {
 public:
  RowDropper(Connection& db, Rollups& rollups, FieldHours& field_hours);

  // Takes a few thousand rows at most: some milliseconds. No rows: nothing is left before that time. Throws
  // SqliteError.
  DroppedRows drop(const DropOrder& order);

 private:
  DroppedRows drop_text(const DropOrder& order);
  DroppedRows drop_heap(const DropOrder& order);
  DroppedRows drop_telemetry(const DropOrder& order);
  DroppedRows drop_minutes(const DropOrder& order);
  // Rows of a table whose key begins with `key` and ends with t_boot.
  DroppedRows drop_from(const std::string& table, const std::string& key,
                        const std::vector<std::int64_t>& values, Duration before);
  DroppedRows drop_blocks(const DropOrder& order);
  [[nodiscard]] std::vector<std::int64_t> series_of(recorder::DeviceId device);
  Statement& prepared(const std::string& sql);

  Connection& db_;
  Rollups& rollups_;
  FieldHours& field_hours_;
  std::map<std::string, Statement> statements_;
  std::map<recorder::BootId, Duration> text_from_;  // evidence stands before, which need not be passed again
};

}  // namespace leakhunt::storage
