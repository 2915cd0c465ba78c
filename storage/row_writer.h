// One prepared statement per kind of row. Private to the writer: it opens and ends no transaction.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "recorder/rows.h"
#include "storage/field_hours.h"
#include "storage/rollups.h"
#include "storage/sqlite.h"
#include "storage/streams.h"
#include "storage/telemetry_columns.h"

namespace leakhunt::storage {

// The place last written in a key (…, boot, t): rows that arrive for one moment stand 1 us apart in the order
// of their arrival.
class Places {
 public:
  // Where a row for `at` goes at the earliest.
  [[nodiscard]] Duration free_place(std::uint64_t key, recorder::BootTime at) const;
  void taken(std::uint64_t key, recorder::BootTime asked, Duration used);
  void clear() { places_.clear(); }

 private:
  struct Place {
    recorder::BootId boot = recorder::kNoBoot;
    Duration asked{};
    Duration used{};
  };
  std::unordered_map<std::uint64_t, Place> places_;
};

// The tables whose rows each have a place of their own in time; telemetry stands last, a value per variant.
enum class Run : std::uint8_t { sample, log, heap_event, call_site, mem_audit, packet, telemetry };

// What tells one run of rows from another, folded into a number.
[[nodiscard]] constexpr std::uint64_t place_key(Run run, std::int64_t which) {
  return (static_cast<std::uint64_t>(run) << 56U) ^ static_cast<std::uint64_t>(which);
}

template <class Id>
requires std::is_enum_v<Id>
[[nodiscard]] constexpr std::int64_t number(Id id) {
  return static_cast<std::int64_t>(id);
}
[[nodiscard]] constexpr std::int64_t number(std::uint32_t value) {
  return value;
}

class RowWriter {
 public:
  explicit RowWriter(Connection& db);

  // Each writes its row; throws SqliteError.
  void operator()(const recorder::DeviceRow& row);
  void operator()(const recorder::IdentityRow& row);
  void operator()(const recorder::BootRow& row);
  void operator()(const recorder::AnchorRow& row);
  void operator()(const recorder::SampleRow& row);
  void operator()(const recorder::TelemetryRow& row);
  void operator()(const recorder::HeapEventRow& row);
  void operator()(const recorder::CallSiteRow& row);
  void operator()(const recorder::MemAuditRow& row);
  void operator()(const recorder::LogRow& row);
  void operator()(const recorder::PacketRow& row);
  void operator()(const recorder::EventRow& row);
  // Also an event.
  void operator()(const recorder::GapRow& row);
  void operator()(const recorder::MoveRows& row);
  void operator()(const recorder::VerdictRow& row);
  void operator()(const recorder::AlertRow& row);
  void operator()(const recorder::CounterRow& row);
  void operator()(const recorder::PortRow& row);
  void operator()(const recorder::RenameDevice& row);
  // All or nothing of it, also within the transaction.
  void operator()(const recorder::MergeDevices& row);
  // Fast only while foreign keys are off, which they may be when a batch holds nothing else: each boot that
  // goes would otherwise be looked for among the samples of all devices.
  void operator()(const recorder::ForgetDevice& row);

  // Writes what the rows since the last call add to streams and buckets; belongs before each commit.
  void settle();
  // Forgets what a rolled back transaction had told.
  void forget();
  // For who takes rows away.
  [[nodiscard]] Rollups& rollups() { return rollups_; }
  [[nodiscard]] FieldHours& field_hours() { return field_hours_; }

 private:
  struct TelemetryInsert {
    const TelemetryTable* table = nullptr;
    Statement statement;
    std::map<recorder::DeviceId, std::vector<bool>> seen;  // by column: its name stands in field_seen
  };
  using SeriesKey = std::tuple<std::int64_t, std::int64_t, recorder::HeapField, recorder::Source>;

  // Steps the insert, whose parameter 1 is t, until it finds a free place; returns that.
  Duration insert_at(Statement& insert, std::uint64_t key, recorder::BootTime at);
  [[nodiscard]] std::int64_t word(std::string_view text);
  void bind_word(Statement& insert, int index, std::string_view text);
  [[nodiscard]] std::int64_t series(const recorder::SampleRow& row);
  [[nodiscard]] bool is_own(const recorder::TelemetryRow& row);
  [[nodiscard]] std::string bind_values(TelemetryInsert& insert, const recorder::TelemetryRow& row, bool own);
  void note_field(TelemetryInsert& insert, recorder::DeviceId device, std::size_t column);
  void prepare_telemetry(Connection& db);
  void prepare_moves(Connection& db);
  // Moves rows of one table whose new place is free; tells whether some stayed behind.
  struct Move {
    Statement move;
    Statement left;
  };
  struct TableMoves {
    Move away;         // to another boot
    Statement mirror;  // within the boot: to times below 0 ...
    Move back;         // ... and from there to their place
  };
  static void move_all(Move& move, const recorder::MoveRows& row, Duration shift);
  void check_known(recorder::DeviceId device) const;
  // The buckets of what a move has changed.
  void rebuild_moved(const recorder::MoveRows& row);
  void merge_series(const recorder::MergeDevices& row);
  void forget_ids();

  Connection& db_;
  Streams streams_;
  Rollups rollups_;
  FieldHours field_hours_;
  FieldHours::Values own_values_;  // of the telemetry row under way
  Places places_;
  std::map<std::string, std::int64_t, std::less<>> words_;
  std::map<SeriesKey, std::int64_t> series_;
  std::map<recorder::IdentityId, std::uint32_t> nodes_;

  Statement device_, identity_, boot_, anchor_, sample_, log_, heap_event_, call_site_, mem_audit_, packet_;
  Statement boot_event_, event_, gap_, verdict_, alert_, counter_;
  Statement find_word_, add_word_, find_series_, add_series_, find_node_, add_field_;
  std::map<recorder::Variant, TelemetryInsert> telemetry_;
  std::vector<TableMoves> moves_;
};

}  // namespace leakhunt::storage
