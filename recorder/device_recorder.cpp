// Life of links, events and the live view of one device. Knows no clock, socket or store.
#include "recorder/device_recorder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "recorder/device_recorder_impl.h"

namespace leakhunt::recorder {
namespace {

constexpr Duration kCountersEvery = std::chrono::seconds{60};

}  // namespace

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
  EventRow row{};
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

void DeviceRecorder::Impl::merged(const MergeDevices& change) {
  identity_.adopt(change.identities);
  for (const auto& [name, total] : change.counters) {
    counters_.add(name, total);
  }
}

void DeviceRecorder::Impl::mark(std::string label, std::string note, std::string data, std::optional<Utc> at,
                                Moment now) {
  EventRow row{};
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
    LogRow line{};
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

void DeviceRecorder::link_given_up(LinkIndex link, Moment now) {
  impl_->begin_input(now);
  impl_->link_given_up(link, now);
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

void DeviceRecorder::renamed(std::string name) {
  impl_->renamed(std::move(name));
}

void DeviceRecorder::merged(const MergeDevices& change) {
  impl_->merged(change);
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
