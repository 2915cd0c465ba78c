// A connection and a prepared statement of SQLite as values that close themselves. Knows no table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace leakhunt::storage {

// What SQLite answered when it could not do a thing. `code` is the extended result code.
class SqliteError : public std::runtime_error {
 public:
  SqliteError(int code, const std::string& what) : std::runtime_error(what), code_(code) {}
  [[nodiscard]] int code() const { return code_; }
  // The primary code: SQLITE_BUSY, SQLITE_FULL, ...
  [[nodiscard]] int primary() const { return code_ & 0xff; }

 private:
  int code_;
};

// A prepared statement. Parameters and columns count from 0 in the order they stand in the SQL.
class Statement {
 public:
  Statement() = default;
  Statement(sqlite3* db, std::string_view sql);

  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, double value);
  // The text must live until the statement is reset.
  Statement& bind(int index, std::string_view text);
  Statement& bind_blob(int index, std::string_view bytes);
  Statement& bind_null(int index);
  Statement& bind(int index, std::optional<std::int64_t> value);

  // True when a row is there, false at the end; throws SqliteError.
  bool step();
  // Steps to the end and resets, for a statement without rows; returns the number of rows changed.
  int run();
  void reset();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  // Valid until the next step or reset.
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::string_view blob(int column) const;
  [[nodiscard]] std::optional<std::int64_t> maybe_integer(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  [[noreturn]] void fail() const;
  void check(int code) const;

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// An open database file.
class Connection {
 public:
  // immutable: nobody writes the file, so no lock and no -shm is needed.
  enum class Mode { read_only, immutable, read_write };

  Connection() = default;
  // Never creates the file. Throws SqliteError.
  Connection(const std::string& path, Mode mode);

  // Runs statements that return nothing.
  void run(const std::string& sql);
  [[nodiscard]] Statement prepare(std::string_view sql) const { return {db_.get(), sql}; }
  // The one integer a query returns, or 0 when it returns none.
  [[nodiscard]] std::int64_t integer(std::string_view sql) const;
  [[nodiscard]] sqlite3* raw() const { return db_.get(); }
  [[nodiscard]] explicit operator bool() const { return db_ != nullptr; }

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  std::unique_ptr<sqlite3, Close> db_;
};

}  // namespace leakhunt::storage
