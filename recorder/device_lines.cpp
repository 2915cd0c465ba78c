// Leads each log line to the parts that know its meaning: boots, build, doubles, marks, alarms. Knows no
// clock, socket or store.
#include <chrono>
#include <string>
#include <utility>

#include "recorder/device_recorder_impl.h"
#include "recorder/line_rows.h"

namespace leakhunt::recorder {
namespace {

constexpr Duration kDay = std::chrono::hours{24};

BootSign sign_of(proto::BootSign sign) {
  switch (sign) {
    case proto::BootSign::banner:
      return BootSign::banner;
    case proto::BootSign::rom_banner:
      return BootSign::rom_banner;
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

}  // namespace

void DeviceRecorder::Impl::take_line(LinkIndex link, proto::LogLine line, Moment now) {
  received(link, now);
  counters_.add("log_lines");
  if (line.redactions > 0) {
    counters_.add("redactions", line.redactions);
  }
  const auto twin = links_.size() > 1 ? doubles_.match(link, line, now.mono) : std::nullopt;
  if (!twin) {
    note_boot_lines(link, line, now);
  }
  if (line.uptime) {
    timeline_.text_uptime(link, *line.uptime, now);
  }
  if (twin) {
    keep_double(line, *twin, now);
  } else {
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

void DeviceRecorder::Impl::note_boot_lines(LinkIndex link, const proto::LogLine& line, Moment now) {
  if (line.boot) {
    timeline_.seen(sign_of(line.boot->sign), link, now, line.boot->cause);
  }
  if (line.alarm && !line.boot) {  // that of a boot's own line explains this boot, not the next
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

}  // namespace leakhunt::recorder
