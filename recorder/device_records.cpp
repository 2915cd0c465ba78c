// Leads each record of a frame to the part that knows its meaning. Knows no clock, socket or store.
#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "recorder/device_recorder_impl.h"

namespace leakhunt::recorder {

using std::chrono::seconds;

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
  timeline_.seen(BootSign::rebooted, link, now);
}

void DeviceRecorder::Impl::take(LinkIndex /*link*/, const proto::QueueStatus& /*status*/, Moment /*now*/) {
  counters_.add("queue_status");
}

void DeviceRecorder::Impl::take(LinkIndex link, proto::LogRecord record, Moment now) {
  take_line(link, std::move(record.line), now);
}

void DeviceRecorder::Impl::take(LinkIndex link, const proto::Notification& notification, Moment now) {
  LogRow row{};
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

void DeviceRecorder::Impl::take(LinkIndex link, const proto::Packet& packet, Moment now) {
  if (packets_.is_double(link, packet.from, packet.id)) {
    counters_.add("double_packets");
    return;
  }
  const bool own = identity_.is_own(packet.from);
  if (!own && options_.record_others != RecordOthers::all) {
    if (options_.record_others == RecordOthers::counts) {
      counters_.add("other_node_packets");
    }
    return;
  }
  counters_.add(own ? "own_packets" : "other_node_packets");
  PacketRow row{};
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
  // An answer belongs to the link that asked; what comes unasked goes to each of them.
  if (telemetry.request_id == 0 && telemetries_.is_double(link, telemetry.from, telemetry.packet_id)) return;
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
  TelemetryRow row{};
  row.device = device_;
  row.identity = identity_.id();
  row.node = telemetry.from;
  row.variant = telemetry.variant;
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

}  // namespace leakhunt::recorder
