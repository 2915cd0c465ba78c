// The status question: what the running recorder told, completed with what the store knows.
#include <fmt/format.h>

#include <algorithm>

#include "answer/figures.h"
#include "answer/judgement.h"
#include "answer/questions.h"
#include "answer/store_status.h"
#include "answer/times.h"
#include "answer/words.h"
#include "proto/hardware.h"

namespace leakhunt::answer {
namespace {

constexpr Duration kSourcesSeenOver = std::chrono::hours{6};
constexpr Duration kGapsShownOver = std::chrono::hours{24};

void fill(v1::StreamTotals& out, const storage::Total& total) {
  out.set_lines(total.rows);
  if (total.newest) {
    out.set_last_ts(epoch(*total.newest));
  }
}

void fill(v1::FileTotals& out, const storage::Totals& totals) {
  fill(*out.mutable_logs(), totals.logs);
  fill(*out.mutable_telemetry(), totals.telemetry);
  fill(*out.mutable_packets(), totals.packets);
  fill(*out.mutable_events(), totals.events);
}

void add(v1::StreamTotals& sum, const v1::StreamTotals& part) {
  sum.set_lines(sum.lines() + part.lines());
  if (part.has_last_ts()) {
    sum.set_last_ts(std::max(sum.last_ts(), part.last_ts()));
  }
}

void add(v1::FileTotals& sum, const v1::FileTotals& part) {
  add(*sum.mutable_logs(), part.logs());
  add(*sum.mutable_telemetry(), part.telemetry());
  add(*sum.mutable_packets(), part.packets());
  add(*sum.mutable_events(), part.events());
}

// Text that the recorder set stays.
void set_if_empty(std::string& out, std::string value) {
  if (out.empty()) {
    out = std::move(value);
  }
}

void fill_identity(v1::DeviceStatus& out, const Asked& asked, const recorder::BootRow* boot) {
  const auto identities = asked.reader.identities(asked.device.id);
  if (identities.empty()) {
    return;
  }
  const auto current = std::find_if(identities.begin(), identities.end(), [&](const auto& identity) {
    return boot != nullptr && identity.id == boot->identity;
  });
  const recorder::IdentityRow& identity = current != identities.end() ? *current : identities.back();
  set_if_empty(*out.mutable_node(), fmt::format("!{:08x}", identity.node));
  set_if_empty(*out.mutable_long_name(), identity.long_name);
  const std::string_view name = proto::hardware_name(identity.hw_model);
  set_if_empty(*out.mutable_hardware(),
               name.empty() ? "model " + std::to_string(identity.hw_model) : std::string{name});
  set_if_empty(
      *out.mutable_chip(),
      std::string{proto::word(proto::chip_of(identity.hw_model, boot == nullptr ? "" : boot->pio_env))});
}

void fill_boot(v1::DeviceStatus& out, const Asked& asked, const std::vector<storage::BootSpan>& boots) {
  out.set_boots(static_cast<std::int64_t>(boots.size()));
  if (boots.empty()) {
    return;
  }
  const storage::BootSpan& last = boots.back();
  set_if_empty(*out.mutable_firmware_version(), last.boot.firmware_version);
  set_if_empty(*out.mutable_pio_env(), last.boot.pio_env);
  if (!out.has_debug_heap() && last.boot.debug_heap) {
    out.set_debug_heap(*last.boot.debug_heap);
  }
  out.set_boot(static_cast<std::int64_t>(last.boot.id));
  out.set_boot_started(epoch(last.began));
  out.set_uptime_s(seconds(std::max(asked.now - last.began, Duration::zero())));
}

void fill_sources(v1::DeviceStatus& out, const Asked& asked) {
  const FieldChoice heap{recorder::Variant::local, "local", "heap_free_bytes",
                         recorder::HeapField::heap_free_bytes, false};
  const storage::Window recent{asked.now - kSourcesSeenOver, asked.now + Duration{1}};
  for (const analysis::Series& series : load_series(asked, heap, recent, {}).series) {
    v1::SourceStatus& source = *out.add_sources();
    source.set_source(series.source);
    for (const analysis::Stretch& stretch : series.stretches) {
      source.set_samples(source.samples() + static_cast<std::int64_t>(stretch.points.size()));
      source.set_last_ts(stretch.points.back().t_s);
      source.set_last_value_bytes(static_cast<std::int64_t>(stretch.points.back().value));
    }
    if (const auto cadence = cadence_s(series)) {
      source.set_cadence_s(*cadence);
    }
    out.set_last_sample_ts(std::max(out.last_sample_ts(), source.last_ts()));
  }
}

void fill_headline(v1::DeviceStatus& out, const Asked& asked) {
  std::vector<v1::Verdict> verdicts;
  for (const Duration window : asked.settings.scheduled_windows) {
    if (auto verdict = stored_verdict(asked.reader, asked.device.id, window)) {
      verdicts.push_back(std::move(*verdict));
    }
  }
  if (const v1::Verdict* chosen = headline(verdicts)) {
    *out.mutable_headline() = *chosen;
    out.set_headline_window(length_words(from_seconds(chosen->window_s())));
  }
}

void fill_gaps(v1::DeviceStatus& out, const Asked& asked) {
  const storage::Window recent{asked.now - kGapsShownOver, asked.now + Duration{1}};
  for (const recorder::GapRow& gap : asked.reader.gaps(asked.device.id, recent)) {
    v1::Gap& added = *out.add_gaps();
    added.set_from(epoch(gap.from));
    added.set_to(epoch(gap.to));
    added.set_reason(gap.reason);
    added.set_lines(gap.lines);
    added.set_records(gap.records);
  }
}

void fill_device(v1::DeviceStatus& out, const Asked& asked) {
  out.set_name(asked.device.name);
  fill(*out.mutable_files(), asked.reader.totals(asked.device.id));
  if (asked.device.id == kNotInStore) {
    return;
  }
  const auto boots = asked.reader.boots(asked.device.id);
  fill_boot(out, asked, boots);
  fill_identity(out, asked, boots.empty() ? nullptr : &boots.back().boot);
  fill_sources(out, asked);
  if (const auto newest = asked.reader.newest(asked.device.id)) {
    out.set_last_ts(epoch(*newest));
  }
  if (!out.has_headline()) {
    fill_headline(out, asked);
  }
  fill_gaps(out, asked);
  storage::AlertQuery open{asked.device.id, true};
  const auto alerts = asked.reader.alerts(open);
  out.set_open_alerts(
      std::count_if(alerts.begin(), alerts.end(), [](const auto& alert) { return alert.state == "open"; }));
  for (const recorder::CounterRow& counter : asked.reader.counters(asked.device.id)) {
    out.mutable_counters()->insert({counter.name, counter.total});
  }
}

v1::DeviceStatus& status_of(v1::Status& status, const std::string& name) {
  for (v1::DeviceStatus& device : *status.mutable_devices()) {
    if (device.name() == name) {
      return device;
    }
  }
  return *status.add_devices();
}

// Open alerts that are of no device: of the recorder itself.
std::int64_t alerts_of_recorder(const v1::Status& live) {
  std::int64_t open = live.open_alerts();
  for (const v1::DeviceStatus& device : live.devices()) {
    open -= device.open_alerts();
  }
  return std::max<std::int64_t>(open, 0);
}

}  // namespace

Result<v1::Status> answer_status(storage::Reader& reader, const EngineSettings& settings,
                                 const AnswerContext& context, const std::string& device) {
  auto devices = known_devices(reader, context.live);
  if (!device.empty()) {
    const auto asked = ask_of(reader, settings, context, device, v1::RULES_LEAKHUNT);
    if (!asked) {
      return asked.error();
    }
    devices = {asked->device};
  }
  v1::Status out;
  if (context.live != nullptr) {
    out = *context.live;
  }
  if (!device.empty()) {
    const v1::DeviceStatus kept = status_of(out, device);
    out.clear_devices();
    *out.add_devices() = kept;
  }
  out.set_offline(context.offline);
  out.clear_files();
  out.clear_open_alerts();
  if (context.live != nullptr) {
    out.set_open_alerts(alerts_of_recorder(*context.live));
  }
  Utc now = context.now;
  if (context.offline) {
    now = {};
  }
  for (const recorder::DeviceRow& row : devices) {
    const Asked asked = ask_of_known(reader, settings, context, row, v1::RULES_LEAKHUNT);
    v1::DeviceStatus& status = status_of(out, row.name);
    fill_device(status, asked);
    add(*out.mutable_files(), status.files());
    out.set_open_alerts(out.open_alerts() + status.open_alerts());
    now = std::max(now, context.offline ? asked.now : now);
  }
  out.set_now(epoch(now));
  fill_store(*out.mutable_store(), reader, settings, now);
  return out;
}

}  // namespace leakhunt::answer
