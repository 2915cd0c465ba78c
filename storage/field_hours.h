// Keeps the hours of the telemetry fields (least, greatest, last value) up to date with their rows, within
// the transaction that writes those. Private to the writer.
//
// At any commit, all hours before the one that holds the newest own row of a (boot, variant) stand in
// `field_hour`; that one stands there only if its rows are gone.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/time.h"
#include "recorder/rows.h"
#include "storage/sqlite.h"
#include "storage/telemetry_columns.h"

namespace leakhunt::storage {

class FieldHours {
 public:
  explicit FieldHours(Connection& db);

  // An own row that has just been written: its values by column.
  using Values = std::vector<std::pair<std::size_t, double>>;
  void add(const TelemetryTable& table, recorder::BootId boot, Duration t, const Values& values);
  // The rows of the boot at and after `from` are no longer what they were.
  void made_anew(recorder::BootId boot, Duration from);
  // Builds the hours of all rows there are.
  void build_all();
  // Belongs before rows go: closes the boot's hours up to `until`, the last one too.
  void let_raw_go(recorder::BootId boot, Duration until);

  // Makes again what late rows fell into; belongs before each commit.
  void flush();
  // Forgets what a rolled back transaction had told.
  void forget();

 private:
  using Key = std::pair<recorder::Variant, recorder::BootId>;
  // One field within one hour.
  struct Figures {
    std::int64_t n = 0;
    double min = 0;
    double max = 0;
    double last = 0;
    void add(double value);
  };
  struct Run {
    std::int64_t open = 0;  // the hour of the newest row
    Duration newest{};
    std::vector<Figures> fields;  // of the open hour, by column
    bool in_order = true;         // else its rows must be read again
    std::set<std::int64_t> late;
  };
  struct Table {
    const TelemetryTable* table = nullptr;
    Statement rows, newest, newest_before;
    std::vector<std::int64_t> words;  // of the columns; 0 = not looked up yet
  };
  // As it was before the row at t, which is written already.
  [[nodiscard]] Run load(Table& table, recorder::BootId boot, Duration t);
  void close(Table& table, recorder::BootId boot, Run& run);
  void write(Table& table, recorder::BootId boot, std::int64_t hour, std::vector<Figures>& fields);
  // Hours [from, to) from rows.
  void build(Table& table, recorder::BootId boot, std::int64_t from, std::int64_t to);
  [[nodiscard]] std::int64_t word(Table& table, std::size_t column);

  Connection& db_;
  std::map<recorder::Variant, Table> tables_;
  std::map<Key, Run> runs_;
  Statement put_, remove_, last_hour_, find_word_, add_word_;
};

}  // namespace leakhunt::storage
