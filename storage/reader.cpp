// The core of the reader: time limits, devices and boots, and the small tables.
#include "storage/reader.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "storage/log_table.h"
#include "storage/reader_impl.h"
#include "storage/schema.h"

namespace leakhunt::storage {
namespace {

std::int64_t number(recorder::DeviceId device) {
  return static_cast<std::int64_t>(device);
}

std::int64_t size_of(const std::string& path) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  return ignored ? 0 : static_cast<std::int64_t>(size);
}

}  // namespace

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Reader::Impl::Impl(std::string path, std::int64_t schema, Connection db, std::unique_ptr<PrivateFolder> copy)
    : path_(std::move(path)),
      schema_(schema),
      copy_(std::move(copy)),
      db_(std::move(db)),
      extents_(db_),
      find_anchors_(db_.prepare(std::string{"SELECT "} + kAnchorColumns +
                                " FROM anchor WHERE boot = ?1 ORDER BY since")),
      find_word_(db_.prepare("SELECT text FROM word WHERE id = ?1")),
      find_word_id_(db_.prepare("SELECT id FROM word WHERE text = ?1")) {
  add_log_lines(db_);
  constexpr int steps_between_looks = 2000;
  sqlite3_progress_handler(
      db_.raw(), steps_between_looks,
      [](void* self) { return static_cast<const Impl*>(self)->out_of_time() ? 1 : 0; }, this);
}

bool Reader::Impl::out_of_time() const {
  return interrupted_.load(std::memory_order_relaxed) || std::chrono::steady_clock::now() > deadline_.load();
}

Error Reader::Impl::time_error() const {
  if (interrupted_.load(std::memory_order_relaxed)) {
    return {ErrorCode::failed, "the question was interrupted", path_, "ask again"};
  }
  return {ErrorCode::failed, "the question took too long", path_, "ask for a shorter window"};
}

void Reader::Impl::check_time() const {
  if (out_of_time()) {
    throw ReadFailed(time_error());
  }
}

Error Reader::Impl::explain(const SqliteError& error) const {
  switch (error.primary()) {
    case SQLITE_INTERRUPT:
      return time_error();
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::unreachable, std::string{"the store is damaged: "} + error.what(), path_,
              "`sqlite3 FILE 'PRAGMA integrity_check'` tells more"};
    case SQLITE_BUSY:
      return {ErrorCode::unreachable, "another program holds the store", path_, "try again"};
    default:
      return {ErrorCode::failed, std::string{"cannot read the store: "} + error.what(), path_,
              "check the disk"};
  }
}

std::vector<recorder::AnchorRow> Reader::Impl::anchors(recorder::BootId boot) {
  std::vector<recorder::AnchorRow> found;
  find_anchors_.reset();
  find_anchors_.bind(0, static_cast<std::int64_t>(boot));
  while (find_anchors_.step()) {
    found.push_back(anchor_from(find_anchors_));
  }
  find_anchors_.reset();
  return found;
}

Extent Reader::Impl::extent(const recorder::BootRow& boot, bool settled) {
  if (const auto found = settled_.find(boot.id); found != settled_.end()) {
    return found->second;
  }
  const Extent extent = extents_.of(boot).value_or(Extent{});
  if (settled) {
    settled_.emplace(boot.id, extent);
  }
  return extent;
}

std::vector<BootSpan> Reader::Impl::spans(recorder::DeviceId device, const Window& window) {
  std::vector<recorder::BootRow> boots;
  Statement rows =
      db_.prepare(std::string{"SELECT "} + kBootColumns + " FROM boot WHERE device = ?1 ORDER BY id");
  rows.bind(0, number(device));
  while (rows.step()) {
    boots.push_back(boot_from(rows));
  }
  rows.reset();
  std::vector<BootSpan> found;
  // Rows may still join the last boot, or move from the one before it.
  constexpr std::size_t unsettled = 2;
  for (std::size_t i = 0; i < boots.size(); ++i) {
    check_time();
    const Extent extent = this->extent(boots[i], i + unsettled < boots.size());
    BootSpan span{boots[i], anchors(boots[i].id), extent.first, extent.last, {}, {}};
    span.began = span.utc(Duration{});
    span.ended = span.utc(span.last_t);
    if (!ranges(span, window).empty()) {
      found.push_back(std::move(span));
    }
  }
  return found;
}

std::vector<BootRange> Reader::Impl::window_ranges(recorder::DeviceId device, const Window& window) {
  return ranges(spans(device, window), window);
}

const std::string& Reader::Impl::word(std::int64_t id) {
  const auto found = words_.find(id);
  if (found != words_.end()) {
    return found->second;
  }
  constexpr std::size_t enough_words = 4096;
  if (words_.size() >= enough_words) {
    words_.clear();
  }
  find_word_.bind(0, id);
  std::string text = find_word_.step() ? std::string{find_word_.text(0)} : std::string{};
  find_word_.reset();
  return words_.emplace(id, std::move(text)).first->second;
}

std::string Reader::Impl::word_or_empty(const std::optional<std::int64_t>& id) {
  return id ? word(*id) : std::string{};
}

std::vector<std::int64_t> Reader::Impl::word_ids(const std::vector<std::string>& words) {
  std::vector<std::int64_t> ids;
  for (const std::string& text : words) {
    find_word_id_.bind(0, text);
    if (find_word_id_.step()) {
      ids.push_back(find_word_id_.integer(0));
    }
    find_word_id_.reset();
  }
  return ids;
}

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

void Reader::set_deadline(std::chrono::steady_clock::time_point deadline) {
  impl_->deadline_ = deadline;
}

void Reader::clear_deadline() {
  impl_->deadline_ = std::chrono::steady_clock::time_point::max();
}

void Reader::interrupt() {
  impl_->interrupted_ = true;
}

std::vector<recorder::DeviceRow> Reader::devices() {
  return impl_->ask([&] {
    std::vector<recorder::DeviceRow> devices;
    Statement rows = impl_->db_.prepare("SELECT id, name FROM device ORDER BY id");
    while (rows.step()) {
      devices.push_back({recorder::DeviceId{rows.integer(0)}, std::string{rows.text(1)}});
    }
    return devices;
  });
}

std::vector<recorder::IdentityRow> Reader::identities(recorder::DeviceId device) {
  return impl_->ask([&] {
    std::vector<recorder::IdentityRow> identities;
    Statement rows = impl_->db_.prepare(std::string{"SELECT "} + kIdentityColumns +
                                        " FROM identity WHERE device = ?1 ORDER BY id");
    rows.bind(0, number(device));
    while (rows.step()) {
      identities.push_back(identity_from(rows));
    }
    return identities;
  });
}

std::vector<BootSpan> Reader::boots(recorder::DeviceId device, const Window& window) {
  return impl_->ask([&] { return impl_->spans(device, window); });
}

std::optional<Utc> Reader::newest(recorder::DeviceId device) {
  return impl_->ask([&]() -> std::optional<Utc> {
    // What the recorder itself noted (a link it closed) says nothing of how far the device's record goes.
    Statement rows = impl_->db_.prepare(
        "SELECT coalesce(max(CASE WHEN kind <> 'events' THEN newest_us END), max(newest_us)) "
        "FROM stream WHERE device = ?1");
    rows.bind(0, number(device));
    if (!rows.step() || rows.is_null(0)) {
      return std::nullopt;
    }
    return Utc{rows.integer(0)};
  });
}

StoreInfo Reader::info() {
  return impl_->ask([&] {
    const Connection& db = impl_->db_;
    StoreInfo info;
    info.path = impl_->path_;
    info.file_bytes = size_of(impl_->path_);
    info.wal_bytes = size_of(impl_->path_ + "-wal");
    info.page_bytes = db.integer("PRAGMA page_size");
    info.pages = db.integer("PRAGMA page_count");
    info.free_pages = db.integer("PRAGMA freelist_count");
    info.schema = impl_->schema_;
    Statement heartbeat = db.prepare("SELECT utc_us FROM heartbeat");
    if (heartbeat.step()) {
      info.heartbeat = Utc{heartbeat.integer(0)};
    }
    return info;
  });
}

}  // namespace leakhunt::storage
