// Boot after boot, each block in one step: the rows go in the transaction in which their block comes.
#include "storage/pack_logs.h"

#include <sqlite3.h>

#include <limits>
#include <string>

#include "storage/log_pages.h"

namespace leakhunt::storage {
namespace {

// Fewer lines than this are not worth a block.
constexpr std::size_t kFewestLines = 64;
constexpr std::chrono::milliseconds kLongestLook{10};

constexpr const char* kBoots =
    "SELECT id, EXISTS(SELECT 1 FROM boot AS later WHERE later.device = boot.device AND later.id > boot.id), "
    "(SELECT utc_zero_us FROM anchor WHERE anchor.boot = boot.id ORDER BY since DESC LIMIT 1) "
    "FROM boot WHERE id > ?1 ORDER BY id LIMIT 1";

WordText words_by(Statement& find) {
  return [&find](std::int64_t id) {
    std::string text = find.bind(0, id).step() ? std::string{find.text(0)} : std::string{};
    find.reset();
    return text;
  };
}

std::optional<std::int64_t> word_or_null(std::int64_t id) {
  return id == 0 ? std::nullopt : std::optional{id};
}

void insert_row(Statement& insert, recorder::BootId boot, const StoredLine& line) {
  insert.bind(0, static_cast<std::int64_t>(boot)).bind(2, std::int64_t{line.link});
  insert.bind(3, word_or_null(line.level)).bind(4, word_or_null(line.thread));
  insert.bind(5, std::int64_t{line.flags}).bind(6, word_or_null(line.alarm));
  insert.bind(7, std::int64_t{line.body_offset}).bind(8, line.uptime_us).bind(9, line.text);
  // A late row may stand where the line was.
  for (Duration t = line.t; insert.bind(1, t.count()).run() == 0;) {
    t += Duration{1};
  }
}

}  // namespace

LogPacker::LogPacker(Connection& db)
    : db_(db),
      boots_(db.prepare(kBoots)),
      packed_to_(db.prepare("SELECT t_last FROM log_block WHERE boot = ?1 ORDER BY t_first DESC LIMIT 1")),
      lines_(db.prepare(std::string{"SELECT "} + kLineColumns +
                        " FROM log WHERE boot = ?1 AND t_boot > ?2 AND t_boot < ?3 AND flags & ?4 = 0 ORDER "
                        "BY t_boot LIMIT ?5")),
      newer_(db.prepare("SELECT 1 FROM log WHERE boot = ?1 AND t_boot >= ?2 LIMIT 1")),
      word_(db.prepare("SELECT text FROM word WHERE id = ?1")),
      insert_(db.prepare("INSERT INTO log_block(boot, t_first, t_last, lines, codec, flags, levels, threads, "
                         "text_bytes, data) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      delete_(db.prepare("DELETE FROM log WHERE boot = ?1 AND t_boot >= ?2 AND t_boot <= ?3 AND flags & ?4 = "
                         "0")) {}

void LogPacker::forget() {
  done_.clear();
  last_boot_ = 0;
}

bool LogPacker::step(Utc now) {
  const auto enough = std::chrono::steady_clock::now() + kLongestLook;
  Boot boot;
  while (next_boot(now, boot)) {
    if (pack(boot)) {
      last_boot_ = boot.id - 1;  // it may have more
      return true;
    }
    if (std::chrono::steady_clock::now() > enough) {
      return true;
    }
  }
  last_boot_ = 0;
  return false;
}

bool LogPacker::next_boot(Utc now, Boot& boot) {
  do {
    boots_.bind(0, last_boot_);
    const bool found = boots_.step();
    if (found) {
      last_boot_ = boots_.integer(0);
      boot = {last_boot_, (now - kPackAfter).us - boots_.integer(2), boots_.integer(1) != 0};
    }
    boots_.reset();
    if (!found) {
      return false;
    }
  } while (done_.contains(boot.id));
  return true;
}

bool LogPacker::pack(const Boot& boot) {
  packed_to_.bind(0, boot.id);
  const std::int64_t after =
      packed_to_.step() ? packed_to_.integer(0) : std::numeric_limits<std::int64_t>::min();
  packed_to_.reset();
  const std::size_t read = read_lines(boot, after);
  const std::size_t count = lines_for_block(read_);
  bool worth_it = count == kBlockLines || count < read;
  if (!worth_it && boot.ended) {
    newer_.bind(0, boot.id).bind(1, boot.old_before);
    const bool all_old = !newer_.step();
    newer_.reset();
    worth_it = all_old && count >= kFewestLines;
    if (all_old && !worth_it) {
      done_.insert(boot.id);
    }
  }
  if (worth_it) {
    write_block(boot, count);
  }
  return worth_it;
}

std::size_t LogPacker::read_lines(const Boot& boot, std::int64_t after) {
  read_.clear();
  texts_.clear();
  texts_.reserve(kBlockLines + 1);
  std::size_t bytes = 0;
  lines_.bind(0, boot.id).bind(1, after).bind(2, boot.old_before).bind(3, std::int64_t{kEvidence});
  lines_.bind(4, static_cast<std::int64_t>(kBlockLines + 1));
  while (bytes <= kBlockText_bytes && lines_.step()) {
    StoredLine line = stored_line(lines_);
    line.text = texts_.emplace_back(line.text);
    bytes += line.text.size();
    read_.push_back(line);
  }
  lines_.reset();
  return read_.size();
}

void LogPacker::write_block(const Boot& boot, std::size_t count) {
  const std::span<const StoredLine> lines{read_.data(), count};
  const LogBlock block = pack_lines(lines, words_by(word_));
  std::int64_t text_bytes = 0;
  for (const StoredLine& line : lines) {
    text_bytes += static_cast<std::int64_t>(line.text.size());
  }
  insert_.bind(0, boot.id).bind(1, block.first.count()).bind(2, block.last.count()).bind(3, block.lines);
  insert_.bind(4, kBlockCodec).bind(5, block.flags).bind(6, block.levels).bind(7, block.threads);
  insert_.bind(8, text_bytes).bind_blob(9, block.data).run();
  delete_.bind(0, boot.id).bind(1, block.first.count()).bind(2, block.last.count());
  if (delete_.bind(3, std::int64_t{kEvidence}).run() != block.lines) {
    throw SqliteError(SQLITE_INTERNAL, "lines changed while they were packed");
  }
}

void unpack_lines(Connection& db, recorder::BootId boot, Duration since) {
  Statement find = db.prepare("SELECT t_first, codec, data FROM log_block WHERE boot = ?1 AND t_last >= ?2");
  Statement insert =
      db.prepare("INSERT INTO log VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(boot, t_boot) DO NOTHING");
  Statement remove = db.prepare("DELETE FROM log_block WHERE boot = ?1 AND t_first = ?2");
  Statement word = db.prepare("SELECT text FROM word WHERE id = ?1");
  UnpackedBlock block;
  find.bind(0, static_cast<std::int64_t>(boot)).bind(1, since.count());
  while (find.step()) {
    const std::int64_t first = find.integer(0);
    block.unpack(find.blob(2), Duration{first}, words_by(word));
    find.reset();
    for (const StoredLine& line : block.lines()) {
      insert_row(insert, boot, line);
    }
    remove.bind(0, static_cast<std::int64_t>(boot)).bind(1, first).run();
  }
}

}  // namespace leakhunt::storage
