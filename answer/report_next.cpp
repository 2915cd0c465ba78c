// What to do next, by class, to copy. Names that came from the device go into commands only when nothing in
// them could do harm there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answer/figures.h"
#include "answer/report_parts.h"
#include "answer/words.h"

namespace leakhunt::answer {
namespace {

bool is_plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '/';
}

// The text when a shell reads it as one harmless word; else nothing.
std::optional<std::string> shell_word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), is_plain);
  return !text.empty() && plain && text.front() != '-' ? std::optional{text} : std::nullopt;
}

// For a regular expression inside single quotes: anything unusual matches any character.
std::string pattern_of(const std::string& name) {
  std::string out = name;
  std::replace_if(
      out.begin(), out.end(), [](char c) { return !is_plain(c) && c != ' '; }, '.');
  return out;
}

std::optional<std::string> serial_port(const Asked& asked) {
  static constexpr std::string_view kScheme = "serial:";
  if (asked.live_device == nullptr) {
    return std::nullopt;
  }
  for (const v1::LinkStatus& link : asked.live_device->links()) {
    if (link.address().starts_with(kScheme)) {
      const std::string path = link.address().substr(kScheme.size());
      return path.find(':') == std::string::npos ? shell_word(path) : std::optional{"'" + path + "'"};
    }
  }
  return std::nullopt;
}

void add_debug_build(v1::Report& out, const ReportView& view) {
  const auto& boot = view.record.last_boot;
  const auto env = boot ? shell_word(boot->pio_env) : std::nullopt;
  const auto port = serial_port(view.asked);
  const std::string env_word = env.value_or("ENV");
  const std::string port_word = port.value_or("PORT");
  const std::string device = shell_word(view.asked.device.name).value_or("'" + view.asked.device.name + "'");
  out.add_next(
      fmt::format("leakhuntctl release {} -- env PLATFORMIO_BUILD_FLAGS=-DDEBUG_HEAP=1 pio run -e {} -t "
                  "upload --upload-port {}",
                  device, env_word, port_word));
  if (!env) {
    out.add_next("(ENV: the build environment, which this device has not told)");
  }
  if (!port) {
    out.add_next("(PORT: the serial port it is flashed through, which is not known here)");
  }
  out.add_next(
      fmt::format("or with the MCP toolset: mcp__meshtastic__build(env=\"{}\", build_flags={{\"DEBUG_HEAP\": "
                  "1}}), then mcp__meshtastic__pio_flash(env=\"{}\", port=\"{}\", confirm=True)",
                  env_word, env_word, port_word));
}

std::string window_words(const ReportView& view) {
  return span_words(seconds(view.window.span.end - view.window.span.start));
}

void next_for_leak(v1::Report& out, const ReportView& view, const v1::Verdict& verdict) {
  if (!has_debug_heap(view)) {
    out.add_next("a DEBUG_HEAP build tells which thread loses it:");
    add_debug_build(out, view);
    out.add_next("then switch the API log on (leakhuntctl debug-log on) or listen, wait one window (" +
                 window_words(view) + "), and run the report again");
    return;
  }
  if (verdict.suspects_size() == 0) {
    out.add_next("no thread accounts for the loss yet: wait one window (" + window_words(view) +
                 ") with its log lines, and run the report again");
    return;
  }
  const v1::Suspect& leader = verdict.suspects(0);
  out.add_next(fmt::format(
      "{} leads with {} of the attributed loss; where to look: grep -rnE "
      "'(Thread|ThreadName|Module)\\(\"{}\"' src/",
      leader.thread(), fmt::format("{:.0f} %", leader.share() * 100), pattern_of(leader.thread())));
  out.add_next("what to change is for the operator to decide");
}

void next_for_fragmentation(v1::Report& out, const ReportView& view) {
  if (!has_debug_heap(view)) {
    out.add_next("a DEBUG_HEAP build to confirm it:");
    add_debug_build(out, view);
  }
  out.add_next("buffers allocated per packet are candidates to allocate once");
  if (view.record.question.chip.starts_with("esp32")) {
    out.add_next("on ESP32, CONFIG_HEAP_TASK_TRACKING=y tells which task holds what");
  }
}

void next_for_oom(v1::Report& out, const ReportView& view) {
  out.add_next("act now: save what matters, the device may restart or stop answering at any moment");
  if (const SourceFigures* last = view.record.figures.last()) {
    out.add_next("last reading: " + grouped(last->last) + " B free at " +
                 offset_words(last->last_t_s - epoch(view.window.span.start)));
  }
  if (!view.record.alarms.empty()) {
    out.add_next("last lines: leakhuntctl logs --memory --start -15m");
  }
}

void next_for_insufficient(v1::Report& out, const ReportView& view, const v1::Verdict& verdict) {
  const auto cadence = view.record.figures.cadence_s;
  out.add_next(counted(out.timeline().samples(), "sample", "samples") +
               (cadence ? ", one each ~" + span_words(*cadence) : "") + ", over " + window_words(view));
  if (!verdict.wait().empty()) {
    out.add_next("needed: " + verdict.wait());
  }
}

void next_for_reboot(v1::Report& out, const ReportView& view, const v1::Verdict& verdict) {
  out.add_next("restarts: " + reboots_line(view));
  const v1::BootStretch* longest = nullptr;
  for (const v1::BootStretch& stretch : verdict.boots()) {
    const bool longer =
        longest == nullptr || stretch.end() - stretch.start() > longest->end() - longest->start();
    longest = longer ? &stretch : longest;
  }
  if (verdict.boots_size() > 1) {
    const v1::BootStretch& before = verdict.boots(verdict.boots_size() - 2);
    out.add_next("the stretch before the last restart: " + class_text(before.verdict()) +
                 (before.has_slope_per_min() ? ", " + figure(before.slope_per_min()) + " bytes/min" : "") +
                 " (only part of the curve)");
  }
  if (longest != nullptr && longest->end() > longest->start()) {
    out.add_next(fmt::format("the longest window within one boot: leakhuntctl report window={:.0f}..{:.0f}",
                             std::floor(longest->start()), std::ceil(longest->end())));
  }
}

void next_for_recovery(v1::Report& out, const ReportView& view) {
  std::string ended;
  for (const recorder::EventRow& event : view.record.events) {
    if (event.kind == "mark") {
      ended = " after the mark \"" + event.label + "\" at " +
              offset_words(seconds(event.utc - view.window.span.start));
    }
  }
  out.add_next("memory came back" + ended + ": not a leak");
}

}  // namespace

void add_next(v1::Report& out, const ReportView& view, const v1::Verdict& verdict) {
  const bool urgent_line = verdict.urgent() && verdict.rules() == v1::RULES_PUBLISHED;
  if (urgent_line && verdict.class_() != v1::VERDICT_CLASS_OOM_IMMINENT) {
    next_for_oom(out, view);
  }
  switch (verdict.class_()) {
    case v1::VERDICT_CLASS_SLOW_LEAK:
      return next_for_leak(out, view, verdict);
    case v1::VERDICT_CLASS_FRAGMENTATION_SUSPECT:
      return next_for_fragmentation(out, view);
    case v1::VERDICT_CLASS_OOM_IMMINENT:
      return next_for_oom(out, view);
    case v1::VERDICT_CLASS_INSUFFICIENT_DATA:
      return next_for_insufficient(out, view, verdict);
    case v1::VERDICT_CLASS_REBOOT_MID_WINDOW:
      return next_for_reboot(out, view, verdict);
    case v1::VERDICT_CLASS_RECOVERY_CURVE:
      return next_for_recovery(out, view);
    default:
      out.add_next("nothing: the level is steady" +
                   (out.excluded().empty() ? std::string{} : "; " + out.excluded()));
  }
}

}  // namespace leakhunt::answer
