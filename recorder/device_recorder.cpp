// Leads every input of a device to the parts that know its meaning. Knows no clock, socket or store.
#include "recorder/device_recorder.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <variant>

#include "recorder/boot_timeline.h"
#include "recorder/counters.h"
#include "recorder/device_identity.h"
#include "recorder/double_lines.h"
#include "recorder/heap_series.h"
#include "recorder/late_telemetry.h"
#include "recorder/line_rows.h"
#include "recorder/telemetry_trust.h"

namespace leakhunt::recorder {
namespace {

using std::chrono::seconds;

constexpr Duration kDay = std::chrono::hours{24};
constexpr Duration kCountersEvery = seconds{60};

BootSign sign_of(proto::BootSign sign) {
  switch (sign) {
    case proto::BootSign::banner:
      return BootSign::banner;
    case proto::BootSign::rom_reset:
      return BootSign::rom_reset;
    case proto::BootSign::wake_cause:
      break;
  }
  return BootSign::wake_cause;
}

bool cannot_wait(proto::AlarmKind kind) {
  return kind != proto::AlarmKind::low_heap;
}

std::string_view word(LinkKind kind) {
  switch (kind) {
    case LinkKind::serial:
      return "serial";
    case LinkKind::tcp:
      return "tcp";
    case LinkKind::listen:
      break;
  }
  return "listen";
}

}  // namespace

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
  void take_record(LinkIndex link, proto::Record record, Moment now);
  void take_line(LinkIndex link, proto::LogLine line, Moment now);
  void event(std::string kind, std::string label, std::string note, Moment now, std::string data);
  void mark(std::string label, std::string note, std::string data, std::optional<Utc> at, Moment now);
  void stop(Moment now);
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
  void set_phase(Link& link, LinkPhase phase, Moment now);
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
  void note_boot_lines(const proto::LogLine& line, Moment now);
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
  HeapSeries heap_;
  Counters counters_;

  std::optional<Moment> last_received_;
  BootId without_heap_boot_{};
  std::int64_t without_heap_ = 0;
  std::optional<Mono> evidence_day_;
  std::int64_t evidence_today_ = 0;
  std::optional<Mono> counters_written_;
};

void DeviceRecorder::Impl::end_input(Moment now) {
  if (!late_.empty()) {
    resolve_late();
  }
  timeline_.flush();
  if (!counters_written_) {
    counters_written_ = now.mono;
  }
  if (now.mono - *counters_written_ >= kCountersEvery) {
    counters_written_ = now.mono;
    counters_.write(device_, out_.rows);
  }
}

void DeviceRecorder::Impl::set_phase(Link& link, LinkPhase phase, Moment now) {
  link.live.phase = phase;
  link.live.since = now;
}

void DeviceRecorder::Impl::link_opened(LinkIndex index, LinkKind kind, Moment now) {
  Link& link = links_[index];
  link.live.kind = kind;
  ++link.live.opens;
  set_phase(link, LinkPhase::opened, now);
  link.trust.restart();
  timeline_.connection_began(index, now);
  if (kind != LinkKind::tcp) {
    timeline_.causes().serial_opened(now.mono);
  }
  if (kind == LinkKind::listen) {
    event("connection_established", std::string{word(kind)}, {}, now, {});
  }
}

void DeviceRecorder::Impl::handshake_began(LinkIndex index, Moment now) {
  Link& link = links_[index];
  link.trust.restart();
  set_phase(link, LinkPhase::handshake, now);
}

void DeviceRecorder::Impl::link_lost(LinkIndex index, std::string_view reason, Moment now) {
  Link& link = links_[index];
  const bool was_up = link.live.phase == LinkPhase::live ||
                      (link.live.kind == LinkKind::listen && link.live.phase == LinkPhase::opened);
  link.live.lost_reason = reason;
  set_phase(link, LinkPhase::closed, now);
  timeline_.causes().link_lost(now.mono);
  if (was_up) {
    event("connection_lost", std::string{word(link.live.kind)}, std::string{reason}, now, {});
  }
}

void DeviceRecorder::Impl::received(LinkIndex link, Moment now) {
  links_[link].live.last_received = now;
  last_received_ = now;
}

SampleContext DeviceRecorder::Impl::context(BootTime at, std::optional<Moment> live) const {
  return {.device = device_, .identity = identity_.id(), .at = at, .live = live};
}

void DeviceRecorder::Impl::event(std::string kind, std::string label, std::string note, Moment now,
                                 std::string data) {
  EventRow row;
  row.device = device_;
  row.utc = now.utc;
  if (timeline_.has_boot()) {
    row.at = timeline_.place(now);
  }
  row.kind = std::move(kind);
  row.label = std::move(label);
  row.note = std::move(note);
  row.data = std::move(data);
  out_.rows.emplace_back(std::move(row));
}

void DeviceRecorder::Impl::mark(std::string label, std::string note, std::string data, std::optional<Utc> at,
                                Moment now) {
  EventRow row;
  row.device = device_;
  row.utc = at.value_or(now.utc);
  row.kind = "mark";
  row.label = std::move(label);
  row.note = std::move(note);
  row.data = std::move(data);
  if (at && *at < now.utc) {
    row.at = timeline_.place_past(*at, now);
  } else if (timeline_.has_boot()) {
    row.at = timeline_.place(now);
  }
  if (row.at) {
    LogRow line;
    line.device = device_;
    line.at = *row.at;
    line.level = word(proto::Level::mark);
    line.thread = "mark_event";
    line.text = "[mark] " + row.label + (row.note.empty() ? "" : " - " + row.note);
    out_.rows.emplace_back(std::move(line));
  }
  out_.rows.emplace_back(std::move(row));
}

void DeviceRecorder::Impl::stop(Moment now) {
  check_firmware(now);
  timeline_.flush();
  counters_.write(device_, out_.rows);
}

void DeviceRecorder::Impl::take_record(LinkIndex link, proto::Record record, Moment now) {
  received(link, now);
  std::visit([&](auto&& value) { take(link, std::forward<decltype(value)>(value), now); }, std::move(record));
}

void DeviceRecorder::Impl::take(LinkIndex link, const proto::MyInfo& info, Moment now) {
  const std::string before = identity_.known() ? node_word(identity_.row().node) : std::string{};
  const auto seen = identity_.node(info.node, ids_, now.utc, out_.rows);
  if (seen == DeviceIdentity::Seen::other) {
    timeline_.node_changed(link, now);
    late_.clear();
    event("other_node", node_word(info.node), "was " + before + ": another board, or a wiped one", now, {});
  }
  timeline_.reboot_count(link, info.reboot_count, now);
  timeline_.set_identity(identity_.id());
  timeline_.set_firmware({}, info.pio_env);
}

void DeviceRecorder::Impl::take(LinkIndex /*link*/, const proto::NodeIdentity& info, Moment /*now*/) {
  identity_.names(info, out_.rows);
}

void DeviceRecorder::Impl::take(LinkIndex /*link*/, const proto::Metadata& metadata, Moment /*now*/) {
  identity_.hardware(metadata.hw_model, out_.rows);
  timeline_.set_firmware(metadata.firmware_version, {});
}

void DeviceRecorder::Impl::take(LinkIndex index, const proto::ConfigComplete& /*complete*/, Moment now) {
  Link& link = links_[index];
  link.trust.config_complete();
  if (link.live.phase != LinkPhase::live) {
    set_phase(link, LinkPhase::live, now);
    event("connection_established", std::string{word(link.live.kind)}, {}, now, {});
  }
  check_firmware(now);
}

void DeviceRecorder::Impl::take(LinkIndex link, const proto::Rebooted& /*rebooted*/, Moment now) {
  trust(link).restart();
  timeline_.seen(BootSign::rebooted, now);
}

void DeviceRecorder::Impl::take(LinkIndex /*link*/, const proto::QueueStatus& /*status*/, Moment /*now*/) {
  counters_.add("queue_status");
}

void DeviceRecorder::Impl::take(LinkIndex link, proto::LogRecord record, Moment now) {
  take_line(link, std::move(record.line), now);
}

void DeviceRecorder::Impl::take(LinkIndex link, const proto::Notification& notification, Moment now) {
  LogRow row;
  row.device = device_;
  row.at = timeline_.place(now);
  row.link = link;
  row.level = word(notification.level);
  row.thread = "ClientNotification";
  row.text = notification.message;
  out_.rows.emplace_back(std::move(row));
}

void DeviceRecorder::Impl::take(LinkIndex /*link*/, const proto::UnknownVariant& unknown, Moment /*now*/) {
  const bool telemetry = unknown.where == proto::UnknownVariant::Where::telemetry;
  counters_.add((telemetry ? "unknown_telemetry_" : "unknown_from_radio_") + std::to_string(unknown.field));
  counters_.add("unknown_variants");
}

void DeviceRecorder::Impl::take(LinkIndex /*link*/, const proto::Other& /*other*/, Moment /*now*/) {
  counters_.add("other_frames");
}

void DeviceRecorder::Impl::take(LinkIndex /*link*/, const proto::Malformed& /*malformed*/, Moment /*now*/) {
  counters_.add("malformed");
}

void DeviceRecorder::Impl::take(LinkIndex /*link*/, const proto::Packet& packet, Moment now) {
  const bool own = identity_.is_own(packet.from);
  if (!own && options_.record_others != RecordOthers::all) {
    if (options_.record_others == RecordOthers::counts) {
      counters_.add("other_node_packets");
    }
    return;
  }
  counters_.add(own ? "own_packets" : "other_node_packets");
  PacketRow row;
  row.device = device_;
  row.at = timeline_.place(now);
  row.from = packet.from;
  row.to = packet.to;
  row.port = packet.portnum.value_or(0);
  row.size_bytes = packet.payload_bytes;
  row.hop_limit = packet.hop_limit;
  row.hop_start = packet.hop_start;
  row.rssi_dbm = packet.rx_rssi;
  if (packet.rx_rssi) {
    row.snr_db = packet.rx_snr;
  }
  out_.rows.emplace_back(std::move(row));
}

void DeviceRecorder::Impl::take(LinkIndex link, proto::Telemetry telemetry, Moment now) {
  if (identity_.is_own(telemetry.from)) {
    take_own_telemetry(link, std::move(telemetry), now);
  } else {
    take_other_telemetry(telemetry, now);
  }
}

void DeviceRecorder::Impl::take_own_telemetry(LinkIndex link, proto::Telemetry telemetry, Moment now) {
  counters_.add("telemetry");
  const Freshness freshness = trust(link).classify(telemetry, now);
  if (freshness == Freshness::stale) {
    counters_.add(late_.hold(std::move(telemetry), now.mono) ? "stale_held" : "stale_dropped");
    return;
  }
  const bool device_uptime =
      telemetry.variant == proto::Variant::device || telemetry.variant == proto::Variant::local;
  if (telemetry.uptime_s && device_uptime) {
    timeline_.telemetry_uptime(link, seconds{*telemetry.uptime_s}, now);
  }
  const Source source = freshness == Freshness::asked ? Source::poll : Source::stats;
  add_telemetry(telemetry, source, context(timeline_.place(now), now));
  if (telemetry.variant == proto::Variant::local && !telemetry.heap) {
    without_heap_ = without_heap_boot_ == timeline_.boot().id ? without_heap_ + 1 : 1;
    without_heap_boot_ = timeline_.boot().id;
  }
}

void DeviceRecorder::Impl::take_other_telemetry(const proto::Telemetry& telemetry, Moment now) {
  if (options_.record_others == RecordOthers::none) {
    return;
  }
  counters_.add("other_node_telemetry");
  if (options_.record_others == RecordOthers::all) {
    add_telemetry(telemetry, Source::stats, context(timeline_.place(now), now));
  }
}

void DeviceRecorder::Impl::add_telemetry(const proto::Telemetry& telemetry, Source source,
                                         const SampleContext& context) {
  const bool sampled = telemetry.heap && identity_.is_own(telemetry.from);
  if (sampled) {
    heap_.set_total(telemetry.heap->total_bytes);
    heap_.add(context, HeapField::heap_free_bytes, source, telemetry.heap->free_bytes, out_.rows);
  }
  TelemetryRow row;
  row.device = device_;
  row.identity = identity_.id();
  row.node = telemetry.from;
  row.variant = static_cast<Variant>(telemetry.variant);
  row.source = source;
  row.at = context.at;
  row.values.reserve(telemetry.fields.size());
  for (const auto& field : telemetry.fields) {
    const auto value = proto::number(field.value);
    if (value && !(sampled && field.name == "heap_free_bytes")) {
      row.values.emplace_back(field.name, *value);
    }
  }
  out_.rows.emplace_back(std::move(row));
}

void DeviceRecorder::Impl::resolve_late() {
  const auto resolved = late_.resolve(timeline_);
  for (const auto& late : resolved.placed) {
    add_telemetry(late.telemetry, Source::stats, context(late.at, std::nullopt));
    counters_.add("stale_placed");
  }
  if (resolved.dropped > 0) {
    counters_.add("stale_dropped", resolved.dropped);
  }
}

void DeviceRecorder::Impl::take_line(LinkIndex link, proto::LogLine line, Moment now) {
  received(link, now);
  counters_.add("log_lines");
  if (line.redactions > 0) {
    counters_.add("redactions", line.redactions);
  }
  const auto twin = links_.size() > 1 ? doubles_.match(link, line, now.mono) : std::nullopt;
  if (line.boot && !twin) {
    timeline_.causes().reset_word(line.boot->cause);
  }
  if (line.uptime) {
    timeline_.text_uptime(link, *line.uptime, now);
  }
  if (twin) {
    keep_double(line, *twin, now);
  } else {
    note_boot_lines(line, now);
    note_build(line, now);
    keep_line(link, std::move(line), now);
  }
}

void DeviceRecorder::Impl::keep_double(const proto::LogLine& line, const DoubleLines::Twin& twin,
                                       Moment now) {
  counters_.add("double_lines");
  if (line.has_heap_prefix && line.heap_free_bytes && !twin.had_heap_prefix) {
    note_build(line, now);
    heap_.add(context(timeline_.place(now), now), HeapField::heap_free_bytes, source_of(line.heap_source),
              *line.heap_free_bytes, out_.rows);
  }
}

void DeviceRecorder::Impl::note_boot_lines(const proto::LogLine& line, Moment now) {
  if (line.boot) {
    timeline_.seen(sign_of(line.boot->sign), now);
  }
  if (line.alarm) {
    timeline_.causes().alarm(*line.alarm, now.mono);
  }
  if (line.announces_reboot) {
    timeline_.causes().announced(now.mono);
  }
}

void DeviceRecorder::Impl::note_build(const proto::LogLine& line, Moment now) {
  timeline_.ensure(now);
  if (shows_debug_heap(line)) {
    timeline_.set_debug_heap(true);
  } else if (!timeline_.boot().debug_heap) {
    timeline_.set_debug_heap(false);
  }
  if (line.build) {
    identity_.hardware(line.build->hw_model, out_.rows);
    timeline_.set_firmware(line.build->firmware_version, line.build->pio_env);
    check_firmware(now);
  }
}

void DeviceRecorder::Impl::check_firmware(Moment now) {
  const auto changed = identity_.firmware(timeline_.boot().firmware_version, timeline_.boot().pio_env);
  if (changed) {
    event("firmware_changed", timeline_.boot().firmware_version, *changed, now, {});
  }
}

bool DeviceRecorder::Impl::spend_evidence(const proto::LogLine& line, Moment now) {
  if (!line.alarm && !line.boot && !line.announces_reboot) {
    return false;
  }
  if (!evidence_day_ || now.mono - *evidence_day_ >= kDay) {
    evidence_day_ = now.mono;
    evidence_today_ = 0;
  }
  if (evidence_today_ >= options_.evidence_lines_per_day) {
    counters_.add("evidence_lines_unmarked");
    return false;
  }
  ++evidence_today_;
  return true;
}

void DeviceRecorder::Impl::keep_line(LinkIndex link, proto::LogLine line, Moment now) {
  const SampleContext here = context(timeline_.place(now), now);
  if (line.alarm && cannot_wait(*line.alarm)) {
    out_.alarms.push_back(Alarm{.device = device_,
                                .kind = *line.alarm,
                                .thread = line.thread,
                                .text = line.text,
                                .when = now,
                                .at = here.at});
  }
  add_line_rows(here, line, heap_, out_.rows);
  const bool evidence = spend_evidence(line, now);
  out_.rows.emplace_back(log_row(here, link, std::move(line), evidence));
}

DeviceLive DeviceRecorder::Impl::live() const {
  DeviceLive live;
  live.device = device_;
  live.name = name_;
  for (const auto& [index, link] : links_) {
    live.links.resize(std::size_t{index} + 1);
    live.links[index] = link.live;
    live.polls_asked += link.trust.polls_asked();
    live.polls_answered += link.trust.polls_answered();
    live.polls_unanswered_in_a_row =
        std::max(live.polls_unanswered_in_a_row, link.trust.unanswered_in_a_row());
  }
  if (identity_.known()) {
    live.identity = identity_.row();
  }
  if (timeline_.has_boot()) {
    live.boot = timeline_.boot();
    live.boot_start_known = timeline_.start_known();
    live.boot_start = timeline_.start();
  }
  live.uptime = timeline_.newest_uptime();
  live.last_received = last_received_;
  live.heap = heap_.newest();
  live.cadence = heap_.cadence();
  live.heap_total_bytes = heap_.total_bytes();
  live.local_stats_without_heap = without_heap_boot_ == timeline_.boot().id ? without_heap_ : 0;
  live.counters = counters_.totals();
  return live;
}

DeviceRecorder::DeviceRecorder(std::string name, RecorderOptions options, Ids& ids, std::string host_boot,
                               const DeviceState* restored)
    : impl_(std::make_unique<Impl>(std::move(name), options, ids, std::move(host_boot), restored)) {}
DeviceRecorder::DeviceRecorder(DeviceRecorder&&) noexcept = default;
DeviceRecorder& DeviceRecorder::operator=(DeviceRecorder&&) noexcept = default;
DeviceRecorder::~DeviceRecorder() = default;

void DeviceRecorder::link_opened(LinkIndex link, LinkKind kind, Moment now) {
  impl_->begin_input(now);
  impl_->link_opened(link, kind, now);
  impl_->end_input(now);
}

void DeviceRecorder::handshake_began(LinkIndex link, Moment now) {
  impl_->begin_input(now);
  impl_->handshake_began(link, now);
  impl_->end_input(now);
}

void DeviceRecorder::link_lost(LinkIndex link, std::string_view reason, Moment now) {
  impl_->begin_input(now);
  impl_->link_lost(link, reason, now);
  impl_->end_input(now);
}

void DeviceRecorder::record(LinkIndex link, proto::Record record, Moment now) {
  impl_->begin_input(now);
  impl_->take_record(link, std::move(record), now);
  impl_->end_input(now);
}

void DeviceRecorder::line(LinkIndex link, proto::LogLine line, Moment now) {
  impl_->begin_input(now);
  impl_->take_line(link, std::move(line), now);
  impl_->end_input(now);
}

void DeviceRecorder::asked(LinkIndex link, std::uint32_t request_id, Moment now) {
  impl_->trust(link).asked(request_id, now);
}

void DeviceRecorder::reboot_planned(Moment now) {
  impl_->timeline().causes().planned(now.mono);
}

void DeviceRecorder::host_slept(Moment now) {
  impl_->begin_input(now);
  impl_->timeline().host_slept(now);
  impl_->end_input(now);
}

void DeviceRecorder::event(std::string kind, std::string label, std::string note, Moment now,
                           std::string data) {
  impl_->begin_input(now);
  impl_->event(std::move(kind), std::move(label), std::move(note), now, std::move(data));
  impl_->end_input(now);
}

void DeviceRecorder::mark(std::string label, std::string note, std::string data, std::optional<Utc> at,
                          Moment now) {
  impl_->begin_input(now);
  impl_->mark(std::move(label), std::move(note), std::move(data), at, now);
  impl_->end_input(now);
}

void DeviceRecorder::count(std::string_view name, std::int64_t more) {
  impl_->counters().add(name, more);
}

void DeviceRecorder::tick(Moment now) {
  impl_->begin_input(now);
  impl_->end_input(now);
}

void DeviceRecorder::stop(Moment now) {
  impl_->begin_input(now);
  impl_->stop(now);
}

RecorderOutput DeviceRecorder::take() {
  return impl_->take();
}

DeviceLive DeviceRecorder::live() const {
  return impl_->live();
}

DeviceId DeviceRecorder::id() const {
  return impl_->id();
}

}  // namespace leakhunt::recorder
