// Reads boots and their extents. The smallest and largest t of each table are one seek in its key.
#include "storage/boots.h"

#include <string>

#include "storage/telemetry_columns.h"

namespace leakhunt::storage {
namespace {

std::string extreme(const std::string& function) {
  std::string sql = "SELECT " + function + "(t) FROM (";
  for (const char* table : {"log", "heap_event", "call_site", "mem_audit", "packet", "event"}) {
    sql += "SELECT " + function + "(t_boot) AS t FROM " + table + " WHERE boot = ?1 UNION ALL ";
  }
  for (const TelemetryTable& table : telemetry_tables()) {
    sql += "SELECT " + function + "(t_boot) FROM " + std::string{table.table} +
           " WHERE boot = ?1 AND other_node = 0 UNION ALL ";
  }
  // Packed lines stand in blocks that do not overlap.
  sql += function == "min"
             ? "SELECT min(t_first) FROM log_block WHERE boot = ?1 UNION ALL "
             : "SELECT (SELECT t_last FROM log_block WHERE boot = ?1 ORDER BY t_first DESC LIMIT "
               "1) UNION ALL ";
  // Where samples are kept in buckets alone, the hours tell, and where there are none the days.
  const std::string edge = function == "min" ? "" : " + 1";
  const auto buckets = [&](const std::string& level, const std::string& width) {
    return "(SELECT (" + function + "(bucket)" + edge + ") * " + width +
           " FROM rollup WHERE rollup.series = series.id AND boot = ?1 AND level = " + level + ")";
  };
  return sql + "SELECT (SELECT " + function +
         "(t_boot) FROM sample WHERE series = series.id AND boot = ?1) FROM series WHERE device = ?2 UNION "
         "ALL SELECT "
         "coalesce(" +
         buckets("2", "3600000000") + ", " + buckets("3", "86400000000") + ")" +
         (edge.empty() ? "" : " - 1") +
         " FROM series JOIN rollup_state ON rollup_state.series = series.id AND rollup_state.boot = ?1 WHERE "
         "device = "
         "?2 AND raw_from IS NOT NULL)";
}

}  // namespace

ExtentQuery::ExtentQuery(const Connection& db)
    : statement_(db.prepare("SELECT (" + extreme("min") + "), (" + extreme("max") + ")")) {}

std::optional<Extent> ExtentQuery::of(const recorder::BootRow& boot) {
  statement_.reset();
  statement_.bind(0, static_cast<std::int64_t>(boot.id)).bind(1, static_cast<std::int64_t>(boot.device));
  std::optional<Extent> extent;
  if (statement_.step() && !statement_.is_null(0)) {
    extent = Extent{Duration{statement_.integer(0)}, Duration{statement_.integer(1)}};
  }
  statement_.reset();
  return extent;
}

recorder::BootRow boot_from(const Statement& row) {
  recorder::BootRow boot;
  boot.id = recorder::BootId{row.integer(0)};
  boot.device = recorder::DeviceId{row.integer(1)};
  boot.identity = recorder::IdentityId{row.integer(2)};
  boot.cause = static_cast<recorder::BootCause>(row.integer(3));
  boot.signs = row.text(4);
  boot.start_seen = row.integer(5) != 0;
  if (const auto count = row.maybe_integer(6)) {
    boot.reboot_count = static_cast<std::uint32_t>(*count);
  }
  boot.firmware_version = row.text(7);
  boot.pio_env = row.text(8);
  if (const auto debug_heap = row.maybe_integer(9)) {
    boot.debug_heap = *debug_heap != 0;
  }
  return boot;
}

recorder::AnchorRow anchor_from(const Statement& row) {
  return {recorder::BootId{row.integer(0)}, std::string{row.text(1)}, Duration{row.integer(2)},
          Mono{row.integer(3)}, Utc{row.integer(4)}};
}

recorder::IdentityRow identity_from(const Statement& row) {
  return {recorder::IdentityId{row.integer(0)},
          recorder::DeviceId{row.integer(1)},
          static_cast<std::uint32_t>(row.integer(2)),
          std::string{row.text(3)},
          std::string{row.text(4)},
          static_cast<std::uint32_t>(row.integer(5)),
          Utc{row.integer(6)}};
}

}  // namespace leakhunt::storage
