// Life of alerts: open, acknowledged, resolved.
#include "daemon/alert_book.h"

#include <algorithm>
#include <array>
#include <utility>

namespace leakhunt::daemon {
namespace {

constexpr std::array<std::string_view, 3> kSeverities{"notice", "warning", "critical"};

Severity severity_of(std::string_view word) {
  for (std::size_t i = 0; i < kSeverities.size(); ++i) {
    if (kSeverities[i] == word) return static_cast<Severity>(i);
  }
  return Severity::warning;
}

}  // namespace

std::string_view word(Severity severity) {
  return kSeverities[static_cast<std::size_t>(severity)];
}

AlertBook::AlertBook(std::vector<recorder::AlertRow> standing, std::int64_t max_id) : max_id_(max_id) {
  for (recorder::AlertRow& row : standing) {
    if (row.state == "resolved") continue;
    const Utc last = row.last;
    entries_.push_back({std::move(row), last, false, false});
  }
}

std::vector<AlertChange> AlertBook::raise(const Cause& cause, Utc now) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.row.device == cause.device && entry.row.cause == cause.name;
  });
  if (found == entries_.end()) return {open_new(cause, now)};
  const bool old_burst =
      found->row.state == "acknowledged" && !cause.lasting && now - found->row.last > kSameBurst;
  if (!old_burst) return see_again(*found, cause, now);
  found->row.state = "resolved";
  const AlertChange over = give_out(*found, AlertChange::What::counted, now);
  drop_resolved();
  return {over, open_new(cause, now)};
}

AlertChange AlertBook::open_new(const Cause& cause, Utc now) {
  recorder::AlertRow row;
  row.id = ++max_id_;
  row.device = cause.device;
  row.cause = cause.name;
  row.severity = word(cause.severity);
  row.state = "open";
  row.first = row.last = now;
  row.text = cause.text;
  entries_.push_back({std::move(row), now, cause.lasting, false});
  return give_out(entries_.back(), AlertChange::What::opened, now);
}

std::vector<AlertChange> AlertBook::see_again(Entry& entry, const Cause& cause, Utc now) {
  const bool worse = cause.severity > severity_of(entry.row.severity);
  entry.lasting = cause.lasting;
  entry.row.count += 1;
  entry.row.last = now;
  // A lasting cause tells how it stands now; an event keeps the words of its first.
  if (worse || cause.lasting) {
    entry.row.text = cause.text;
    entry.row.severity = word(cause.severity);
  }
  if (worse) {
    entry.row.state = "open";
    return {give_out(entry, AlertChange::What::worsened, now)};
  }
  if (now - entry.given_out >= kCountInterval || now < entry.given_out) {
    return {give_out(entry, AlertChange::What::counted, now)};
  }
  entry.held_back = true;
  return {};
}

std::vector<AlertChange> AlertBook::resolve(recorder::DeviceId device, std::string_view name, Utc now) {
  std::vector<AlertChange> changes;
  for (Entry& entry : entries_) {
    if (entry.row.device != device || entry.row.cause != name) continue;
    entry.row.state = "resolved";
    changes.push_back(give_out(entry, AlertChange::What::resolved, now));
  }
  drop_resolved();
  return changes;
}

std::vector<AlertChange> AlertBook::acknowledge(const std::vector<std::int64_t>& ids, const std::string& note,
                                                Utc now) {
  std::vector<AlertChange> changes;
  for (Entry& entry : entries_) {
    const bool meant = ids.empty() || std::find(ids.begin(), ids.end(), entry.row.id) != ids.end();
    if (!meant || entry.row.state != "open") continue;
    entry.row.state = "acknowledged";
    if (!note.empty()) entry.row.note = note;
    changes.push_back(give_out(entry, AlertChange::What::acknowledged, now));
  }
  return changes;
}

std::vector<AlertChange> AlertBook::due(Utc now) {
  std::vector<AlertChange> changes;
  for (Entry& entry : entries_) {
    if (!entry.lasting && now - entry.row.last > kEventOver) {
      entry.row.state = "resolved";
      changes.push_back(give_out(entry, AlertChange::What::resolved, now));
    } else if (entry.held_back && now - entry.given_out >= kCountInterval) {
      changes.push_back(give_out(entry, AlertChange::What::counted, now));
    }
  }
  drop_resolved();
  return changes;
}

std::int64_t AlertBook::open() const {
  return std::count_if(entries_.begin(), entries_.end(),
                       [](const Entry& e) { return e.row.state == "open"; });
}

std::int64_t AlertBook::open(recorder::DeviceId device) const {
  return std::count_if(entries_.begin(), entries_.end(),
                       [&](const Entry& e) { return e.row.state == "open" && e.row.device == device; });
}

AlertChange AlertBook::give_out(Entry& entry, AlertChange::What what, Utc now) {
  entry.given_out = now;
  entry.held_back = false;
  return {what, entry.row};
}

void AlertBook::drop_resolved() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.row.state == "resolved"; });
}

}  // namespace leakhunt::daemon
