// Folder, rows and openers of the storage tests.
#include "tests/storage/support.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <stdexcept>

#include "storage/sqlite.h"

namespace leakhunt::storage::testing {

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "leakhunt-storage-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no temporary folder");
  }
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Writer writer_of(const std::string& path, const Clock& clock, WriterOptions options) {
  Result<Store> store = open_for_writing(path, {.busy_timeout = std::chrono::milliseconds{10}});
  if (!store) {
    throw std::runtime_error(store.error().line());
  }
  return {*std::move(store), clock, options};
}

Reader reader_of(const std::string& path) {
  Result<Reader> reader = open_for_reading(path);
  if (!reader) {
    throw std::runtime_error(reader.error().line());
  }
  return *std::move(reader);
}

recorder::BootRow boot_row(recorder::BootId boot) {
  recorder::BootRow row;
  row.id = boot;
  row.device = kDevice;
  row.identity = kIdentity;
  return row;
}

recorder::AnchorRow anchor_row(recorder::BootId boot, Utc utc_zero, Duration since) {
  return {boot, "host-boot", since, Mono{0}, utc_zero};
}

std::vector<recorder::Row> beginnings(recorder::BootId boot) {
  return {recorder::DeviceRow{kDevice, "bench1"},
          recorder::IdentityRow{kIdentity, kDevice, kNode, "Bench One", "B1", 43, kBootUtc}, boot_row(boot),
          anchor_row(boot, kBootUtc)};
}

recorder::SampleRow sample_row(recorder::BootId boot, Duration t, std::int64_t value,
                               recorder::Source source) {
  return {kDevice, kIdentity, recorder::HeapField::heap_free_bytes, source, {boot, t}, value, false};
}

recorder::LogRow log_row(recorder::BootId boot, Duration t, const std::string& text) {
  recorder::LogRow row;
  row.device = kDevice;
  row.at = {boot, t};
  row.level = "INFO";
  row.thread = "Router";
  row.text = text;
  return row;
}

std::string integrity(const std::string& path) {
  const Connection db(path, Connection::Mode::read_write);
  Statement check = db.prepare("PRAGMA integrity_check");
  return check.step() ? std::string{check.text(0)} : "no answer";
}

std::int64_t number_in(const std::string& path, const std::string& sql) {
  return Connection(path, Connection::Mode::read_write).integer(sql);
}

std::vector<std::string> tables_of(const std::string& path) {
  const Connection db(path, Connection::Mode::read_write);
  Statement query = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  std::vector<std::string> names;
  while (query.step()) names.emplace_back(query.text(0));
  return names;
}

std::map<std::string, std::vector<std::string>> contents(const std::string& path) {
  std::map<std::string, std::vector<std::string>> all;
  const Connection db(path, Connection::Mode::read_write);
  for (const std::string& table : tables_of(path)) {
    if (table == "word" || table == "heartbeat") continue;
    std::string columns;
    Statement info = db.prepare("SELECT name FROM pragma_table_info('" + table + "')");
    while (info.step()) {
      columns += (columns.empty() ? "quote(" : "||' '||quote(") + std::string{info.text(0)} + ")";
    }
    Statement rows = db.prepare("SELECT " + columns + " AS line FROM " + table + " ORDER BY line");
    std::vector<std::string>& lines = all[table];
    while (rows.step()) lines.emplace_back(rows.text(0));
  }
  return all;
}

}  // namespace leakhunt::storage::testing
