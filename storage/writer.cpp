// Batches as transactions: what is synced when, and what a failure means.
#include "storage/writer.h"

#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "storage/definitions.h"
#include "storage/row_writer.h"
#include "storage/upkeep.h"
#include "storage/wal.h"

namespace leakhunt::storage {
namespace {

using recorder::Row;

struct Explanation {
  WriteTrouble::Kind kind;
  const char* hint;
};

Explanation explain(int primary) {
  using Kind = WriteTrouble::Kind;
  switch (primary) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Kind::busy, "another program holds the file; recording goes on in memory until it lets go"};
    case SQLITE_FULL:
      return {Kind::full, "free some space; recording goes on in memory until there is some"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return {Kind::read_only,
              "make the file and its folder writable; recording goes on in memory until then"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {Kind::corrupt, "the file is put aside and a new one begun"};
    case SQLITE_IOERR:
      return {Kind::io, "check the disk; recording goes on in memory and is tried again"};
    default:
      return {Kind::other, "recording goes on in memory and is tried again"};
  }
}

bool forgets(const Row& row) {
  return std::holds_alternative<recorder::ForgetDevice>(row);
}

bool row_is_to_blame(const SqliteError& error) {
  return error.primary() == SQLITE_CONSTRAINT || error.primary() == SQLITE_MISMATCH ||
         error.primary() == SQLITE_TOOBIG;
}

}  // namespace

class Writer::Impl {
 public:
  Impl(Store store, const Clock& clock, WriterOptions options)
      : store_(std::move(store)), clock_(clock), options_(options) {
    prepare();
    if (const auto state = store_.load_state()) {
      definitions_.load(*state);
    }
  }

  Outcome write(std::span<const Row> rows) {
    if (!store_.connection() && trouble_) {
      return trouble_->error;  // of begin_anew
    }
    if (!store_.in_place()) {
      trouble_ =
          WriteTrouble{WriteTrouble::Kind::gone,
                       {ErrorCode::failed, "the file of the store was removed or replaced while in use",
                        store_.path(), "a new one is begun; stop leakhuntd before you move its store"}};
      return trouble_->error;
    }
    const Moment now = clock_.now();
    const bool due = unsynced_since_ && now.mono - *unsynced_since_ >= options_.durable_interval;
    const bool sync = due || is_blank_ || options_.durable_interval <= Duration{0} ||
                      std::any_of(rows.begin(), rows.end(), recorder::must_be_durable);
    if (rows.empty() && !sync) {
      return Done{};
    }
    return attempt([&] { commit(rows, sync, now); });
  }

  bool tend() {
    const Moment now = clock_.now();
    if (!upkeep_ || trouble_ || is_blank_ || !upkeep_->due(now.mono) || !store_.in_place()) {
      return false;
    }
    bool more = false;
    const Outcome done = attempt([&] {
      set_synchronous(false);
      set_foreign_keys(true);
      begin_.run();
      const int before = sqlite3_total_changes(store_.connection().raw());
      more = upkeep_->step(now);
      const bool changed = sqlite3_total_changes(store_.connection().raw()) != before;
      commit_.run();
      if (changed && !unsynced_since_) {
        unsynced_since_ = now.mono;
      }
    });
    if (!done && trouble_->kind != WriteTrouble::Kind::corrupt) {
      trouble_.reset();  // rows may well be taken; they will tell
      upkeep_->put_off(now.mono);
    }
    return done && more;
  }

  [[nodiscard]] bool heap_below_floor() const { return upkeep_ && upkeep_->heap_below_floor(); }

  Outcome finish() {
    Outcome written = attempt([&] {
      if (unsynced_since_) {
        commit({}, true, clock_.now());
      }
    });
    if (!written) {
      return written;
    }
    return attempt([&] { store_.connection().run("PRAGMA wal_checkpoint(TRUNCATE)"); });
  }

  Outcome begin_anew() {
    close_statements();
    if (Outcome anew = store_.begin_anew(); !anew) {
      trouble_ = WriteTrouble{trouble_ ? trouble_->kind : WriteTrouble::Kind::corrupt, anew.error()};
      return anew;
    }
    is_blank_ = true;
    return write({});
  }

  Result<std::int64_t> give_back(std::int64_t max_pages) {
    std::int64_t left = 0;
    const Outcome done = attempt([&] {
      Connection& db = store_.connection();
      db.run("PRAGMA incremental_vacuum(" + std::to_string(max_pages) + ")");
      left = db.integer("PRAGMA freelist_count");
      if (left == 0) {
        db.run("PRAGMA wal_checkpoint(TRUNCATE)");
      }
    });
    return done ? Result<std::int64_t>{left} : done.error();
  }

  [[nodiscard]] std::optional<Mono> durable_due() const {
    return unsynced_since_ ? std::optional{*unsynced_since_ + options_.durable_interval} : std::nullopt;
  }

  std::optional<WriteTrouble> trouble_;
  std::int64_t refused_rows_ = 0;
  Store store_;

 private:
  void prepare() {
    Connection& db = store_.connection();
    wal_.emplace(db, options_.checkpoint_pages);
    rows_.emplace(db);
    upkeep_.emplace(db, rows_->rollups(), rows_->field_hours(), options_.retention);
    begin_ = db.prepare("BEGIN IMMEDIATE");
    commit_ = db.prepare("COMMIT");
    heartbeat_ = db.prepare("INSERT OR REPLACE INTO heartbeat VALUES(1, ?)");
    synchronous_full_ = false;
    foreign_keys_ = true;
  }

  // A connection closes for good only when its statements are gone.
  void close_statements() {
    wal_.reset();
    upkeep_.reset();
    rows_.reset();
    begin_ = Statement();
    commit_ = Statement();
    heartbeat_ = Statement();
  }

  template <class Action>
  Outcome attempt(const Action& action) {
    try {
      if (!rows_) {
        prepare();
      }
      wal_->mend();
      action();
      wal_->after_commit();
      trouble_.reset();
      return Done{};
    } catch (const SqliteError& error) {
      roll_back();
      if (wal_) {
        wal_->note(error);
      }
      const Explanation explanation = explain(store_.connection() ? error.primary() : SQLITE_CORRUPT);
      trouble_ = WriteTrouble{
          explanation.kind,
          {ErrorCode::failed, std::string{"cannot write: "} + error.what(), store_.path(), explanation.hint}};
      return trouble_->error;
    }
  }

  void roll_back() {
    sqlite3* db = store_.connection().raw();
    if (db != nullptr && sqlite3_get_autocommit(db) == 0) {
      sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
    }
    if (rows_) {
      rows_->forget();
      upkeep_->forget();
    }
  }

  void set_synchronous(bool full) {
    if (full != synchronous_full_) {
      store_.connection().run(full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
      synchronous_full_ = full;
    }
  }

  // Outside a transaction only.
  void set_foreign_keys(bool on) {
    if (on != foreign_keys_) {
      store_.connection().run(on ? "PRAGMA foreign_keys = ON" : "PRAGMA foreign_keys = OFF");
      foreign_keys_ = on;
    }
  }

  void commit(std::span<const Row> rows, bool sync, Moment now) {
    set_synchronous(sync);
    set_foreign_keys(rows.empty() || !std::all_of(rows.begin(), rows.end(), forgets));
    begin_.run();
    if (is_blank_) {
      static_cast<void>(write_rows(definitions_.rows()));
    }
    const std::int64_t refused = write_rows(rows);
    rows_->settle();
    if (sync) {
      heartbeat_.bind(0, now.utc.us).run();
    }
    commit_.run();
    is_blank_ = false;
    refused_rows_ += refused;
    for (const Row& row : rows) {
      definitions_.note(row);
      if (std::holds_alternative<recorder::MoveRows>(row)) {
        upkeep_->forget();
      }
    }
    if (sync) {
      unsynced_since_.reset();
    } else if (!unsynced_since_) {
      unsynced_since_ = now.mono;
    }
  }

  std::int64_t write_rows(std::span<const Row> rows) {
    std::int64_t refused = 0;
    for (const Row& row : rows) {
      try {
        std::visit(*rows_, row);
      } catch (const SqliteError& error) {
        if (!row_is_to_blame(error)) {
          throw;
        }
        ++refused;
      }
    }
    return refused;
  }

  const Clock& clock_;
  WriterOptions options_;
  Definitions definitions_;
  std::optional<Wal> wal_;
  std::optional<RowWriter> rows_;
  std::optional<Upkeep> upkeep_;
  Statement begin_, commit_, heartbeat_;
  bool synchronous_full_ = false;
  bool foreign_keys_ = true;
  bool is_blank_ = false;  // a new file in which the definitions do not stand yet
  std::optional<Mono> unsynced_since_;
};

Writer::Writer(Store store, const Clock& clock, WriterOptions options)
    : impl_(std::make_unique<Impl>(std::move(store), clock, options)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

Outcome Writer::write(std::span<const Row> rows) {
  return impl_->write(rows);
}

const std::optional<WriteTrouble>& Writer::trouble() const {
  return impl_->trouble_;
}

bool Writer::tend() {
  return impl_->tend();
}

bool Writer::heap_below_floor() const {
  return impl_->heap_below_floor();
}

std::optional<Mono> Writer::durable_due() const {
  return impl_->durable_due();
}

Outcome Writer::finish() {
  return impl_->finish();
}

Outcome Writer::begin_anew() {
  return impl_->begin_anew();
}

Result<std::int64_t> Writer::give_back(std::int64_t max_pages) {
  return impl_->give_back(max_pages);
}

std::int64_t Writer::refused_rows() const {
  return impl_->refused_rows_;
}

Store& Writer::store() {
  return impl_->store_;
}

}  // namespace leakhunt::storage
