// Questions about the file to the reader, its structs to messages.
#include "answer/file_questions.h"

#include <optional>
#include <utility>

#include "answer/bounds.h"
#include "storage/lock.h"
#include "storage/reader.h"
#include "storage/vacuum.h"

namespace leakhunt::answer {
namespace {

void fill(v1::SqlValue& out, const storage::SqlValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) out.set_integer(*integer);
  if (const auto* real = std::get_if<double>(&value)) out.set_real(*real);
  if (const auto* text = std::get_if<std::string>(&value)) out.set_text(*text);
  if (const auto* blob = std::get_if<storage::Blob>(&value)) out.set_blob(blob->bytes);
}

v1::Answer rows_of(storage::Reader& reader, const v1::SqlQuestion& question, std::int64_t max_bytes) {
  storage::SqlLimits limits;
  limits.max_bytes = max_bytes;
  if (question.max_rows() > 0) limits.max_rows = question.max_rows();
  const storage::SqlResult result = reader.sql(question.statement(), limits);
  v1::Answer answer;
  v1::SqlRows& out = *answer.mutable_sql();
  for (const std::string& column : result.columns) out.add_columns(column);
  for (const auto& row : result.rows) {
    v1::SqlRow& added = *out.add_rows();
    for (const storage::SqlValue& value : row) fill(*added.add_values(), value);
  }
  out.set_cut(result.cut);
  return answer;
}

void fill(v1::Database& out, const storage::StoreInfo& info) {
  out.set_path(info.path);
  out.set_bytes(info.file_bytes);
  out.set_wal_bytes(info.wal_bytes);
  out.set_schema(info.schema);
  out.set_page_bytes(info.page_bytes);
  out.set_free_pages(info.free_pages);
}

Outcome back_up(storage::Reader& reader, const std::string& to, v1::Database& out) {
  if (!to.starts_with('/')) {
    return Error{ErrorCode::usage, "the file to write must have its whole path", to,
                 "such as /mnt/usb/leakhunt.db"};
  }
  const auto bytes = reader.copy_to(to);
  if (!bytes) return bytes.error();
  out.set_backup(to);
  out.set_backup_bytes(*bytes);
  return Done{};
}

Result<v1::Answer> answer_request(storage::Reader& reader, const v1::DatabaseRequest& request) {
  v1::Answer answer;
  v1::Database& out = *answer.mutable_database();
  fill(out, reader.info());
  switch (request.ask_case()) {
    case v1::DatabaseRequest::kInfo:
      for (const storage::TableSize& size : reader.table_sizes()) {
        v1::TableSize& table = *out.add_tables();
        table.set_table(size.table);
        table.set_rows(size.rows);
        table.set_bytes(size.bytes);
      }
      return answer;
    case v1::DatabaseRequest::kCheck:
      for (const std::string& problem : reader.check()) out.add_problems(problem);
      return answer;
    case v1::DatabaseRequest::kBackupTo:
      if (const auto done = back_up(reader, request.backup_to(), out); !done) return done.error();
      return answer;
    default:
      return Error{ErrorCode::usage, "unsupported request", "db", "check, backup, vacuum or info"};
  }
}

// Held while a backup is made of a file at rest. A folder that nobody may write needs none.
Result<std::optional<storage::FileLock>> lock_for_backup(const std::string& path) {
  auto lock = storage::FileLock::acquire(path, "leakhuntctl db backup");
  if (lock) return std::optional{*std::move(lock)};
  if (storage::FileLock::held(path)) return lock.error();
  return std::optional<storage::FileLock>{};
}

}  // namespace

bool is_for_file(const v1::Question& question) {
  return question.has_sql() || question.has_database();
}

Result<v1::Answer> answer_of_file(storage::Reader& reader, const v1::Question& question,
                                  std::int64_t max_bytes) {
  auto answer = question.has_sql() ? Result<v1::Answer>{rows_of(reader, question.sql(), max_bytes)}
                                   : answer_request(reader, question.database());
  if (answer) repair_text(*answer);
  return answer;
}

Result<v1::Answer> answer_of_file(const std::string& path, const v1::Question& question) {
  using storage::Reading;
  if (question.database().has_vacuum()) {
    const auto done = storage::vacuum(path);
    if (!done) return done.error();
    return vacuumed(path, done->bytes_before, done->bytes_after);
  }
  std::optional<storage::FileLock> lock;
  if (question.database().has_backup_to()) {
    auto held = lock_for_backup(path);
    if (!held) return held.error();
    lock = *std::move(held);
  }
  auto reader = storage::open_for_reading(path, question.has_sql() ? Reading::once : Reading::as_it_is);
  if (!reader) return reader.error();
  try {
    return answer_of_file(*reader, question, kOfflineRowBytes);
  } catch (const storage::ReadFailed& failed) {
    return failed.error();
  }
}

v1::Answer vacuumed(const std::string& path, std::int64_t bytes_before, std::int64_t bytes_after) {
  v1::Answer answer;
  v1::Database& out = *answer.mutable_database();
  out.set_path(path);
  out.set_bytes_before(bytes_before);
  out.set_bytes(bytes_after);
  return answer;
}

}  // namespace leakhunt::answer
