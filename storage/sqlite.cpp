// The thin layer over SQLite's C interface: codes become exceptions, handles close themselves.
#include "storage/sqlite.h"

#include <sqlite3.h>

namespace leakhunt::storage {
namespace {

[[noreturn]] void fail_with(sqlite3* db, int code) {
  const int extended =
      db != nullptr && sqlite3_errcode(db) != SQLITE_OK ? sqlite3_extended_errcode(db) : code;
  std::string what =
      db != nullptr && sqlite3_errcode(db) != SQLITE_OK ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  throw SqliteError(extended, what);
}

// As a `file:` URI, in which some characters have a meaning of their own.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += c == '%' ? "%25" : (c == '?' ? "%3f" : "%23");
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(sqlite3* db, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &statement, nullptr);
  if (code != SQLITE_OK) {
    fail_with(db, code);
  }
  statement_.reset(statement);
}

void Statement::fail() const {
  sqlite3* db = sqlite3_db_handle(statement_.get());
  const SqliteError error(sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  sqlite3_reset(statement_.get());
  throw error;
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) {
    fail();
  }
}

Statement& Statement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), index + 1, value));
  return *this;
}

Statement& Statement::bind(int index, double value) {
  check(sqlite3_bind_double(statement_.get(), index + 1, value));
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  const char* data = text.data() == nullptr ? "" : text.data();
  check(sqlite3_bind_text64(statement_.get(), index + 1, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_blob(int index, std::string_view bytes) {
  check(sqlite3_bind_blob64(statement_.get(), index + 1, bytes.data(), bytes.size(), SQLITE_STATIC));
  return *this;
}

Statement& Statement::bind_null(int index) {
  check(sqlite3_bind_null(statement_.get(), index + 1));
  return *this;
}

Statement& Statement::bind(int index, std::optional<std::int64_t> value) {
  return value ? bind(index, *value) : bind_null(index);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code != SQLITE_DONE) {
    fail();
  }
  return false;
}

int Statement::run() {
  while (step()) {
  }
  reset();
  return sqlite3_changes(sqlite3_db_handle(statement_.get()));
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string_view Statement::text(int column) const {
  const void* data = sqlite3_column_text(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return data == nullptr ? std::string_view{} : std::string_view{static_cast<const char*>(data), size};
}

std::string_view Statement::blob(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return data == nullptr ? std::string_view{} : std::string_view{static_cast<const char*>(data), size};
}

std::optional<std::int64_t> Statement::maybe_integer(int column) const {
  return is_null(column) ? std::nullopt : std::optional{integer(column)};
}

void Connection::Close::operator()(sqlite3* db) const {
  sqlite3_close_v2(db);
}

Connection::Connection(const std::string& path, Mode mode) {
  const bool immutable = mode == Mode::immutable;
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (immutable ? SQLITE_OPEN_URI : 0) |
                    (mode == Mode::read_write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  sqlite3* db = nullptr;
  const int code =
      sqlite3_open_v2(immutable ? immutable_uri(path).c_str() : path.c_str(), &db, flags, nullptr);
  db_.reset(db);
  if (code != SQLITE_OK) {
    fail_with(db, code);
  }
}

void Connection::run(const std::string& sql) {
  const int code = sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    fail_with(db_.get(), code);
  }
}

std::int64_t Connection::integer(std::string_view sql) const {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

}  // namespace leakhunt::storage
