// Everything that is neither a series nor a log line: events of all kinds, alerts, verdicts, counters.
#include <algorithm>
#include <charconv>
#include <string>

#include "storage/reader_impl.h"

namespace leakhunt::storage {
namespace {

using recorder::BootTime;
using recorder::DeviceId;

std::int64_t number(DeviceId device) {
  return static_cast<std::int64_t>(device);
}

std::uint32_t small(const Statement& row, int column) {
  return static_cast<std::uint32_t>(row.integer(column));
}

// "tag=bytes" a line; a tag may hold any character but the end of a line.
std::vector<std::pair<std::string, std::int64_t>> tags_from(std::string_view text) {
  std::vector<std::pair<std::string, std::int64_t>> tags;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t equals = line.rfind('=');
    if (equals == std::string_view::npos) {
      continue;
    }
    const std::string_view digits = line.substr(equals + 1);
    std::int64_t bytes = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
    tags.emplace_back(line.substr(0, equals), bytes);
  }
  return tags;
}

}  // namespace

std::vector<Stamped<recorder::HeapEventRow>> Reader::heap_events(DeviceId device, const Window& window) {
  return impl_->timed<recorder::HeapEventRow>(device, window, "thread, before_bytes, after_bytes",
                                              "heap_event", [&](const Statement& row, BootTime at) {
                                                return recorder::HeapEventRow{device, at,
                                                                              impl_->word(row.integer(1)),
                                                                              row.integer(2), row.integer(3)};
                                              });
}

std::vector<Stamped<recorder::CallSiteRow>> Reader::call_sites(DeviceId device, const Window& window) {
  return impl_->timed<recorder::CallSiteRow>(
      device, window, "context, size_bytes", "call_site", [&](const Statement& row, BootTime at) {
        return recorder::CallSiteRow{device, at, impl_->word(row.integer(1)), row.integer(2)};
      });
}

std::vector<Stamped<recorder::MemAuditRow>> Reader::mem_audits(DeviceId device, const Window& window) {
  return impl_->timed<recorder::MemAuditRow>(
      device, window, "moment, tags, total_bytes", "mem_audit", [&](const Statement& row, BootTime at) {
        return recorder::MemAuditRow{device, at, std::string{row.text(1)}, tags_from(row.text(2)),
                                     row.maybe_integer(3)};
      });
}

std::vector<Stamped<recorder::PacketRow>> Reader::packets(DeviceId device, const Window& window) {
  return impl_->timed<recorder::PacketRow>(
      device, window, "from_node, to_node, port, size_bytes, hop_limit, hop_start, rssi_dbm, snr_db",
      "packet", [&](const Statement& row, BootTime at) {
        recorder::PacketRow packet{device,
                                   at,
                                   small(row, 1),
                                   small(row, 2),
                                   small(row, 3),
                                   small(row, 4),
                                   small(row, 5),
                                   small(row, 6),
                                   {},
                                   {}};
        if (!row.is_null(7)) {
          packet.rssi_dbm = static_cast<std::int32_t>(row.integer(7));
        }
        if (!row.is_null(8)) {
          packet.snr_db = static_cast<float>(row.real(8));
        }
        return packet;
      });
}

std::vector<recorder::EventRow> Reader::events(DeviceId device, const Window& window,
                                               const std::vector<std::string>& kinds, bool with_recorder) {
  return impl_->ask([&] {
    std::vector<recorder::EventRow> found;
    Statement rows = impl_->db_.prepare(
        "SELECT device, utc_us, boot, t_boot, kind, label, note, data FROM event WHERE device IN (?1, ?2) "
        "AND utc_us >= ?3 AND utc_us < ?4 ORDER BY utc_us, id");
    rows.bind(0, number(device)).bind(1, with_recorder ? std::int64_t{0} : number(device));
    rows.bind(2, window.start.us).bind(3, window.end.us);
    while (rows.step()) {
      if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), rows.text(4)) == kinds.end()) {
        continue;
      }
      recorder::EventRow event{
          DeviceId{rows.integer(0)}, Utc{rows.integer(1)},      {},
          std::string{rows.text(4)}, std::string{rows.text(5)}, std::string{rows.text(6)},
          std::string{rows.text(7)}};
      if (!rows.is_null(2)) {
        event.at = BootTime{recorder::BootId{rows.integer(2)}, Duration{rows.integer(3)}};
      }
      found.push_back(std::move(event));
    }
    return found;
  });
}

std::vector<recorder::GapRow> Reader::gaps(DeviceId device, const Window& window) {
  return impl_->ask([&] {
    std::vector<recorder::GapRow> found;
    Statement rows = impl_->db_.prepare(
        "SELECT device, from_us, to_us, reason, lines, records FROM gap WHERE device IN (?1, 0) AND to_us >= "
        "?2 AND "
        "from_us < ?3 ORDER BY from_us, id");
    rows.bind(0, number(device)).bind(1, window.start.us).bind(2, window.end.us);
    while (rows.step()) {
      found.push_back({DeviceId{rows.integer(0)}, Utc{rows.integer(1)}, Utc{rows.integer(2)},
                       std::string{rows.text(3)}, rows.integer(4), rows.integer(5)});
    }
    return found;
  });
}

std::vector<recorder::AlertRow> Reader::alerts(const AlertQuery& query) {
  return impl_->ask([&] {
    std::vector<recorder::AlertRow> found;
    Statement rows = impl_->db_.prepare(
        "SELECT id, device, cause, severity, state, first_us, last_us, count, text, note FROM alert WHERE "
        "(?1 IS NULL OR device = ?1) AND (?2 = 0 OR state <> 'resolved') ORDER BY last_us DESC, id DESC");
    rows.bind(0, query.device ? std::optional{number(*query.device)} : std::nullopt);
    rows.bind(1, std::int64_t{query.open_only});
    while (rows.step()) {
      found.push_back({rows.integer(0), DeviceId{rows.integer(1)}, std::string{rows.text(2)},
                       std::string{rows.text(3)}, std::string{rows.text(4)}, Utc{rows.integer(5)},
                       Utc{rows.integer(6)}, rows.integer(7), std::string{rows.text(8)},
                       std::string{rows.text(9)}});
    }
    return found;
  });
}

std::vector<recorder::VerdictRow> Reader::verdicts(const VerdictQuery& query) {
  return impl_->ask([&] {
    std::vector<recorder::VerdictRow> found;
    Statement rows = impl_->db_.prepare(
        "SELECT device, utc_us, window_us, class, state, rules, verdict FROM verdict WHERE device = ?1 AND "
        "(?2 IS NULL OR window_us = ?2) ORDER BY utc_us DESC, id DESC LIMIT ?3");
    rows.bind(0, number(query.device)).bind(2, static_cast<std::int64_t>(query.max));
    rows.bind(1, query.window ? std::optional{std::int64_t{query.window->count()}} : std::nullopt);
    while (rows.step()) {
      found.push_back({DeviceId{rows.integer(0)}, Utc{rows.integer(1)}, Duration{rows.integer(2)},
                       std::string{rows.text(3)}, std::string{rows.text(4)}, std::string{rows.text(5)},
                       std::string{rows.text(6)}});
    }
    return found;
  });
}

std::vector<recorder::CounterRow> Reader::counters(DeviceId device) {
  return impl_->ask([&] {
    std::vector<recorder::CounterRow> found;
    Statement rows =
        impl_->db_.prepare("SELECT device, name, total FROM counter WHERE device = ?1 ORDER BY name");
    rows.bind(0, number(device));
    while (rows.step()) {
      found.push_back({DeviceId{rows.integer(0)}, std::string{rows.text(1)}, rows.integer(2)});
    }
    return found;
  });
}

}  // namespace leakhunt::storage
