// What the recorder hands to the store: plain rows, each with the ids the recorder gave out itself, so that a
// batch can be written without asking anything back. Knows neither SQL nor sockets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "proto/telemetry_fields.h"

namespace leakhunt::recorder {

enum class DeviceId : std::int64_t {};    // a user's name for a device
enum class IdentityId : std::int64_t {};  // a node number under that name; 0 = not yet known
enum class BootId : std::int64_t {};  // a stretch between two restarts; rises with arrival, orders everything

inline constexpr IdentityId kUnknownIdentity{0};
inline constexpr BootId kNoBoot{0};

// A place on a device's own time: microseconds since that boot's start.
struct BootTime {
  BootId boot = kNoBoot;
  Duration t{};
  auto operator<=>(const BootTime&) const = default;
};

// The three series that get a row of their own per reading.
enum class HeapField : std::uint8_t { heap_free_bytes = 1, largest_block_bytes = 2, min_free_bytes = 3 };

// Where a number came from (INTERFACES, "Samples and sources"). Stored as these values.
enum class Source : std::uint8_t {
  poll = 1,          // answer to a request for LocalStats
  stats = 2,         // LocalStats unasked
  debug_heap = 3,    // `[heap N]` prefix, `Heap status:` line
  heap_line = 4,     // heap lines of all builds
  thread_event = 5,  // leaked/freed lines of a thread
  alloc_line = 6,    // allocation lines of a call site
  boot_line = 7,     // heap figures printed while booting
  import = 8,        // a recorded file
};

using proto::Variant;

// The causes a boot can have, and signs of it.
enum class BootCause : std::uint8_t {
  unknown = 0,
  watchdog = 1,
  panic = 2,
  out_of_memory = 3,
  planned = 4,
  opened_by_recorder = 5,
  power = 6,
};

struct DeviceRow {
  DeviceId id;
  std::string name;
};

// Written when first seen and again when something of it changes.
struct IdentityRow {
  IdentityId id;
  DeviceId device;
  std::uint32_t node = 0;
  std::string long_name;
  std::string short_name;
  std::uint32_t hw_model = 0;
  Utc first_seen;
};

// Written when the boot is first seen and again whenever a field changes; the id decides.
struct BootRow {
  BootId id;
  DeviceId device;
  IdentityId identity = kUnknownIdentity;
  BootCause cause = BootCause::unknown;
  std::string signs;        // space-separated kinds of sign that told of it
  bool start_seen = false;  // the beginning was witnessed, not inferred from an uptime
  std::optional<std::uint32_t> reboot_count;
  std::string firmware_version;
  std::string pio_env;
  std::optional<bool> debug_heap;  // the build prints heap lines; unset = no log line seen yet
};

// From `since` on (this boot's time) these zero points hold: mono = mono_zero + t, utc = utc_zero + t.
// A boot gets its first when its first row comes: provisional (host_boot empty) until the first trustworthy
// uptime replaces it; further ones when the host reboots or its clock steps. A row with the boot and `since`
// of an earlier one replaces that.
struct AnchorRow {
  BootId boot;
  std::string host_boot;  // the host's boot id; empty: provisional
  Duration since{};
  Mono mono_zero;
  Utc utc_zero;
};

struct SampleRow {
  DeviceId device;
  IdentityId identity = kUnknownIdentity;
  HeapField field = HeapField::heap_free_bytes;
  Source source = Source::poll;
  BootTime at;
  std::int64_t value_bytes = 0;
  bool suspect = false;  // an isolated reading that cannot be: kept, but out of quantiles
};

// One telemetry packet of one variant. heap_free_bytes is in it too only where a sample row could not be
// made.
struct TelemetryRow {
  DeviceId device;
  IdentityId identity = kUnknownIdentity;
  std::uint32_t node = 0;  // whose it is: the own node, or another one when those are recorded
  Variant variant = Variant::local;
  Source source = Source::stats;
  BootTime at;
  // snake_case wire name -> value; only fields that were present. 64-bit counters fit a double up to 2^53.
  // The names live as long as the program (proto::Telemetry::Field).
  std::vector<std::pair<std::string_view, double>> values;
};

struct HeapEventRow {
  DeviceId device;
  BootTime at;
  std::string thread;
  std::int64_t before_bytes = 0;
  std::int64_t after_bytes = 0;  // after < before: leaked; after > before: freed
};

struct CallSiteRow {
  DeviceId device;
  BootTime at;
  std::string context;
  std::int64_t size_bytes = 0;
};

struct MemAuditRow {
  DeviceId device;
  BootTime at;
  std::string when;
  std::vector<std::pair<std::string, std::int64_t>> tag_bytes;
  std::optional<std::int64_t> total_bytes;
};

struct LogRow {
  DeviceId device;
  BootTime at;
  std::uint8_t link = 0;  // index of the link in the device's list
  std::string level;      // DEBUG INFO WARN ERROR CRIT TRACE HEAP MARK, or empty
  std::string thread;
  std::string text;                       // as the device sent it, prefix included, colours gone, redacted
  std::uint16_t body_offset = 0;          // where the message begins in `text`
  std::optional<std::int64_t> uptime_us;  // what the line itself says
  bool tells_heap = false;
  bool evidence = false;
  std::string alarm;  // kind of alarm, or empty
};

struct PacketRow {
  DeviceId device;
  BootTime at;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t port = 0;
  std::uint32_t size_bytes = 0;
  std::uint32_t hop_limit = 0;
  std::uint32_t hop_start = 0;
  std::optional<std::int32_t> rssi_dbm;
  std::optional<float> snr_db;
};

// Something that happened, kinds as in INTERFACES. `utc` is when it was seen; `at` where it stands on the
// device's time, if a boot was known. `data` is a JSON object, or empty.
struct EventRow {
  DeviceId device{};  // 0 = of the recorder itself
  Utc utc;
  std::optional<BootTime> at;
  std::string kind;
  std::string label;  // marks: the label; boots: the cause
  std::string note;
  std::string data;
};

// What went missing between two moments, and how much of it.
struct GapRow {
  DeviceId device;
  Utc from;
  Utc to;
  std::string reason;
  std::int64_t lines = 0;
  std::int64_t records = 0;
};

// All rows of `from` at or after `since` become rows of `to`, their time shifted by `shift`: the one change a
// row ever sees, when the first trustworthy uptime of a connection tells of a reboot, or of the start of a
// boot whose start was not known: then `from` and `to` are the same boot and `shift` is above 0. Goes in one
// transaction. Anchors stay.
struct MoveRows {
  BootId from;
  Duration since{};
  BootId to;
  Duration shift{};
};

struct VerdictRow {
  DeviceId device;
  Utc utc;
  Duration window{};
  std::string verdict_class;  // JSON word
  std::string state;          // provisional, confirmed, withdrawn
  std::string rules;
  std::string json;  // the whole verdict as the JSON printer writes it
};

struct AlertRow {
  std::int64_t id = 0;
  DeviceId device;
  std::string cause;
  std::string severity;  // notice, warning, critical
  std::string state;     // open, acknowledged, resolved
  Utc first;
  Utc last;
  std::int64_t count = 1;
  std::string text;
  std::string note;
};

// Counters that only ever grow, of a device, kept so that they survive a restart: name -> total.
struct CounterRow {
  DeviceId device;
  std::string name;
  std::int64_t total = 0;
};

// The serial port that a device answered on, so that it is found again under another name and by `auto`.
// One a device: the newest replaces the one before.
struct PortRow {
  DeviceId device{};
  std::string path;
  std::string by_id;
  int usb_vendor = 0;  // 0 = no USB port
  int usb_product = 0;
  std::string usb_serial;
  Utc seen;
};

// A person's change of what a device is called.
struct RenameDevice {
  DeviceId device;
  std::string name;
};

// All that was recorded under `merged` becomes a part of `into`, and `merged` is no more. Boots keep their
// ids and so their order; a node number that both have becomes one identity, that of `into`.
struct MergeDevices {
  DeviceId merged;
  DeviceId into;
  // What `merged` brings, for a recorder of `into` that runs meanwhile (DeviceRecorder::merged); the writer
  // takes it from the store.
  std::vector<IdentityRow> identities;
  std::vector<std::pair<std::string, std::int64_t>> counters;
};

// Deletes the device and all that was recorded of it.
struct ForgetDevice {
  DeviceId device;
};

using Row = std::variant<DeviceRow, IdentityRow, BootRow, AnchorRow, SampleRow, TelemetryRow, HeapEventRow,
                         CallSiteRow, MemAuditRow, LogRow, PacketRow, EventRow, GapRow, MoveRows, VerdictRow,
                         AlertRow, CounterRow, PortRow, RenameDevice, MergeDevices, ForgetDevice>;

// Bytes the row takes in a queue, its own storage included.
[[nodiscard]] std::size_t queued_bytes(const Row& row);

// Log text may go first when a queue is full; nothing else may.
[[nodiscard]] bool may_be_dropped(const Row& row);

// Written and synced at once: verdicts, marks, alerts, boots, identities, changes of devices.
[[nodiscard]] bool must_be_durable(const Row& row);

// Where a device's record stands, read from the store when the daemon starts.
struct DeviceState {
  DeviceId id;
  std::string name;
  std::vector<IdentityRow> identities;
  std::optional<BootRow> last_boot;
  std::vector<AnchorRow> last_boot_anchors;
  Duration last_boot_end{};                                    // t of the newest row of that boot
  std::vector<std::pair<std::string, std::int64_t>> counters;  // CounterRow totals
  std::optional<PortRow> port;
  std::optional<EventRow> last_release;  // the newest `released` event
};

// The ids in use, so that the recorder goes on above them.
struct RecordState {
  std::vector<DeviceState> devices;
  std::optional<EventRow> last_pause;  // the newest `recorder_pause` or `recorder_resume` event
  std::int64_t max_device = 0;
  std::int64_t max_identity = 0;
  std::int64_t max_boot = 0;
  std::int64_t max_alert = 0;
};

}  // namespace leakhunt::recorder
