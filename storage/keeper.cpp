// By age in rounds over kinds, devices and boots; by size from the device that holds most, whose text goes
// first.
#include "storage/keeper.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace leakhunt::storage {
namespace {

constexpr Duration kBetweenRounds = std::chrono::hours{1};
constexpr Duration kBetweenMarks = std::chrono::hours{6};
constexpr Duration kMarksKept = std::chrono::hours{8 * 24};
// A clock that has just been set may be wrong; nothing is thrown away on its word alone.
constexpr Duration kSteadyFor = std::chrono::hours{1};
constexpr Duration kClockStep = std::chrono::minutes{10};
// Of each kind so much stays, however little space there is.
constexpr Duration kLeastKept = std::chrono::hours{24};
constexpr std::chrono::milliseconds kLongestLook{10};
constexpr std::int64_t kPagesAtOnce = 128;

// What a row takes in the file, about (docs/storage.md, "Sizes"): to compare devices by.
constexpr const char* kDeviceBytes =
    "SELECT device, sum(max(rows, 0) * CASE kind WHEN 'logs' THEN 20 WHEN 'packets' THEN 45 WHEN 'heap' THEN "
    "25 ELSE "
    "85 END) FROM (SELECT device, kind, rows FROM (SELECT device, CASE WHEN kind IN ('samples_reported', "
    "'samples_from_lines') THEN 'heap' WHEN kind IN ('logs', 'packets') THEN kind WHEN kind LIKE "
    "'telemetry_%' OR "
    "kind = 'other_nodes' THEN 'telemetry' END AS kind, rows FROM stream) WHERE kind IS NOT NULL UNION ALL "
    "SELECT "
    "device, CASE kind WHEN 'text' THEN 'logs' WHEN 'heap_raw' THEN 'heap' WHEN 'packets' THEN 'packets' "
    "WHEN "
    "'telemetry_raw' THEN 'telemetry' END, -rows FROM dropped WHERE kind <> 'minute_buckets') GROUP BY "
    "device";

std::int64_t number(recorder::DeviceId id) {
  return static_cast<std::int64_t>(id);
}

}  // namespace

Keeper::Keeper(Connection& db, Rollups& rollups, FieldHours& field_hours, Retention retention)
    : db_(db),
      retention_(retention),
      dropper_(db, rollups, field_hours),
      dropped_from_(db.prepare("SELECT boot FROM dropped WHERE device = ?1 AND kind = ?2")),
      note_(db.prepare(
          "INSERT INTO dropped(device, kind, rows, boot, until_us, cause) VALUES(?, ?, ?, ?, ?, ?) ON "
          "CONFLICT(device, kind) DO UPDATE SET rows = rows + excluded.rows, boot = max(boot, "
          "excluded.boot), until_us = max(until_us, excluded.until_us), cause = excluded.cause")),
      mark_(db.prepare("INSERT OR REPLACE INTO pace SELECT device, kind, ?1, rows FROM stream")),
      forget_marks_(db.prepare("DELETE FROM pace WHERE utc_us < ?1 OR utc_us > ?2")) {}

void Keeper::forget() {
  devices_.clear();
  next_round_.reset();
  next_mark_.reset();
}

bool Keeper::clock_is_steady(Moment now) {
  const Duration difference{now.utc.us - now.mono.us};
  if (!steady_since_ || std::chrono::abs(difference - clock_difference_) > kClockStep) {
    steady_since_ = now.mono;
  }
  clock_difference_ = difference;
  return now.mono - *steady_since_ >= kSteadyFor;
}

bool Keeper::step(Moment now) {
  const bool steady = clock_is_steady(now);
  if (!next_mark_ || now.utc >= *next_mark_ || *next_mark_ - now.utc > kBetweenMarks) {
    mark_pace(now.utc);
    return true;
  }
  if (drop_for_space(now.utc) || give_back_pages()) {
    return true;
  }
  if (!steady || (devices_.empty() && next_round_ && now.mono < *next_round_)) {
    return false;
  }
  if (devices_.empty()) {
    read_devices();
    place_ = {};
    next_round_ = now.mono + kBetweenRounds;
  }
  if (drop_old(now.utc)) {
    return true;
  }
  devices_.clear();
  return false;
}

void Keeper::mark_pace(Utc now) {
  mark_.bind(0, now.us).run();
  forget_marks_.bind(0, (now - kMarksKept).us).bind(1, now.us).run();
  next_mark_ = now + kBetweenMarks;
}

void Keeper::read_devices() {
  devices_.clear();
  std::map<recorder::DeviceId, std::size_t> places;
  Statement boots = db_.prepare(
      "SELECT id, device, (SELECT utc_zero_us FROM anchor WHERE anchor.boot = boot.id ORDER BY since DESC "
      "LIMIT 1) "
      "FROM boot ORDER BY id");
  while (boots.step()) {
    const recorder::DeviceId id{boots.integer(1)};
    const auto [found, fresh] = places.try_emplace(id, devices_.size());
    if (fresh) devices_.push_back({id, {}, 0});
    std::vector<Boot>& all = devices_[found->second].boots;
    Boot boot{recorder::BootId{boots.integer(0)}, false, Utc{boots.integer(2)}};
    if (!all.empty()) {
      all.back().over = true;
      boot.zero = std::max(boot.zero, all.back().zero);
    }
    all.push_back(boot);
  }
  Statement bytes = db_.prepare(kDeviceBytes);
  while (bytes.step()) {
    const auto found = places.find(recorder::DeviceId{bytes.integer(0)});
    if (found != places.end()) devices_[found->second].bytes = bytes.real(1);
  }
}

std::int64_t Keeper::used_bytes() const {
  return (db_.integer("PRAGMA page_count") - db_.integer("PRAGMA freelist_count")) *
         db_.integer("PRAGMA page_size");
}

recorder::BootId Keeper::first_boot(recorder::DeviceId device, Kind kind) {
  dropped_from_.bind(0, number(device)).bind(1, word(kind));
  const recorder::BootId boot{dropped_from_.step() ? dropped_from_.integer(0) : 0};
  dropped_from_.reset();
  return boot;
}

bool Keeper::drop_old(Utc now) {
  const auto enough = std::chrono::steady_clock::now() + kLongestLook;
  for (; place_.kind < kKinds.size(); ++place_.kind, place_.device = 0) {
    const Kind kind = kKinds.at(place_.kind);
    for (; place_.device < devices_.size(); ++place_.device, place_.boot = 0) {
      const Device& device = devices_[place_.device];
      const recorder::BootId first = first_boot(device.id, kind);
      for (; place_.boot < device.boots.size(); ++place_.boot) {
        const Boot& boot = device.boots[place_.boot];
        const Utc before = now - retention_.age(kind);
        if (boot.zero > before) break;  // later ones are younger still
        if (boot.id < first) continue;
        if (drop_some(device, kind, boot, before, "age")) return true;
        if (std::chrono::steady_clock::now() > enough) {
          ++place_.boot;
          return true;
        }
      }
    }
  }
  return false;
}

bool Keeper::drop_for_space(Utc now) {
  const std::int64_t limit = retention_.max_bytes;
  const std::int64_t used = limit > 0 ? used_bytes() : 0;
  // Once it is at it, it makes room for a while.
  too_large_ = used > (too_large_ ? limit - limit / 50 : limit);
  if (!too_large_) {
    return false;
  }
  read_devices();
  std::vector<Device> devices = std::move(devices_);
  devices_.clear();
  next_round_.reset();
  std::sort(devices.begin(), devices.end(),
            [](const Device& a, const Device& b) { return a.bytes > b.bytes; });
  for (const bool below_floor : {false, true}) {
    for (const Device& device : devices) {
      if (drop_of(device, now, below_floor)) {
        below_floor_ = below_floor_ || below_floor;
        return true;
      }
    }
  }
  return false;
}

bool Keeper::drop_of(const Device& device, Utc now, bool below_floor) {
  for (const Kind kind : kKinds) {
    const bool floored = kind == Kind::heap_raw || kind == Kind::minute_buckets;
    if (below_floor && !floored) continue;
    const Utc before = now - (floored && !below_floor ? kHeapFloor : kLeastKept);
    const recorder::BootId first = first_boot(device.id, kind);
    for (const Boot& boot : device.boots) {
      if (boot.zero > before) break;
      if (boot.id >= first && drop_some(device, kind, boot, before, "size")) return true;
    }
  }
  return false;
}

bool Keeper::drop_some(const Device& device, Kind kind, const Boot& boot, Utc before, const char* cause) {
  const DroppedRows dropped =
      dropper_.drop({kind, device.id, boot.id, boot.over, Duration{before.us - boot.zero.us}});
  if (dropped.rows == 0) return false;
  note(device, kind, boot, dropped, cause);
  return true;
}

void Keeper::note(const Device& device, Kind kind, const Boot& boot, const DroppedRows& dropped,
                  const char* cause) {
  note_.bind(0, number(device.id)).bind(1, word(kind)).bind(2, dropped.rows);
  note_.bind(3, static_cast<std::int64_t>(boot.id)).bind(4, (boot.zero + dropped.until).us);
  note_.bind(5, std::string_view{cause}).run();
}

// Pages that are free are used again; only a good deal of them is worth the writing that moving others takes.
bool Keeper::give_back_pages() {
  const std::int64_t free = db_.integer("PRAGMA freelist_count");
  const std::int64_t pages = db_.integer("PRAGMA page_count");
  constexpr std::int64_t few = 1024;
  giving_back_ = giving_back_ ? free > few / 2 && free > pages / 40 : free > few && free > pages / 10;
  if (!giving_back_) {
    return false;
  }
  db_.run("PRAGMA incremental_vacuum(" + std::to_string(kPagesAtOnce) + ")");
  return true;
}

}  // namespace leakhunt::storage
