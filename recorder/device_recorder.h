// Turns what one device says, over any number of links, into rows: boots, the device's time, whose figures
// they are, what is kept. A state machine without clock, socket or store: every input carries its moment.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "proto/log_line.h"
#include "proto/records.h"
#include "recorder/device_live.h"
#include "recorder/ids.h"
#include "recorder/rows.h"

namespace leakhunt::recorder {

// What is kept of packets and telemetry of other nodes: nothing, how many, or all.
enum class RecordOthers : std::uint8_t { none, counts, all };

struct RecorderOptions {
  RecordOthers record_others = RecordOthers::counts;
  std::int64_t evidence_lines_per_day = 1000;  // beyond that lines are not marked, only counted
};

// A line that cannot wait for the next look: out_of_memory, allocation_failure, panic, watchdog.
struct Alarm {
  DeviceId device{};
  proto::AlarmKind kind = proto::AlarmKind::out_of_memory;
  std::string thread;
  std::string text;  // the whole line, redacted
  Moment when;
  BootTime at;
};

struct RecorderOutput {
  std::vector<Row> rows;  // in the order in which they must be written
  std::vector<Alarm> alarms;
};

// Index of a link in the device's list of links.
using LinkIndex = std::uint8_t;

// Not thread-safe. Moments must not run backwards in `mono`; `utc` may step as it likes.
class DeviceRecorder {
 public:
  // `restored` is what the store knows of the device, or null for a new one. `host_boot` is the host's boot
  // id
  // (/proc/sys/kernel/random/boot_id): the same one means that `mono` goes on where the store left it.
  DeviceRecorder(std::string name, RecorderOptions options, Ids& ids, std::string host_boot,
                 const DeviceState* restored);
  DeviceRecorder(DeviceRecorder&&) noexcept;
  DeviceRecorder& operator=(DeviceRecorder&&) noexcept;
  ~DeviceRecorder();

  // Life of a link. A listening link needs no handshake. Telemetry is live only after config_complete, which
  // comes as a record.
  void link_opened(LinkIndex link, LinkKind kind, Moment now);
  void handshake_began(LinkIndex link, Moment now);
  void link_lost(LinkIndex link, std::string_view reason, Moment now);
  // The recorder itself closed it, for another program or a pause: nothing was lost.
  void link_given_up(LinkIndex link, Moment now);

  // One decoded record of a frame, one line of text (read with proto::read_text_line).
  void record(LinkIndex link, proto::Record record, Moment now);
  void line(LinkIndex link, proto::LogLine line, Moment now);

  // A request for LocalStats was sent with this packet id.
  void asked(LinkIndex link, std::uint32_t request_id, Moment now);

  // The next boot is of our own doing (flashing after a release, a changed setting).
  void reboot_planned(Moment now);
  // The host has slept: uptimes that come within the next 5 s may have waited in a buffer.
  void host_slept(Moment now);

  // An event of a kind of INTERFACES "Events, logs, marks" that the caller saw (released, device_silent,
  // ...).
  void event(std::string kind, std::string label, std::string note, Moment now, std::string data = {});
  // A person's mark: an event, and a line `[mark] LABEL - NOTE` of level MARK. `at` before now places it back
  // as far as the current boot's time reaches.
  void mark(std::string label, std::string note, std::string data, std::optional<Utc> at, Moment now);
  // What a link counted by itself (frames, discarded bytes, ...).
  void count(std::string_view name, std::int64_t more);

  // A person renamed this device, or merged another one into it: what is known of it here follows the store.
  // The rows that change the store are queued by the caller.
  void renamed(std::string name);
  void merged(const MergeDevices& change);

  // Call at least once a minute: finds steps of the clock on a quiet device and writes the counters.
  void tick(Moment now);
  // Writes what is still held back. Nothing may come after it.
  void stop(Moment now);

  // What came out since the last call.
  [[nodiscard]] RecorderOutput take();
  [[nodiscard]] DeviceLive live() const;
  [[nodiscard]] DeviceId id() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace leakhunt::recorder
