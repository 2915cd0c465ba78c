// The checks of a report, in the order of INTERFACES "report".
#include <algorithm>
#include <cmath>

#include "answer/figures.h"
#include "answer/report_parts.h"
#include "answer/words.h"

namespace leakhunt::answer {
namespace {

constexpr double kSilentAfter_s = 300;
constexpr double kCadences = 3;
constexpr Duration kLookBack = std::chrono::hours{168};
constexpr std::int64_t kTelling = 2;  // records without heap that show the device has none

bool on_serial(const Asked& asked) {
  return asked.live_device != nullptr &&
         std::any_of(asked.live_device->links().begin(), asked.live_device->links().end(),
                     [](const v1::LinkStatus& link) { return !link.address().starts_with("tcp:"); });
}

bool all_links(const v1::DeviceStatus& device, std::string_view state) {
  return device.links_size() > 0 &&
         std::all_of(device.links().begin(), device.links().end(),
                     [&](const v1::LinkStatus& link) { return link.state() == state; });
}

bool is_released(const Asked& asked) {
  return asked.live_device != nullptr &&
         (asked.live_device->has_released_since() || all_links(*asked.live_device, "released"));
}

bool is_paused(const Asked& asked) {
  return asked.live != nullptr &&
         (asked.live->paused() || (asked.live_device != nullptr && all_links(*asked.live_device, "paused")));
}

bool only_listens(const Asked& asked) {
  return asked.live_device != nullptr && asked.live_device->links_size() > 0 &&
         std::all_of(asked.live_device->links().begin(), asked.live_device->links().end(),
                     [](const v1::LinkStatus& link) { return link.mode() == "listen"; });
}

CheckResult no_telemetry(const ReportView& view) {
  CheckResult out{v1::REPORT_CHECK_NO_TELEMETRY, "", std::nullopt};
  if (only_listens(view.asked)) {
    out.text =
        view.totals.logs.rows == 0
            ? "no log line yet on this listening link: is the device on and its serial console enabled?"
            : "log lines come, but none has told the heap yet: a listening link sees only what the firmware "
              "prints";
    return out;
  }
  out.text =
      "no telemetry yet: wait one update interval (60 s when polled, 15 min when not) and run this again";
  if (on_serial(view.asked) && view.totals.logs.rows == 0) {
    out.text +=
        "; no log lines either: they need the device's API log switch (leakhuntctl debug-log on --device " +
        view.asked.device.name + ", or meshtastic --set security.debug_log_api_enabled true)";
  }
  return out;
}

std::optional<CheckResult> check_any_data(const ReportView& view) {
  const storage::Totals& totals = view.totals;
  const bool has_readings = !view.record.question.series.empty();
  if (has_readings) {
    return std::nullopt;
  }
  if (!view.field.is_free_heap()) {
    const auto fields = view.asked.reader.fields(view.asked.device.id);
    const bool seen = std::any_of(fields.begin(), fields.end(), [&](const auto& one) {
      return one.variant == view.field.variant && one.field == view.field.field;
    });
    return seen ? std::nullopt
                : std::optional{CheckResult{v1::REPORT_CHECK_NO_TELEMETRY,
                                            "no sample of " + view.field.field +
                                                " yet: this device has sent "
                                                "none in its " +
                                                view.field.variant_name + " telemetry",
                                            std::nullopt}};
  }
  if (totals.samples_reported + totals.samples_from_lines > 0) {
    return std::nullopt;
  }
  if (totals.local_without_heap >= kTelling) {
    return CheckResult{
        v1::REPORT_CHECK_NO_HEAP,
        "this device reports no heap (a stock meshtasticd does not); watch its process instead",
        std::nullopt};
  }
  return no_telemetry(view);
}

// 0 where there are none.
double newest_sample_s(const std::vector<analysis::Series>& all) {
  double newest = 0;
  for (const analysis::Series& series : all) {
    for (const analysis::Stretch& stretch : series.stretches) {
      newest = std::max(newest, stretch.points.empty() ? 0 : stretch.points.back().t_s);
    }
  }
  return newest;
}

// The readings of the window, or of the week before now where it holds none.
std::vector<analysis::Series> recent_series(const ReportView& view) {
  const auto& in_window = view.record.question.series;
  return in_window.empty()
             ? load_series(view.asked, view.field, {view.asked.now - kLookBack, view.asked.now}, {}).series
             : in_window;
}

double newest_record_s(const ReportView& view) {
  const auto stored = view.asked.reader.newest(view.asked.device.id);
  double newest = stored ? epoch(*stored) : 0;
  if (view.asked.live_device != nullptr) {
    for (const v1::LinkStatus& link : view.asked.live_device->links()) {
      newest = std::max(newest, link.last_received_ts());
    }
  }
  return newest;
}

// While the store takes nothing its emptiness says nothing of the device.
std::optional<CheckResult> check_store(const ReportView& view) {
  const v1::StoreStatus& store = view.asked.live->store();
  if (!store.has_trouble_since()) {
    return std::nullopt;
  }
  const double since_s = epoch(view.asked.now) - store.trouble_since();
  return CheckResult{v1::REPORT_CHECK_PAUSED,
                     "the store takes nothing for " + span_words(since_s) + ": " + store.state() +
                         "; what it had recorded before is judged",
                     std::nullopt};
}

// " for 5m now, taken back in 10m"; what is not known is left out.
std::string stretch_words(const Asked& asked, double since, double until, const char* ends) {
  const double now_s = epoch(asked.now);
  std::string out = since > 0 ? " for " + span_words(std::max(std::round(now_s - since), 0.0)) + " now" : "";
  if (until > now_s) {
    out += std::string{", "} + ends + " in " + span_words(std::round(until - now_s));
  }
  return out;
}

// Nobody listens to the device, on purpose: that it is silent says nothing.
std::optional<CheckResult> check_away(const Asked& asked) {
  const std::string judged = "; what was recorded before is judged";
  if (is_paused(asked)) {
    return CheckResult{
        v1::REPORT_CHECK_PAUSED,
        "the recorder is paused" +
            stretch_words(asked, asked.live->paused_since(), asked.live->paused_until(), "goes on") + judged,
        std::nullopt};
  }
  if (is_released(asked)) {
    const v1::DeviceStatus& device = *asked.live_device;
    return CheckResult{
        v1::REPORT_CHECK_RELEASED,
        asked.device.name + " is released to another program" +
            stretch_words(asked, device.released_since(), device.released_until(), "taken back") + judged,
        std::nullopt};
  }
  return std::nullopt;
}

CheckResult check_silence(const ReportView& view) {
  if (const auto away = check_away(view.asked)) {
    return *away;
  }
  const double now_s = epoch(view.asked.now);
  const double since_record_s = now_s - newest_record_s(view);
  const std::vector<analysis::Series> series = recent_series(view);
  const double since_sample_s = std::min(now_s - newest_sample_s(series), seconds(kLookBack));
  const double patience_s = std::max(kSilentAfter_s, kCadences * cadence_s(series).value_or(0));
  const bool nothing_received = since_record_s >= kSilentAfter_s;
  if (!nothing_received && since_sample_s < patience_s) {
    return {};
  }
  return {v1::REPORT_CHECK_SILENT,
          nothing_received ? "device silent for " + span_words(since_record_s) + ": nothing received since"
                           : "device silent for " + span_words(since_sample_s) +
                                 ": no sample since then, though other records come",
          nothing_received ? since_record_s : since_sample_s};
}

}  // namespace

CheckResult check_report(const ReportView& view) {
  const bool running = view.asked.live != nullptr && view.asked.live->running();
  if (!view.asked.offline && !running) {
    return {v1::REPORT_CHECK_NOT_RUNNING,
            "not running: start the recorder (leakhuntd), or ask the file with --db", std::nullopt};
  }
  if (const auto failed = check_any_data(view)) {
    return *failed;
  }
  if (running) {
    if (const auto held_up = check_store(view)) {
      return *held_up;
    }
  }
  const bool may_be_silent = !view.asked.offline && view.window.ends_now && view.field.is_free_heap();
  return may_be_silent ? check_silence(view) : CheckResult{};
}

}  // namespace leakhunt::answer
