// A device's life as the tests tell it, and the store as it would look after it. Virtual moments only.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proto/records.h"
#include "recorder/device_recorder.h"

namespace leakhunt::recorder::testing {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

inline constexpr std::uint32_t kNode = 0x11223344;

// Applies rows in their order, moves included, as the store does.
struct Stored {
  std::vector<DeviceRow> devices;
  std::map<IdentityId, IdentityRow> identities;
  std::map<BootId, BootRow> boots;
  std::vector<BootId> boot_order;
  std::vector<AnchorRow> anchors;
  std::vector<SampleRow> samples;
  std::vector<TelemetryRow> telemetry;
  std::vector<LogRow> logs;
  std::vector<HeapEventRow> heap_events;
  std::vector<CallSiteRow> call_sites;
  std::vector<MemAuditRow> mem_audits;
  std::vector<PacketRow> packets;
  std::vector<EventRow> events;
  std::map<std::string, std::int64_t> counters;
  std::vector<Alarm> alarms;
  std::vector<Row> written;  // all rows as they came out

  void apply(RecorderOutput output);
  // The host's civil time of a place, through the anchors.
  [[nodiscard]] std::optional<Utc> utc(BootTime at) const;
  [[nodiscard]] std::vector<EventRow> events_of(const std::string& kind) const;
  // What load_state would give a recorder that starts now.
  [[nodiscard]] DeviceState state() const;
};

struct TelemetrySpec {
  std::uint32_t from = kNode;
  proto::Variant variant = proto::Variant::local;
  std::optional<std::uint32_t> uptime_s = std::nullopt;
  std::optional<std::int64_t> free_bytes = std::nullopt;
  std::uint32_t request_id = 0;
};

class Story {
 public:
  explicit Story(RecorderOptions options = {});

  Moment now{.utc = {1'764'500'000'000'000}, .mono = {5'000'000'000}};
  Stored stored;

  void pass(Duration d);
  void step_clock(Duration by);

  // The recorder dies and starts again on what is stored; another host boot has another monotonic clock.
  void restart(bool host_rebooted = false, Mono mono = {30'000'000});

  void open(LinkIndex link = 0, LinkKind kind = LinkKind::tcp);
  void handshake(std::uint32_t reboot_count, LinkIndex link = 0, std::uint32_t node = kNode,
                 const std::string& version = "2.7.11", const std::string& pio_env = "heltec-v3");
  void connect(std::uint32_t reboot_count, LinkIndex link = 0, LinkKind kind = LinkKind::tcp);
  void lose(LinkIndex link = 0);
  void record(proto::Record record, LinkIndex link = 0);
  void line(proto::LogLine line, LinkIndex link = 0);
  void telemetry(const TelemetrySpec& spec, LinkIndex link = 0);
  // A request and its answer at once.
  void poll(std::uint32_t uptime_s, std::int64_t free_bytes = 100'000, LinkIndex link = 0);
  // A plain line of text mode.
  void text(std::int64_t uptime_s, LinkIndex link = 0, const std::string& body = "hello");

  void absorb() { stored.apply(recorder->take()); }

  std::unique_ptr<DeviceRecorder> recorder;

 private:
  RecorderOptions options_;
  RecordState state_;
  std::unique_ptr<Ids> ids_;
  std::string host_boot_ = "host-boot-1";
  std::uint32_t next_request_ = 1000;
  int host_boots_ = 1;
};

[[nodiscard]] proto::Telemetry telemetry_of(const TelemetrySpec& spec);
[[nodiscard]] proto::LogLine boot_line(proto::BootSign sign,
                                       proto::ResetCause cause = proto::ResetCause::unknown);
[[nodiscard]] proto::LogLine alarm_line(proto::AlarmKind kind);

}  // namespace leakhunt::recorder::testing
