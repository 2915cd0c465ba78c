// The virtual device and the model of the store. Knows no rule of the recorder.
#include "tests/recorder/story.h"

#include <algorithm>
#include <set>
#include <utility>

#include "recorder/boot_cause.h"

namespace leakhunt::recorder::testing {
namespace {

template <class RowT>
void move_one(RowT& row, const MoveRows& move) {
  if (row.at.boot == move.from && row.at.t >= move.since) {
    row.at = {move.to, row.at.t + move.shift};
  }
}

template <class RowT>
void move_all(std::vector<RowT>& rows, const MoveRows& move) {
  for (auto& row : rows) {
    move_one(row, move);
  }
}

struct Apply {
  Stored& s;
  void operator()(DeviceRow row) const { s.devices.push_back(std::move(row)); }
  void operator()(IdentityRow row) const { s.identities[row.id] = std::move(row); }
  void operator()(BootRow row) const {
    if (s.boots.insert_or_assign(row.id, row).second) {
      s.boot_order.push_back(row.id);
    }
    for (EventRow& event : s.events) {
      if (event.kind == "boot" && event.at && event.at->boot == row.id) {
        event.label = word(row.cause);
        event.note = row.signs;
      }
    }
  }
  void operator()(AnchorRow row) const {
    std::erase_if(s.anchors,
                  [&](const AnchorRow& old) { return old.boot == row.boot && old.since == row.since; });
    s.anchors.push_back(std::move(row));
  }
  void operator()(SampleRow row) const { s.samples.push_back(row); }
  void operator()(TelemetryRow row) const { s.telemetry.push_back(std::move(row)); }
  void operator()(HeapEventRow row) const { s.heap_events.push_back(std::move(row)); }
  void operator()(CallSiteRow row) const { s.call_sites.push_back(std::move(row)); }
  void operator()(MemAuditRow row) const { s.mem_audits.push_back(std::move(row)); }
  void operator()(LogRow row) const { s.logs.push_back(std::move(row)); }
  void operator()(PacketRow row) const { s.packets.push_back(row); }
  void operator()(EventRow row) const { s.events.push_back(std::move(row)); }
  void operator()(CounterRow row) const { s.counters[row.name] = row.total; }
  void operator()(const MoveRows& move) const {
    move_all(s.samples, move);
    move_all(s.telemetry, move);
    move_all(s.logs, move);
    move_all(s.heap_events, move);
    move_all(s.call_sites, move);
    move_all(s.mem_audits, move);
    move_all(s.packets, move);
    for (auto& event : s.events) {
      if (event.at && event.at->boot == move.from && event.at->t >= move.since) {
        event.at = BootTime{move.to, event.at->t + move.shift};
      }
    }
  }
  template <class Other>
  void operator()(const Other& /*row*/) const {}
};

template <class RowT>
Duration newest(const std::vector<RowT>& rows, BootId boot, Duration least) {
  for (const auto& row : rows) {
    if (row.at.boot == boot) {
      least = std::max(least, row.at.t);
    }
  }
  return least;
}

}  // namespace

void Stored::apply(RecorderOutput output) {
  written.insert(written.end(), output.rows.begin(), output.rows.end());
  for (auto& row : output.rows) {
    std::visit(Apply{*this}, std::move(row));
  }
  for (auto& alarm : output.alarms) {
    alarms.push_back(std::move(alarm));
  }
}

std::optional<Utc> Stored::utc(BootTime at) const {
  const AnchorRow* best = nullptr;
  for (const auto& anchor : anchors) {
    if (anchor.boot == at.boot && anchor.since <= at.t && (best == nullptr || anchor.since >= best->since)) {
      best = &anchor;
    }
  }
  return best == nullptr ? std::nullopt : std::optional{best->utc_zero + at.t};
}

std::vector<EventRow> Stored::events_of(const std::string& kind) const {
  std::vector<EventRow> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found),
               [&](const EventRow& event) { return event.kind == kind; });
  return found;
}

DeviceState Stored::state() const {
  DeviceState state;
  state.id = devices.front().id;
  state.name = devices.front().name;
  for (const auto& [id, identity] : identities) {
    state.identities.push_back(identity);
  }
  if (!boots.empty()) {
    const BootRow& last = boots.rbegin()->second;
    state.last_boot = last;
    for (const auto& anchor : anchors) {
      if (anchor.boot == last.id) {
        state.last_boot_anchors.push_back(anchor);
      }
    }
    std::sort(state.last_boot_anchors.begin(), state.last_boot_anchors.end(),
              [](const AnchorRow& a, const AnchorRow& b) { return a.since < b.since; });
    state.last_boot_end = newest(samples, last.id, newest(logs, last.id, newest(telemetry, last.id, {})));
    for (const auto& event : events) {
      if (event.at && event.at->boot == last.id) {
        state.last_boot_end = std::max(state.last_boot_end, event.at->t);
      }
    }
  }
  for (const auto& [name, total] : counters) {
    state.counters.emplace_back(name, total);
  }
  return state;
}

Story::Story(RecorderOptions options) : options_(options), ids_(std::make_unique<Ids>(state_)) {
  recorder = std::make_unique<DeviceRecorder>("bench1", options_, *ids_, host_boot_, nullptr);
  absorb();
}

void Story::pass(Duration d) {
  now.utc = now.utc + d;
  now.mono = now.mono + d;
}

void Story::step_clock(Duration by) {
  now.utc = now.utc + by;
}

void Story::restart(bool host_rebooted, Mono mono) {
  absorb();
  if (host_rebooted) {
    host_boot_ = "host-boot-" + std::to_string(++host_boots_);
    now.mono = mono;
  }
  const DeviceState state = stored.state();
  recorder = std::make_unique<DeviceRecorder>("bench1", options_, *ids_, host_boot_, &state);
  absorb();
}

void Story::open(LinkIndex link, LinkKind kind) {
  recorder->link_opened(link, kind, now);
  absorb();
}

void Story::handshake(std::uint32_t reboot_count, LinkIndex link, std::uint32_t node,
                      const std::string& version, const std::string& pio_env) {
  recorder->handshake_began(link, now);
  pass(milliseconds{20});
  proto::MyInfo info;
  info.node = node;
  info.reboot_count = reboot_count;
  info.pio_env = pio_env;
  record(info, link);
  proto::Metadata metadata;
  metadata.firmware_version = version;
  metadata.hw_model = 43;
  record(metadata, link);
  pass(milliseconds{20});
  record(proto::ConfigComplete{.nonce = 69420}, link);
}

void Story::connect(std::uint32_t reboot_count, LinkIndex link, LinkKind kind) {
  open(link, kind);
  pass(milliseconds{10});
  handshake(reboot_count, link);
}

void Story::lose(LinkIndex link) {
  recorder->link_lost(link, "end of file", now);
  absorb();
}

void Story::record(proto::Record record, LinkIndex link) {
  recorder->record(link, std::move(record), now);
  absorb();
}

void Story::line(proto::LogLine line, LinkIndex link) {
  recorder->line(link, std::move(line), now);
  absorb();
}

void Story::telemetry(const TelemetrySpec& spec, LinkIndex link) {
  record(telemetry_of(spec), link);
}

void Story::poll(std::uint32_t uptime_s, std::int64_t free_bytes, LinkIndex link) {
  const std::uint32_t id = ++next_request_;
  recorder->asked(link, id, now);
  pass(milliseconds{100});
  telemetry({.uptime_s = uptime_s, .free_bytes = free_bytes, .request_id = id}, link);
}

void Story::text(std::int64_t uptime_s, LinkIndex link, const std::string& body) {
  proto::LogLine entry;
  const std::string prefix = "INFO  | 12:00:00 " + std::to_string(uptime_s) + " [Router] ";
  entry.text = prefix + body;
  entry.message_at = prefix.size();
  entry.level = proto::Level::info;
  entry.thread = "Router";
  entry.uptime = seconds{uptime_s};
  line(std::move(entry), link);
}

proto::Telemetry telemetry_of(const TelemetrySpec& spec) {
  proto::Telemetry telemetry;
  telemetry.from = spec.from;
  telemetry.variant = spec.variant;
  telemetry.request_id = spec.request_id;
  if (spec.uptime_s && *spec.uptime_s != 0) {
    telemetry.uptime_s = spec.uptime_s;
    telemetry.fields.push_back({"uptime_seconds", std::int64_t{*spec.uptime_s}});
  }
  if (spec.free_bytes) {
    telemetry.heap = proto::HeapFigures{.free_bytes = *spec.free_bytes, .total_bytes = 300'000};
    telemetry.fields.push_back({"heap_total_bytes", std::int64_t{300'000}});
    telemetry.fields.push_back({"heap_free_bytes", *spec.free_bytes});
  }
  return telemetry;
}

proto::LogLine boot_line(proto::BootSign sign, proto::ResetCause cause) {
  proto::LogLine line;
  line.text = "boot line " + std::string{word(sign)};
  line.boot = proto::Boot{.sign = sign, .cause = cause, .detail = {}};
  return line;
}

proto::LogLine alarm_line(proto::AlarmKind kind) {
  proto::LogLine line;
  line.text = "alarm " + std::string{word(kind)};
  line.alarm = kind;
  return line;
}

}  // namespace leakhunt::recorder::testing
