// The state of one device's recorder, for the files that lead its inputs: device_recorder.cpp (links,
// events), device_records.cpp (frames), device_lines.cpp (text). Included by no other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "recorder/boot_timeline.h"
#include "recorder/counters.h"
#include "recorder/device_identity.h"
#include "recorder/device_recorder.h"
#include "recorder/double_lines.h"
#include "recorder/double_packets.h"
#include "recorder/heap_series.h"
#include "recorder/late_telemetry.h"
#include "recorder/telemetry_trust.h"

namespace leakhunt::recorder {

class DeviceRecorder::Impl {
 public:
  Impl(std::string name, RecorderOptions options, Ids& ids, std::string host_boot,
       const DeviceState* restored)
      : options_(options),
        ids_(ids),
        device_(restored != nullptr ? restored->id : ids.next_device()),
        name_(std::move(name)),
        timeline_(device_, ids, std::move(host_boot), restored, out_.rows),
        identity_(device_, restored) {
    if (restored != nullptr) {
      counters_ = Counters{restored->counters};
    }
    if (restored == nullptr || restored->name != name_) {
      out_.rows.emplace_back(DeviceRow{.id = device_, .name = name_});
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void link_opened(LinkIndex link, LinkKind kind, Moment now);
  void handshake_began(LinkIndex link, Moment now);
  void link_lost(LinkIndex link, std::string_view reason, Moment now);
  void link_given_up(LinkIndex link, Moment now) { set_phase(links_[link], LinkPhase::closed, now); }
  void take_record(LinkIndex link, proto::Record record, Moment now);
  void take_line(LinkIndex link, proto::LogLine line, Moment now);
  void event(std::string kind, std::string label, std::string note, Moment now, std::string data);
  void mark(std::string label, std::string note, std::string data, std::optional<Utc> at, Moment now);
  void stop(Moment now);
  void renamed(std::string name) { name_ = std::move(name); }
  void merged(const MergeDevices& change);
  [[nodiscard]] DeviceLive live() const;

  void begin_input(Moment now) { timeline_.observe(now); }
  void end_input(Moment now);
  [[nodiscard]] TelemetryTrust& trust(LinkIndex link) { return links_[link].trust; }
  [[nodiscard]] BootTimeline& timeline() { return timeline_; }
  [[nodiscard]] Counters& counters() { return counters_; }
  [[nodiscard]] DeviceId id() const { return device_; }
  [[nodiscard]] RecorderOutput take() { return std::exchange(out_, RecorderOutput{}); }

 private:
  struct Link {
    LinkLive live;
    TelemetryTrust trust;
  };

  void received(LinkIndex link, Moment now);
  static void set_phase(Link& link, LinkPhase phase, Moment now);
  [[nodiscard]] SampleContext context(BootTime at, std::optional<Moment> live) const;

  void take(LinkIndex link, const proto::MyInfo& info, Moment now);
  void take(LinkIndex link, const proto::NodeIdentity& info, Moment now);
  void take(LinkIndex link, const proto::Metadata& metadata, Moment now);
  void take(LinkIndex link, const proto::ConfigComplete& complete, Moment now);
  void take(LinkIndex link, const proto::Rebooted& rebooted, Moment now);
  void take(LinkIndex link, const proto::QueueStatus& status, Moment now);
  void take(LinkIndex link, proto::LogRecord record, Moment now);
  void take(LinkIndex link, const proto::Packet& packet, Moment now);
  void take(LinkIndex link, proto::Telemetry telemetry, Moment now);
  void take(LinkIndex link, const proto::Notification& notification, Moment now);
  void take(LinkIndex link, const proto::UnknownVariant& unknown, Moment now);
  void take(LinkIndex link, const proto::Other& other, Moment now);
  void take(LinkIndex link, const proto::Malformed& malformed, Moment now);

  void take_own_telemetry(LinkIndex link, proto::Telemetry telemetry, Moment now);
  void take_other_telemetry(const proto::Telemetry& telemetry, Moment now);
  void add_telemetry(const proto::Telemetry& telemetry, Source source, const SampleContext& context);
  void resolve_late();

  void keep_line(LinkIndex link, proto::LogLine line, Moment now);
  void keep_double(const proto::LogLine& line, const DoubleLines::Twin& twin, Moment now);
  void note_boot_lines(LinkIndex link, const proto::LogLine& line, Moment now);
  void note_build(const proto::LogLine& line, Moment now);
  void check_firmware(Moment now);
  [[nodiscard]] bool spend_evidence(const proto::LogLine& line, Moment now);

  RecorderOptions options_;
  Ids& ids_;
  DeviceId device_;
  std::string name_;
  RecorderOutput out_;
  BootTimeline timeline_;  // writes to out_
  DeviceIdentity identity_;
  std::map<LinkIndex, Link> links_;
  LateTelemetry late_;
  DoubleLines doubles_;
  DoublePackets packets_;
  DoublePackets telemetries_;
  HeapSeries heap_;
  Counters counters_;

  std::optional<Moment> last_received_;
  BootId without_heap_boot_{};
  std::int64_t without_heap_ = 0;
  std::optional<Mono> evidence_day_;
  std::int64_t evidence_today_ = 0;
  std::optional<Mono> counters_written_;
};

}  // namespace leakhunt::recorder
