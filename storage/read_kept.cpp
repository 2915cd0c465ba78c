// What there is of each kind of rows, what retention took away, and how fast the store grows.
#include <algorithm>
#include <array>
#include <string>

#include "storage/reader_impl.h"
#include "storage/telemetry_columns.h"

namespace leakhunt::storage {
namespace {

// The t of the oldest row of the kind in boot ?1 of device ?2.
std::string oldest_sql(Kind kind) {
  const std::string of_series = " FROM series WHERE device = ?2)";
  switch (kind) {
    case Kind::text:
      return "SELECT min(t) FROM (SELECT min(t_first) AS t FROM log_block WHERE boot = ?1 UNION ALL SELECT "
             "(SELECT "
             "t_boot FROM log WHERE boot = ?1 AND flags & 2 = 0 ORDER BY t_boot LIMIT 1))";
    case Kind::packets:
      return "SELECT min(t_boot) FROM packet WHERE boot = ?1";
    case Kind::telemetry_raw: {
      std::string sql;
      for (const TelemetryTable& table : telemetry_tables()) {
        sql += (sql.empty() ? "SELECT min(t) FROM (" : " UNION ALL ") +
               std::string{"SELECT min(t_boot) AS t FROM "} + table.table +
               " WHERE boot = ?1 AND other_node = 0";
      }
      return sql + ")";
    }
    case Kind::heap_raw:
      return "SELECT min(t) FROM (SELECT (SELECT min(t_boot) FROM sample WHERE series = series.id AND boot = "
             "?1) AS "
             "t" +
             of_series;
    case Kind::minute_buckets:
      break;
  }
  return "SELECT min(t) FROM (SELECT (SELECT min(bucket) * 60000000 FROM rollup WHERE series = series.id AND "
         "boot = "
         "?1 AND level = 1) AS t" +
         of_series;
}

// What a row of a stream takes in the file once it is old, its share of buckets and blocks included
// (docs/storage.md, "Sizes").
constexpr const char* kRowBytes =
    "CASE WHEN stream.kind = 'logs' THEN 20 WHEN stream.kind = 'packets' THEN 45 WHEN stream.kind LIKE "
    "'samples_%' "
    "THEN 27 WHEN stream.kind LIKE 'telemetry_%' THEN 85 WHEN stream.kind = 'other_nodes' THEN 85 WHEN "
    "stream.kind = "
    "'events' THEN 150 WHEN stream.kind IN ('heap_events', 'call_sites') THEN 25 WHEN stream.kind = "
    "'mem_audits' THEN "
    "100 ELSE 0 END";

}  // namespace

std::vector<Kept> Reader::kept(recorder::DeviceId device) {
  return impl_->ask([&] {
    std::vector<Kept> all;
    const std::vector<BootSpan> boots = impl_->spans(device, kAllTime);
    Statement dropped =
        impl_->db_.prepare("SELECT rows, boot, until_us, cause FROM dropped WHERE device = ?1 AND kind = ?2");
    for (const Kind kind : kKinds) {
      Kept& kept = all.emplace_back(Kept{.kind = kind});
      recorder::BootId first{};
      dropped.bind(0, static_cast<std::int64_t>(device)).bind(1, word(kind));
      if (dropped.step()) {
        kept.dropped_rows = dropped.integer(0);
        first = recorder::BootId{dropped.integer(1)};
        kept.dropped_until = Utc{dropped.integer(2)};
        kept.dropped_by = dropped.text(3);
      }
      dropped.reset();
      Statement oldest = impl_->db_.prepare(oldest_sql(kind));
      for (const BootSpan& span : boots) {
        if (span.boot.id < first) continue;
        impl_->check_time();
        oldest.bind(0, static_cast<std::int64_t>(span.boot.id));
        if (kind == Kind::heap_raw || kind == Kind::minute_buckets)
          oldest.bind(1, static_cast<std::int64_t>(device));
        if (oldest.step() && !oldest.is_null(0)) kept.oldest = span.utc(Duration{oldest.integer(0)});
        oldest.reset();
        if (kept.oldest) break;
      }
    }
    return all;
  });
}

std::optional<double> Reader::bytes_per_day(Utc now) {
  return impl_->ask([&]() -> std::optional<double> {
    constexpr std::int64_t shortest_us = 3'600'000'000;
    constexpr double day_us = 86.4e9;
    Statement rows = impl_->db_.prepare(std::string{"SELECT sum((stream.rows - mark.rows) * ("} + kRowBytes +
                                        ") * 1.0 / (?1 - mark.utc_us)) FROM stream JOIN (SELECT device, "
                                        "kind, min(utc_us) AS utc_us, rows FROM pace "
                                        "GROUP BY device, kind) AS mark ON mark.device = stream.device AND "
                                        "mark.kind = stream.kind WHERE mark.utc_us <= "
                                        "?1 - ?2");
    rows.bind(0, now.us).bind(1, shortest_us);
    return rows.step() && !rows.is_null(0) ? std::optional{rows.real(0) * day_us} : std::nullopt;
  });
}

}  // namespace leakhunt::storage
