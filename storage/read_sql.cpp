// A statement that somebody else wrote: it may read, and nothing else, and not for ever.
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "storage/reader_impl.h"

namespace leakhunt::storage {
namespace {

constexpr std::array<std::string_view, 17> kReadingPragmas{
    "application_id", "auto_vacuum", "collation_list", "encoding",    "foreign_key_list", "freelist_count",
    "function_list",  "index_info",  "index_list",     "index_xinfo", "page_count",       "page_size",
    "schema_version", "table_info",  "table_list",     "table_xinfo", "user_version"};
// Of these a value in brackets names a table; of the others it would be a new value.
constexpr std::string_view kTakeAName =
    "foreign_key_list index_info index_list index_xinfo table_info table_list table_xinfo";
constexpr std::array<std::string_view, 6> kOutside{"load_extension", "readfile",       "writefile",
                                                   "edit",           "fts3_tokenizer", "lsdir"};

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return same_word(w, word); });
}

bool pragma_reads(const char* name, const char* value) {
  if (name == nullptr || !among(kReadingPragmas, name)) return false;
  return value == nullptr || kTakeAName.find(name) != std::string_view::npos;
}

int authorize(void* /*unused*/, int action, const char* first, const char* second, const char* /*database*/,
              const char* /*view*/) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return second != nullptr && among(kOutside, second) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_UPDATE:
      // Asked when a table such as pragma_table_list is met for the first time; it does not happen.
      return first != nullptr && same_word(first, "sqlite_master") ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
      return pragma_reads(first, second) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

// Holds others' statements to reading while this lives.
class Guarded {
 public:
  explicit Guarded(sqlite3* db) : db_(db) {
    constexpr int longest_value = 16 << 20;
    constexpr int longest_statement = 1 << 20;
    length_ = sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, longest_value);
    statement_ = sqlite3_limit(db_, SQLITE_LIMIT_SQL_LENGTH, longest_statement);
    sqlite3_set_authorizer(db_, authorize, nullptr);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() {
    sqlite3_set_authorizer(db_, nullptr, nullptr);
    sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, length_);
    sqlite3_limit(db_, SQLITE_LIMIT_SQL_LENGTH, statement_);
  }

 private:
  sqlite3* db_;
  int length_ = 0;
  int statement_ = 0;
};

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

Error refused(const std::string& what) {
  return {ErrorCode::usage, what, "sql",
          "one statement that only reads, such as SELECT; docs/storage.md tells the tables"};
}

// SQLite's words alone tell neither that a statement may not be run nor what may.
Error error_of(sqlite3* db, int code) {
  const int primary = code & 0xff;
  if (primary == SQLITE_AUTH)
    return refused("this statement does more than read the store (" + std::string{sqlite3_errmsg(db)} + ")");
  return {ErrorCode::usage, sqlite3_errmsg(db), "sql", ""};
}

bool is_blank(const char* text) {
  return text == nullptr || std::string_view{text}.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

Prepared prepare(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size()), &raw, &rest);
  Prepared statement(raw);
  if (code != SQLITE_OK) throw ReadFailed(error_of(db, code));
  if (!statement) throw ReadFailed(refused("there is no statement"));
  // What follows may be a comment: then it is no statement either.
  while (!is_blank(rest)) {
    const int more = sqlite3_prepare_v2(db, rest, -1, &raw, &rest);
    const Prepared second(raw);
    if (more != SQLITE_OK || second) throw ReadFailed(refused("there is more than one statement"));
  }
  if (sqlite3_stmt_readonly(statement.get()) == 0) throw ReadFailed(refused("this statement writes"));
  return statement;
}

SqlValue value_of(sqlite3_stmt* statement, int column) {
  const auto bytes = [&](const void* data) {
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    return data == nullptr ? std::string{} : std::string{static_cast<const char*>(data), size};
  };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT:
      return bytes(sqlite3_column_text(statement, column));
    case SQLITE_BLOB:
      return Blob{bytes(sqlite3_column_blob(statement, column))};
    default:
      return std::monostate{};
  }
}

std::int64_t size_of(const SqlValue& value) {
  constexpr std::int64_t number = 12;  // about what it takes in a message
  if (const auto* text = std::get_if<std::string>(&value))
    return number + static_cast<std::int64_t>(text->size());
  if (const auto* blob = std::get_if<Blob>(&value))
    return number + static_cast<std::int64_t>(blob->bytes.size());
  return number;
}

}  // namespace

SqlResult Reader::sql(const std::string& statement, const SqlLimits& limits) {
  sqlite3* db = impl_->db_.raw();
  impl_->check_time();
  const Guarded guarded(db);
  const Prepared rows = prepare(db, statement);
  SqlResult result;
  const int columns = sqlite3_column_count(rows.get());
  for (int i = 0; i < columns; ++i) {
    const char* name = sqlite3_column_name(rows.get(), i);
    result.columns.emplace_back(name == nullptr ? "" : name);
  }
  std::int64_t bytes = 0;
  int code = SQLITE_OK;
  while ((code = sqlite3_step(rows.get())) == SQLITE_ROW) {
    std::vector<SqlValue> row;
    for (int i = 0; i < columns; ++i) {
      row.push_back(value_of(rows.get(), i));
      bytes += size_of(row.back());
    }
    if (static_cast<std::int64_t>(result.rows.size()) == limits.max_rows || bytes > limits.max_bytes) {
      result.cut = true;
      return result;
    }
    result.rows.push_back(std::move(row));
  }
  if (code == SQLITE_DONE) return result;
  impl_->check_time();  // an interruption has its own words
  throw ReadFailed(error_of(db, code));
}

}  // namespace leakhunt::storage
