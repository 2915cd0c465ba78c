// The report page. Each label has its function, in the order of the page.
#include "ctl/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "answer/engine.h"
#include "ctl/text.h"
#include "proto/printable.h"

namespace leakhunt::ctl {
namespace {

constexpr std::size_t kLabelWidth = 12;
constexpr std::size_t kIndent = kLabelWidth + 2;
constexpr double kNamedShare = 0.1;  // a thread below this share of the loss is among the "others"

std::string label(std::string_view name) {
  return fmt::format("{:<{}}: ", name, kLabelWidth);
}

void put(std::string& page, std::string_view name, const std::string& text) {
  page += label(name) + text + '\n';
}

void put_list(std::string& page, std::string_view name, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    page += i == 0 ? label(name) : std::string(kIndent, ' ');
    page += lines[i] + '\n';
  }
}

std::string head(const v1::Report& r) {
  const std::string asked = r.window().asked().empty() ? "default" : r.window().asked();
  return fmt::format("/leakhunt window={} field={} variant={} device={}\n", proto::printable(asked),
                     proto::printable(r.window().field()), proto::printable(r.window().variant()),
                     proto::printable(r.device()));
}

std::string rule() {
  std::string out;
  for (int i = 0; i < 64; ++i) out += "─";
  return out + '\n';
}

bool is_free_heap(const v1::Report& r) {
  return r.window().field() == "free_heap" || r.window().field() == "heap_free_bytes";
}

std::string range_words(const v1::Timeline& t) {
  if (!t.has_min()) return "not available (no samples in the window)";
  return fmt::format("min {} / max {} / range {}", figure(t.min()), figure(t.max()),
                     figure(t.max() - t.min()));
}

std::string slope_words(const v1::Report& r) {
  const v1::Timeline& t = r.timeline();
  if (!t.has_slope_per_min()) return "not available (fewer than 2 samples)";
  const bool plain = r.verdict().rules() == v1::RULES_PUBLISHED && t.has_slope_per_min_raw();
  const std::string unit = is_free_heap(r) ? "bytes/min" : "per min";
  const std::string what = is_free_heap(r) ? "heap" : proto::printable(r.window().field());
  const double slope = plain ? t.slope_per_min_raw() : t.slope_per_min();
  const std::string figures = figure(slope);
  const v1::VerdictClass its_class = r.verdict().class_();
  const bool level_holds =
      its_class == v1::VERDICT_CLASS_STEADY || its_class == v1::VERDICT_CLASS_FRAGMENTATION_SUSPECT;
  const bool below_limit =
      level_holds && r.verdict().has_mds_per_min() && std::abs(slope) < r.verdict().mds_per_min();
  if (figures == "0" || below_limit) return fmt::format("{} {} (flat)", figures, unit);
  if (slope < 0) return fmt::format("{} {} (negative - {} declining)", figures, unit, what);
  return fmt::format("+{} {} (positive - {} rising)", figures, unit, what);
}

std::vector<std::string> error_lines(const v1::Report& r) {
  std::vector<std::string> out;
  for (const v1::AlarmLine& line : r.error_lines()) {
    std::string text = fmt::format("{}× \"{}\" at ", line.count(), proto::printable(line.text()));
    constexpr int kShown = 5;
    const int shown = std::min(line.offsets_s_size(), kShown);
    for (int i = 0; i < shown; ++i) text += (i ? ", " : "") + offset(line.offsets_s(i));
    if (line.count() > shown) text += fmt::format(", … ({} more)", line.count() - shown);
    out.push_back(text);
  }
  if (out.empty()) out.emplace_back("none");
  return out;
}

std::string experiment_figures(const v1::Experiment& e) {
  std::string out = "experiment " + proto::printable(e.label()) + ":";
  if (!e.has_level_before_bytes()) return out + " no level before it";
  out += fmt::format(" before {} B (noise {} B)", figure(e.level_before_bytes()), figure(e.noise_bytes()));
  if (e.has_lowest_bytes()) out += fmt::format(", lowest {} B", figure(e.lowest_bytes()));
  if (e.has_level_after_bytes()) out += fmt::format(", after {} B", figure(e.level_after_bytes()));
  if (e.has_minutes_to_baseline()) {
    out += fmt::format(", back after {} min ({} LocalStats cycles)", figure(e.minutes_to_baseline()),
                       figure(e.cycles_to_baseline()));
  }
  return out;
}

std::vector<std::string> marks(const v1::Report& r) {
  std::vector<std::string> out;
  for (const v1::Event& mark : r.marks()) {
    std::string text = proto::printable(mark.label()) + " at " + offset(mark.ts() - r.window().start());
    if (!mark.note().empty()) text += " - " + proto::printable(mark.note());
    out.push_back(text);
  }
  if (out.empty()) out.emplace_back("none");
  for (const v1::Experiment& e : r.experiments()) {
    out.push_back(experiment_figures(e));
    out.push_back(proto::printable(e.sentence()));
  }
  return out;
}

// So that a name of a device's own making leaves room for the figures beside it. Counts code points.
std::string shortened(const std::string& name) {
  constexpr std::size_t kLongest = 32;
  std::size_t points = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(name[i]) & 0xC0) != 0x80;
    if (begins && ++points > kLongest) return name.substr(0, i) + "…";
  }
  return name;
}

struct ThreadRow {
  std::string name;
  std::string bytes;
  std::string rest;
};

std::vector<ThreadRow> thread_rows(const v1::Verdict& v) {
  std::vector<ThreadRow> rows;
  std::int64_t others = 0;
  for (const v1::Suspect& s : v.suspects()) {
    if (s.share() < kNamedShare) {
      others += s.net_bytes();
      continue;
    }
    rows.push_back(
        {shortened(proto::printable(s.thread())), grouped(s.net_bytes()),
         fmt::format(" B over {} {} ({})", grouped(s.events()), s.events() == 1 ? "event" : "events",
                     s.few_large() ? "few large" : "many small")});
  }
  if (others != 0) rows.push_back({"others", grouped(others), " B"});
  return rows;
}

// Threads may name a little more than the slope has lost: then nothing is left to explain.
std::string unexplained(const v1::Verdict& v) {
  const std::int64_t bytes = std::max<std::int64_t>(v.unexplained_bytes(), 0);
  const double lost = static_cast<double>(v.lost_bytes());
  const double share = lost > 0 ? 100 * static_cast<double>(bytes) / lost : 0;
  return fmt::format("unexplained: {} of {} B lost ({:.0f} %)", grouped(bytes), grouped(v.lost_bytes()),
                     share);
}

void put_threads(std::string& page, const v1::Report& r) {
  const v1::Verdict& v = r.verdict();
  const std::vector<ThreadRow> rows = thread_rows(v);
  if (rows.empty()) {
    put(page, "thread leaks", r.thread_leaks().empty() ? "none" : r.thread_leaks());
    if (v.has_unexplained_bytes() && v.lost_bytes() > 0)
      page += std::string(kIndent, ' ') + unexplained(v) + '\n';
    return;
  }
  const std::string tag = "(DEBUG_HEAP) ";
  std::size_t name_width = 0;
  std::size_t bytes_width = 0;
  for (const ThreadRow& row : rows) {
    name_width = std::max(name_width, row.name.size());
    bytes_width = std::max(bytes_width, row.bytes.size());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    page += i == 0 ? label("thread leaks") + tag : std::string(kIndent + tag.size(), ' ');
    page +=
        fmt::format("{:<{}}  {:>{}}{}\n", rows[i].name, name_width, rows[i].bytes, bytes_width, rows[i].rest);
  }
  if (v.lost_bytes() > 0) page += std::string(kIndent, ' ') + unexplained(v) + '\n';
}

bool is_leak(v1::VerdictClass c) {
  return c == v1::VERDICT_CLASS_SLOW_LEAK || c == v1::VERDICT_CLASS_OOM_IMMINENT;
}

// "reserve 15,000 B: chip esp32s3", the memory that counts as gone.
std::string reserve_words(const v1::Verdict& v) {
  if (!v.has_reserve_bytes()) return "";
  const std::string why = v.reserve_reason().empty() ? "" : ": " + proto::printable(v.reserve_reason());
  return fmt::format("reserve {} B{}", figure(v.reserve_bytes()), why);
}

std::string stretch_line(const v1::Report& r, const v1::BootStretch& boot) {
  const double start = r.window().start();
  std::string out = fmt::format("boot {}, {} to {}: {}", boot.id(), offset(boot.start() - start),
                                offset(boot.end() - start), answer::class_text(boot.verdict()));
  if (boot.has_slope_per_min()) out += fmt::format(", {} bytes/min", figure(boot.slope_per_min()));
  if (boot.has_died_at_bytes()) return out + fmt::format(", died at {} B", figure(boot.died_at_bytes()));
  return boot.has_level_bytes() ? out + fmt::format(", last {} B", figure(boot.level_bytes())) : out;
}

// What each boot did, where there are several.
void put_stretches(std::string& page, const v1::Report& r) {
  constexpr int kShown = 8;
  const auto& boots = r.verdict().boots();
  if (boots.size() < 2) return;
  const int first = std::max(0, boots.size() - kShown);
  const std::string indent(kIndent, ' ');
  if (first > 0) page += indent + fmt::format("… ({} boots before)\n", first);
  for (int i = first; i < boots.size(); ++i) page += indent + stretch_line(r, boots[i]) + '\n';
}

void put_evidence(std::string& page, const v1::Report& r) {
  std::vector<std::string> lines;
  for (const v1::LineOut& line : r.evidence()) {
    const std::string uptime =
        line.has_uptime_s() ? "uptime " + span(line.uptime_s()) : local_time(line.ts());
    lines.push_back(fmt::format("{}: {}", uptime, proto::printable(line.text())));
  }
  // Several stretches may tell the same: once is enough.
  std::set<std::string> told;
  const auto add = [&](const std::string& line) {
    if (told.insert(line).second) lines.push_back(proto::printable(line));
  };
  for (const v1::Finding& finding : r.verdict().findings()) add(finding.text());
  for (const v1::Finding& finding : r.verdict().ruled_out()) add("not: " + finding.text());
  if (lines.empty()) lines.emplace_back("none");
  put_list(page, "evidence", lines);
}

void put_next(std::string& page, const v1::Report& r) {
  if (r.next().empty()) return;
  page += '\n';
  std::vector<std::string> lines;
  for (const std::string& line : r.next()) lines.push_back(proto::printable(line));
  put_list(page, "next", lines);
}

// What a person must see now stands before everything else: the alarm lines, also those of a device that has
// gone silent, or the verdict itself.
void put_urgent(std::string& page, const v1::Report& r) {
  const bool alarm = r.oom_events() != "none" && !r.oom_events().empty();
  const bool silent = r.check() == v1::REPORT_CHECK_SILENT;
  if (!r.verdict().urgent() && !(silent && alarm)) return;
  put(page, "urgent", alarm ? proto::printable(r.oom_events()) : verdict_line(r.verdict()));
}

bool replaces_page(v1::ReportCheck check) {
  return check == v1::REPORT_CHECK_NOT_RUNNING || check == v1::REPORT_CHECK_NO_TELEMETRY ||
         check == v1::REPORT_CHECK_NO_HEAP;
}

}  // namespace

std::string time_to_oom(const v1::Verdict& v) {
  const std::string reserve = reserve_words(v);
  if (!v.has_minutes_to_zero() || !(is_leak(v.class_()) || is_leak(v.underlying()))) {
    return reserve.empty() || v.rules() == v1::RULES_PUBLISHED ? "none" : "none (" + reserve + ")";
  }
  std::string out = minutes_words(v.minutes_to_zero()) + " at current slope";
  if (v.has_minutes_to_oom() && v.minutes_to_oom().has_low()) {
    const v1::Estimate& oom = v.minutes_to_oom();
    const std::string high =
        oom.has_high() && std::isfinite(oom.high()) ? figure(oom.high()) + " min" : "open";
    out += fmt::format(" (95 %: {} to {}", figure(oom.low()) + " min", high);
    if (v.reserve_bytes() > 0) out += fmt::format(", ~{} min until the reserve", figure(oom.value()));
    out += reserve.empty() ? ")" : "; " + reserve + ")";
  }
  return out;
}

std::string verdict_line(const v1::Verdict& v) {
  std::string out = v.word().empty() ? answer::class_text(v.class_()) : proto::printable(v.word());
  if (v.has_underlying() && v.underlying() != v.class_())
    out += " - underlying " + answer::class_text(v.underlying());
  if (!v.suspects().empty() && v.suspects(0).net_bytes() < 0) {
    const v1::Suspect& first = v.suspects(0);
    out += fmt::format(" - {} suspect {} thread", first.primary() ? "primary" : "weak",
                       shortened(proto::printable(first.thread())));
  }
  const bool withdrawn = v.state() == v1::VERDICT_STATE_WITHDRAWN;
  if (v.class_() == v1::VERDICT_CLASS_INSUFFICIENT_DATA) return out;
  if (v.class_() == v1::VERDICT_CLASS_STEADY && !withdrawn) return out;
  if (v.rules() == v1::RULES_PUBLISHED) return out;
  constexpr std::array kStates = {"provisional", "confirmed", "withdrawn"};
  return fmt::format("{} ({})", out, kStates[static_cast<std::size_t>(v.state()) % kStates.size()]);
}

std::string report_page(const v1::Report& r) {
  std::string page = head(r) + rule();
  put_urgent(page, r);
  put(page, "recorder", proto::printable(r.recorder()));
  if (r.check() != v1::REPORT_CHECK_OK) {
    put(page, "check", proto::printable(r.check_text()));
    if (replaces_page(r.check())) return page;
  }
  if (!r.now_note().empty()) put(page, "now", proto::printable(r.now_note()));
  put(page, "build", proto::printable(r.build()));
  put(page, "samples", proto::printable(r.samples()));
  put(page, r.window().field(), range_words(r.timeline()));
  put(page, "slope", slope_words(r));
  put(page, "reboots", proto::printable(r.reboots()));
  put_stretches(page, r);
  if (is_free_heap(r)) {
    put(page, "OOM events", proto::printable(r.oom_events()));
    put_list(page, "error lines", error_lines(r));
  }
  put_list(page, "marks", marks(r));
  if (is_free_heap(r)) put_threads(page, r);
  const bool silent = r.check() == v1::REPORT_CHECK_SILENT;
  put(page, "verdict", silent ? "device silent for " + span(r.silent_s()) : verdict_line(r.verdict()));
  if (is_free_heap(r)) page += "est. time-to-OOM: " + time_to_oom(r.verdict()) + '\n';
  put(page, "excluded",
      r.excluded().empty() ? "not available (no trend was fitted)" : proto::printable(r.excluded()));
  put_evidence(page, r);
  if (r.verdict().has_published() && r.verdict().published().class_() != r.verdict().class_()) {
    put(page, "published",
        fmt::format("{} - {} (why not here: {})", answer::class_text(r.verdict().published().class_()),
                    proto::printable(r.verdict().published().rule()), proto::printable(r.published_why())));
  }
  put_next(page, r);
  return page;
}

std::string fitted(const std::string& page, std::size_t columns) {
  const std::size_t next = std::min(page.find("\nnext        : "), page.size());
  return wrapped(page.substr(0, next), columns) + page.substr(next);
}

}  // namespace leakhunt::ctl
