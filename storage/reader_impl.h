// What the parts of the reader share: the connection, its deadline, and reading a key page by page. Private.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/boots.h"
#include "storage/reader.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

// A private folder that goes with its owner.
class PrivateFolder {
 public:
  explicit PrivateFolder(std::filesystem::path path) : path_(std::move(path)) {}
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class Reader::Impl {
 public:
  // `schema`: of the file at `path`, which `db` may be a newer copy of.
  Impl(std::string path, std::int64_t schema, Connection db, std::unique_ptr<PrivateFolder> copy);

  // Runs the question; SQLite's errors become ReadFailed.
  template <class Question>
  auto ask(const Question& question) {
    try {
      check_time();
      return question();
    } catch (const SqliteError& error) {
      throw ReadFailed(explain(error));
    }
  }
  // Throws ReadFailed when the deadline is over or the reader was interrupted.
  void check_time() const;
  [[nodiscard]] bool out_of_time() const;

  // Rows of a range in pages, each a read transaction of its own. The statement's parameters 1 to 3 are boot,
  // from, to, and the last one (index `limit`) the size of a page; its column 0 is t_boot. The statement
  // orders by t_boot, downwards if `down`. `on_row(t)` returns nothing; `on_page()` false ends the reading,
  // and is called outside the transaction.
  template <class OnRow, class OnPage>
  bool scan(Statement& rows, BootRange range, int limit, bool down, const OnRow& on_row,
            const OnPage& on_page) {
    for (bool more = true; more;) {
      check_time();
      rows.bind(0, static_cast<std::int64_t>(range.boot));
      rows.bind(1, range.from.count()).bind(2, range.to.count()).bind(limit, kPageRows);
      std::int64_t n = 0;
      Duration t{};
      for (; rows.step(); ++n) {
        t = Duration{rows.integer(0)};
        on_row(t);
      }
      rows.reset();
      (down ? range.to : range.from) = down ? t : t + Duration{1};
      more = n == kPageRows;
      if (!on_page()) {
        return false;
      }
    }
    return true;
  }

  // Rows of a table with key (boot, t_boot) in the window; `make` turns the statement into a T, whose column
  // 0 is t_boot.
  template <class T, class Make>
  std::vector<Stamped<T>> timed(recorder::DeviceId device, const Window& window, const std::string& columns,
                                const std::string& table, const Make& make) {
    return ask([&] {
      std::vector<Stamped<T>> found;
      Statement rows =
          db_.prepare("SELECT t_boot, " + columns + " FROM " + table +
                      " WHERE boot = ?1 AND t_boot >= ?2 AND t_boot < ?3 ORDER BY t_boot LIMIT ?4");
      for (const BootRange& range : window_ranges(device, window)) {
        scan(
            rows, range, 3, false,
            [&](Duration t) {
              found.push_back({make(rows, recorder::BootTime{range.boot, t}), range.utc_zero + t});
            },
            [] { return true; });
      }
      return found;
    });
  }

  [[nodiscard]] std::vector<BootSpan> spans(recorder::DeviceId device, const Window& window);
  [[nodiscard]] std::vector<BootRange> window_ranges(recorder::DeviceId device, const Window& window);
  [[nodiscard]] const std::string& word(std::int64_t id);
  [[nodiscard]] std::string word_or_empty(const std::optional<std::int64_t>& id);
  // The ids of those words the store knows.
  [[nodiscard]] std::vector<std::int64_t> word_ids(const std::vector<std::string>& words);

  // What figures() and parts() make of the pieces of a window.
  class Adding;
  class Collecting;

  static constexpr std::int64_t kPageRows = 16384;

  std::string path_;
  std::int64_t schema_;
  std::atomic<bool> interrupted_{false};
  std::atomic<std::chrono::steady_clock::time_point> deadline_{std::chrono::steady_clock::time_point::max()};
  std::unique_ptr<PrivateFolder> copy_;
  Connection db_;

 private:
  [[nodiscard]] Error explain(const SqliteError& error) const;
  [[nodiscard]] Error time_error() const;
  [[nodiscard]] std::vector<recorder::AnchorRow> anchors(recorder::BootId boot);
  [[nodiscard]] Extent extent(const recorder::BootRow& boot, bool settled);

  ExtentQuery extents_;
  std::map<recorder::BootId, Extent> settled_;  // boots that get no more rows
  std::map<std::int64_t, std::string> words_;
  Statement find_anchors_, find_word_, find_word_id_;
};

}  // namespace leakhunt::storage
