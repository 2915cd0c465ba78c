// Decides what retention takes away next: first what is too old, then what the largest device has most of
// while the file is too large. Private to the writer: it opens and ends no transaction.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "storage/drop_rows.h"
#include "storage/retention.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

class Keeper {
 public:
  Keeper(Connection& db, Rollups& rollups, FieldHours& field_hours, Retention retention);

  // One thing, some milliseconds long; false when nothing needs to be done for now. Throws SqliteError.
  bool step(Moment now);
  // What was found out no longer holds.
  void forget();
  // Heap samples younger than kHeapFloor had to go since the start.
  [[nodiscard]] bool below_floor() const { return below_floor_; }

 private:
  struct Boot {
    recorder::BootId id{};
    bool over = false;
    Utc zero;  // civil time of t = 0, never before an earlier boot of the device
  };
  struct Device {
    recorder::DeviceId id{};
    std::vector<Boot> boots;
    double bytes = 0;  // about what its rows take
  };
  // What a round works on next.
  struct Place {
    std::size_t kind = 0;
    std::size_t device = 0;
    std::size_t boot = 0;
  };

  [[nodiscard]] bool clock_is_steady(Moment now);
  void mark_pace(Utc now);
  void read_devices();
  [[nodiscard]] std::int64_t used_bytes() const;
  bool drop_old(Utc now);
  bool drop_for_space(Utc now);
  bool drop_of(const Device& device, Utc now, bool below_floor);
  // Whether rows of the kind went that are older than `age`; the oldest boot that may have some comes first.
  bool drop_some(const Device& device, Kind kind, const Boot& boot, Utc before, const char* cause);
  void note(const Device& device, Kind kind, const Boot& boot, const DroppedRows& dropped, const char* cause);
  bool give_back_pages();
  // The boot before which no rows of the kind are left.
  [[nodiscard]] recorder::BootId first_boot(recorder::DeviceId device, Kind kind);

  Connection& db_;
  Retention retention_;
  RowDropper dropper_;
  Statement dropped_from_, note_, mark_, forget_marks_;
  std::vector<Device> devices_;  // of the round; empty = none is under way
  Place place_;
  std::optional<Mono> next_round_;
  std::optional<Utc> next_mark_;
  std::optional<Mono> steady_since_;
  Duration clock_difference_{};
  bool too_large_ = false;
  bool giving_back_ = false;
  bool below_floor_ = false;
};

}  // namespace leakhunt::storage
