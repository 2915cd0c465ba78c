// The least any program has to do for the rows of a store: bind and step, with words, series and places known
// beforehand. The measure the whole path is held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "storage/sqlite.h"

namespace leakhunt::bench {

class BareRows {
 public:
  // Reads every row that has a place in a boot's time: samples, log lines, telemetry, packets, ...
  explicit BareRows(const std::string& path);

  // Makes the rows these refer to (devices, boots, series, words) in an empty store.
  void prepare(storage::Connection& db) const;
  // Inserts all in the order of their arrival, `batch` to a transaction.
  void insert(storage::Connection& db, std::size_t batch) const;
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
  struct Table {
    std::string name;
    std::vector<std::string> types;  // of its columns
  };
  struct Row {
    std::int64_t boot = 0;
    std::int64_t t = 0;
    std::size_t table = 0;
    std::size_t first_value = 0;
  };
  void load(const storage::Connection& db, std::size_t table);

  std::string path_;
  std::vector<Table> tables_;
  std::vector<Row> rows_;
  std::vector<Value> values_;
};

}  // namespace leakhunt::bench
