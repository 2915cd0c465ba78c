// Reads where each device's record stands, so that the recorder goes on above it.
#include "storage/boots.h"
#include "storage/store.h"

namespace leakhunt::storage {
namespace {

using recorder::DeviceState;
using recorder::RecordState;

std::vector<recorder::IdentityRow> identities_of(const Connection& db, recorder::DeviceId device) {
  Statement query =
      db.prepare(std::string{"SELECT "} + kIdentityColumns + " FROM identity WHERE device = ?1");
  query.bind(0, static_cast<std::int64_t>(device));
  std::vector<recorder::IdentityRow> identities;
  while (query.step()) {
    identities.push_back(identity_from(query));
  }
  return identities;
}

void read_last_boot(const Connection& db, ExtentQuery& extents, DeviceState& state) {
  Statement query = db.prepare(std::string{"SELECT "} + kBootColumns +
                               " FROM boot WHERE device = ?1 ORDER BY id DESC LIMIT 1");
  query.bind(0, static_cast<std::int64_t>(state.id));
  if (!query.step()) {
    return;
  }
  state.last_boot = boot_from(query);
  Statement anchors =
      db.prepare(std::string{"SELECT "} + kAnchorColumns + " FROM anchor WHERE boot = ?1 ORDER BY since");
  anchors.bind(0, static_cast<std::int64_t>(state.last_boot->id));
  while (anchors.step()) {
    state.last_boot_anchors.push_back(anchor_from(anchors));
  }
  if (const auto extent = extents.of(*state.last_boot)) {
    state.last_boot_end = extent->last;
  }
}

void read_counters(const Connection& db, DeviceState& state) {
  Statement query = db.prepare("SELECT name, total FROM counter WHERE device = ?1");
  query.bind(0, static_cast<std::int64_t>(state.id));
  while (query.step()) {
    state.counters.emplace_back(query.text(0), query.integer(1));
  }
}

std::optional<recorder::PortRow> port_of(const Connection& db, recorder::DeviceId device) {
  Statement query = db.prepare(
      "SELECT path, by_id, usb_vendor, usb_product, usb_serial, seen_us FROM port WHERE device = ?1");
  query.bind(0, static_cast<std::int64_t>(device));
  if (!query.step()) return std::nullopt;
  recorder::PortRow port;
  port.device = device;
  port.path = query.text(0);
  port.by_id = query.text(1);
  port.usb_vendor = static_cast<int>(query.integer(2));
  port.usb_product = static_cast<int>(query.integer(3));
  port.usb_serial = query.text(4);
  port.seen = Utc{query.integer(5)};
  return port;
}

// The newest event of a device whose kind is one of the two.
std::optional<recorder::EventRow> last_event(const Connection& db, recorder::DeviceId device,
                                             std::string_view kind, std::string_view other) {
  Statement query = db.prepare(
      "SELECT utc_us, kind, label, note, data FROM event WHERE device = ?1 AND kind IN (?2, ?3) "
      "ORDER BY id DESC LIMIT 1");
  query.bind(0, static_cast<std::int64_t>(device)).bind(1, kind).bind(2, other);
  if (!query.step()) return std::nullopt;
  recorder::EventRow event;
  event.device = device;
  event.utc = Utc{query.integer(0)};
  event.kind = query.text(1);
  event.label = query.text(2);
  event.note = query.text(3);
  event.data = query.text(4);
  return event;
}

RecordState read_state(const Connection& db) {
  RecordState state;
  ExtentQuery extents(db);
  Statement devices = db.prepare("SELECT id, name FROM device ORDER BY id");
  while (devices.step()) {
    DeviceState device;
    device.id = recorder::DeviceId{devices.integer(0)};
    device.name = devices.text(1);
    device.identities = identities_of(db, device.id);
    read_last_boot(db, extents, device);
    read_counters(db, device);
    device.port = port_of(db, device.id);
    device.last_release = last_event(db, device.id, "released", "released");
    state.devices.push_back(std::move(device));
  }
  state.last_pause = last_event(db, recorder::DeviceId{0}, "recorder_pause", "recorder_resume");
  state.max_device = db.integer("SELECT max(id) FROM device");
  state.max_identity = db.integer("SELECT max(id) FROM identity");
  state.max_boot = db.integer("SELECT max(id) FROM boot");
  state.max_alert = db.integer("SELECT max(id) FROM alert");
  return state;
}

}  // namespace

Result<RecordState> Store::load_state() const {
  try {
    return read_state(db_);
  } catch (const SqliteError& error) {
    return Error{ErrorCode::unreachable, std::string{"cannot read the store: "} + error.what(), path_,
                 "check the disk; `sqlite3 FILE 'PRAGMA integrity_check'` tells more"};
  }
}

}  // namespace leakhunt::storage
