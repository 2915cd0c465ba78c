// An eponymous virtual table over LogPages. Exceptions end at its border: SQLite is C.
#include "storage/log_table.h"

#include <sqlite3.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/log_pages.h"
#include "storage/views.h"

namespace leakhunt::storage {
namespace {

enum Column { boot, t_boot, link, level, thread, flags, alarm, body_offset, uptime_us, text };
constexpr const char* kDeclaration =
    "CREATE TABLE log_line(boot INTEGER, t_boot INTEGER, link INTEGER, level INTEGER, thread INTEGER, flags "
    "INTEGER, alarm INTEGER, body_offset INTEGER, uptime_us INTEGER, text TEXT)";

// What a plan gives to the filter: which values come, and the order.
enum Plan : int { one_boot = 1, from = 2, above = 4, to = 8, below = 16, at = 32, descending = 64 };
constexpr double kOneBoot = 1e5;
constexpr double kAllBoots = 1e7;

struct Table : sqlite3_vtab {
  const Connection* db = nullptr;
};

struct Cursor : sqlite3_vtab_cursor {
  explicit Cursor(const Connection& db)
      : sqlite3_vtab_cursor{}, word_(db.prepare("SELECT text FROM word WHERE id = ?1")), db_(db) {}

  void filter(int plan, std::span<sqlite3_value*> values) {
    std::size_t i = 0;
    const auto value = [&] { return sqlite3_value_int64(values[i++]); };
    Bounds bounds;
    std::optional<std::int64_t> boot_id;
    if ((plan & Plan::one_boot) != 0) boot_id = value();
    if ((plan & Plan::from) != 0) bounds.at_least(value());
    if ((plan & Plan::above) != 0) bounds.above(value());
    if ((plan & Plan::to) != 0) bounds.above_not(value());
    if ((plan & Plan::below) != 0) bounds.below(value());
    if ((plan & Plan::at) != 0) {
      const std::int64_t t = value();
      bounds.at_least(t);
      bounds.above_not(t);
    }
    const bool down = (plan & Plan::descending) != 0;
    pages_.emplace(db_, LineFilter{}, down, [this](std::int64_t id) {
      std::string found = word_.bind(0, id).step() ? std::string{word_.text(0)} : std::string{};
      word_.reset();
      return found;
    });
    boots_.clear();
    Statement boots =
        db_.prepare(std::string{"SELECT id FROM boot WHERE ?1 IS NULL OR id = ?1 ORDER BY id "} +
                    (down ? "DESC" : "ASC"));
    boots.bind(0, boot_id);
    while (boots.step()) boots_.push_back(recorder::BootId{boots.integer(0)});
    bounds_ = {recorder::kNoBoot, Duration{bounds.from}, Duration{bounds.to}, {}};
    range_ = {};
    next_boot_ = 0;
    line_ = 0;
    row_ = 0;
    ended_ = false;
    find_line();
  }

  void next() {
    ++line_;
    ++row_;
    find_line();
  }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] std::int64_t row() const { return row_; }
  [[nodiscard]] std::int64_t boot_id() const { return static_cast<std::int64_t>(range_.boot); }
  [[nodiscard]] const StoredLine& line() const { return pages_->lines()[line_]; }

 private:
  // [from, to) of t_boot; no line stands at the very ends of what an integer holds.
  struct Bounds {
    std::int64_t from = std::numeric_limits<std::int64_t>::min();
    std::int64_t to = std::numeric_limits<std::int64_t>::max();
    static std::int64_t after(std::int64_t t) {
      return t == std::numeric_limits<std::int64_t>::max() ? t : t + 1;
    }
    void at_least(std::int64_t t) { from = std::max(from, t); }
    void above(std::int64_t t) { from = std::max(from, after(t)); }
    void above_not(std::int64_t t) { to = std::min(to, after(t)); }
    void below(std::int64_t t) { to = std::min(to, t); }
  };

  void find_line() {
    while (line_ >= pages_->lines().size()) {
      line_ = 0;
      while (!pages_->next(range_)) {
        if (next_boot_ == boots_.size()) {
          ended_ = true;
          return;
        }
        range_ = bounds_;
        range_.boot = boots_[next_boot_++];
      }
    }
  }

  Statement word_;
  const Connection& db_;
  std::optional<LogPages> pages_;
  std::vector<recorder::BootId> boots_;
  BootRange bounds_{};
  BootRange range_{};
  std::size_t next_boot_ = 0;
  std::size_t line_ = 0;
  std::int64_t row_ = 0;
  bool ended_ = true;
};

template <class Action>
int guarded(sqlite3_vtab* table, const Action& action) {
  try {
    action();
    return SQLITE_OK;
  } catch (const SqliteError& error) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", error.what());
    return error.code();
  } catch (const std::exception& error) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", error.what());
    return SQLITE_ERROR;
  }
}

int connect(sqlite3* db, void* connection, int /*count*/, const char* const* /*arguments*/,
            sqlite3_vtab** table, char** /*error*/) {
  const int code = sqlite3_declare_vtab(db, kDeclaration);
  if (code != SQLITE_OK) return code;
  // It reads what any statement may read, so a view may use it.
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  auto made = std::make_unique<Table>();
  made->db = static_cast<const Connection*>(connection);
  *table = made.release();
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  const std::unique_ptr<Table> gone{static_cast<Table*>(table)};
  return SQLITE_OK;
}

// The bit of a plan for a comparison of a column, 0 = none.
int plan_of(int column, unsigned char op) {
  if (column == Column::boot) return op == SQLITE_INDEX_CONSTRAINT_EQ ? Plan::one_boot : 0;
  if (column != Column::t_boot) return 0;
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_GE:
      return Plan::from;
    case SQLITE_INDEX_CONSTRAINT_GT:
      return Plan::above;
    case SQLITE_INDEX_CONSTRAINT_LE:
      return Plan::to;
    case SQLITE_INDEX_CONSTRAINT_LT:
      return Plan::below;
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return Plan::at;
    default:
      return 0;
  }
}

// Rows come in the order of (boot, t_boot), or just against it.
bool order_comes(const sqlite3_index_info& info, bool one_boot) {
  if (info.nOrderBy == 0 || info.nOrderBy > 2) return info.nOrderBy == 0;
  const auto& first = info.aOrderBy[0];
  if (info.nOrderBy == 1)
    return first.iColumn == Column::boot || (one_boot && first.iColumn == Column::t_boot);
  const auto& second = info.aOrderBy[1];
  return first.iColumn == Column::boot && second.iColumn == Column::t_boot && first.desc == second.desc;
}

int best_index(sqlite3_vtab* /*table*/, sqlite3_index_info* info) {
  int plan = 0;
  std::vector<std::pair<int, int>> wanted;  // bit, constraint; the filter takes them in the order of the bits
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const int bit = constraint.usable != 0 ? plan_of(constraint.iColumn, constraint.op) : 0;
    if (bit != 0 && (plan & bit) == 0) {
      plan |= bit;
      wanted.emplace_back(bit, i);
    }
  }
  std::sort(wanted.begin(), wanted.end());
  int argument = 0;
  for (const auto& [bit, constraint] : wanted) {
    // SQLite compares once more: a value need not be an integer.
    info->aConstraintUsage[constraint].argvIndex = ++argument;
  }
  const bool one_boot = (plan & Plan::one_boot) != 0;
  if (info->nOrderBy > 0 && order_comes(*info, one_boot)) {
    info->orderByConsumed = 1;
    plan |= info->aOrderBy[0].desc != 0 ? Plan::descending : 0;
  }
  info->idxNum = plan;
  info->estimatedCost = (one_boot ? kOneBoot : kAllBoots) / (argument + 1.0);
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
  return guarded(table,
                 [&] { *cursor = std::make_unique<Cursor>(*static_cast<Table*>(table)->db).release(); });
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  const std::unique_ptr<Cursor> gone{static_cast<Cursor*>(cursor)};
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int plan, const char* /*text*/, int count, sqlite3_value** values) {
  return guarded(cursor->pVtab, [&] {
    static_cast<Cursor*>(cursor)->filter(plan, {values, static_cast<std::size_t>(count)});
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  return guarded(cursor->pVtab, [&] { static_cast<Cursor*>(cursor)->next(); });
}

int ended(sqlite3_vtab_cursor* cursor) {
  return static_cast<Cursor*>(cursor)->ended() ? 1 : 0;
}

void put_word(sqlite3_context* out, std::int64_t id) {
  if (id == 0) {
    sqlite3_result_null(out);
  } else {
    sqlite3_result_int64(out, id);
  }
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* out, int which) {
  const auto& at = *static_cast<Cursor*>(cursor);
  const StoredLine& line = at.line();
  switch (which) {
    case Column::boot:
      sqlite3_result_int64(out, at.boot_id());
      break;
    case Column::t_boot:
      sqlite3_result_int64(out, line.t.count());
      break;
    case Column::link:
      sqlite3_result_int64(out, line.link);
      break;
    case Column::level:
      put_word(out, line.level);
      break;
    case Column::thread:
      put_word(out, line.thread);
      break;
    case Column::flags:
      sqlite3_result_int64(out, line.flags);
      break;
    case Column::alarm:
      put_word(out, line.alarm);
      break;
    case Column::body_offset:
      sqlite3_result_int64(out, line.body_offset);
      break;
    case Column::uptime_us:
      if (line.uptime_us) sqlite3_result_int64(out, *line.uptime_us);
      break;
    default:
      sqlite3_result_text64(out, line.text.data(), line.text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* row) {
  *row = static_cast<Cursor*>(cursor)->row();
  return SQLITE_OK;
}

const sqlite3_module& module() {
  static const sqlite3_module made = [] {
    sqlite3_module module{};
    module.xConnect = connect;
    module.xDisconnect = disconnect;
    module.xBestIndex = best_index;
    module.xOpen = open_cursor;
    module.xClose = close_cursor;
    module.xFilter = filter;
    module.xNext = next;
    module.xEof = ended;
    module.xColumn = column;
    module.xRowid = row_id;
    return module;
  }();
  return made;
}

}  // namespace

void add_log_lines(Connection& db) {
  const int code = sqlite3_create_module_v2(db.raw(), "log_line", &module(), &db, nullptr);
  if (code != SQLITE_OK) throw SqliteError(code, sqlite3_errmsg(db.raw()));
  const bool only_queries = db.integer("PRAGMA query_only") != 0;
  if (only_queries) db.run("PRAGMA query_only = OFF");
  db.run("PRAGMA temp_store = MEMORY");
  db.run("CREATE TEMP VIEW log_view AS " + lines_for_view("log_line"));
  if (only_queries) db.run("PRAGMA query_only = ON");
}

}  // namespace leakhunt::storage
