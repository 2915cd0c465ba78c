// The lines of a report's page, in its order. See report_parts.h.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analysis/judge.h"
#include "analysis/published.h"
#include "answer/figures.h"
#include "answer/questions.h"
#include "answer/report_parts.h"
#include "answer/words.h"

namespace leakhunt::answer {
namespace {

using analysis::LineKind;

constexpr std::size_t kPrefixLines = 200;
constexpr std::size_t kEvidenceLines = 3;
constexpr std::size_t kLinesSearched = 5'000;
constexpr std::size_t kMostGroups = 20;

double offset_s(const ReportView& view, Utc t) {
  return seconds(t - view.window.span.start);
}

std::string message_of(const recorder::LogRow& row) {
  return row.text.substr(std::min<std::size_t>(row.body_offset, row.text.size()));
}

// How readings came, in the words of the page.
std::string_view manner(std::string_view source, const FieldChoice& field) {
  if (source == "poll") {
    return "polled";
  }
  if (source == "stats") {
    return field.variant == proto::Variant::local ? "unasked LocalStats" : "unasked";
  }
  return source == "import" ? "imported" : "log-line synth";
}

// "2026-01-31 12:00:00 UTC"
std::string utc_words(Utc t) {
  const std::chrono::sys_seconds second{std::chrono::floor<std::chrono::seconds>(Duration{t.us})};
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", second);
}

std::string clock_words(const ReportView& view, Utc t) {
  return view.asked.offline ? "" : " " + span_words(seconds(view.asked.now - t)) + " ago";
}

// `[heap N]` stands before the message, so a quoted one is none.
bool has_heap_prefix(const recorder::LogRow& row) {
  return std::string_view{row.text}.substr(0, row.body_offset).find("[heap ") != std::string_view::npos;
}

storage::LogQuery heap_lines(const ReportView& view) {
  storage::LogQuery query;
  query.device = view.asked.device.id;
  query.window = view.window.span;
  query.tells_heap = true;
  return query;
}

// Among the newest lines of the window that tell heap; a quiet minute changes nothing.
bool prefix_seen(const ReportView& view) {
  std::size_t read = 0;
  bool seen = false;
  view.asked.reader.logs(heap_lines(view), [&](const storage::LogLine& line) {
    seen = has_heap_prefix(line.row);
    return !seen && ++read < kPrefixLines;
  });
  return seen;
}

std::string offsets_of(const ReportView& view, const std::vector<analysis::EvidenceLine>& lines) {
  std::vector<std::string> words;
  for (const analysis::EvidenceLine& line : lines) {
    words.push_back(offset_words(line.t_s - epoch(view.window.span.start)));
  }
  constexpr std::size_t kShown = 5;
  const bool more = words.size() > kShown;
  words.resize(std::min(words.size(), kShown));
  return joined(words) + (more ? ", …" : "");
}

std::size_t count_kind(const Record& record, LineKind kind) {
  return static_cast<std::size_t>(std::count_if(record.question.lines.begin(), record.question.lines.end(),
                                                [&](const auto& line) { return line.kind == kind; }));
}

// " (link waiting: connection refused)" where no link is up.
std::string link_trouble(const Asked& asked) {
  if (asked.live_device == nullptr || asked.live_device->links_size() == 0) {
    return "";
  }
  const auto& links = asked.live_device->links();
  const bool up = std::any_of(links.begin(), links.end(), [](const v1::LinkStatus& link) {
    return link.state() == "connected" || link.state() == "listening";
  });
  const v1::LinkStatus& link = links.Get(0);
  const std::string why = link.trouble().empty() ? "" : ": " + link.trouble();
  return up || link.state().empty() ? "" : " (link " + link.state() + why + ")";
}

// The newest lines in which that thread lost memory, oldest first.
std::vector<storage::LogLine> lines_of(const ReportView& view, const std::string& thread) {
  std::vector<storage::LogLine> lines;
  std::size_t read = 0;
  view.asked.reader.logs(heap_lines(view), [&](const storage::LogLine& line) {
    v1::LineOut told;
    fill(told, line);
    if (told.heap_event().kind() == "leaked" && told.heap_event().thread() == thread) {
      lines.insert(lines.begin(), line);
    }
    return lines.size() < kEvidenceLines && ++read < kLinesSearched;
  });
  return lines;
}

// The first line that tells heap in the window, in its second half, and the last one.
std::vector<storage::LogLine> spread_heap_lines(const ReportView& view) {
  std::vector<storage::LogLine> lines;
  const auto add_first = [&](const storage::LogQuery& query) {
    view.asked.reader.logs(query, [&](const storage::LogLine& line) {
      if (lines.empty() || line.row.at != lines.back().row.at) {
        lines.push_back(line);
      }
      return false;
    });
  };
  storage::LogQuery query = heap_lines(view);
  query.oldest_first = true;
  add_first(query);
  query.window.start = view.window.span.start + (view.window.span.end - view.window.span.start) / 2;
  add_first(query);
  query.oldest_first = false;
  add_first(query);
  return lines;
}

std::string why_no_oom(const ReportView& view) {
  const std::size_t naks = count_kind(view.record, LineKind::routing_nak);
  const std::size_t failures = count_kind(view.record, LineKind::allocation_failure);
  if (failures > 0) {
    return "the firmware survived " +
           counted(static_cast<std::int64_t>(failures), "failed allocation", "failed allocations") +
           ", weighed against the memory left at the time";
  }
  return naks > 0 ? "those lines are routing NAKs: an error packet was sent, nothing failed"
                  : "the line only quotes the words";
}

// What makes it urgent; empty where the weightiest finding says it.
std::string why_oom(const v1::Verdict& verdict) {
  const bool plain = std::any_of(verdict.findings().begin(), verdict.findings().end(),
                                 [](const auto& finding) { return finding.weight() >= 1; });
  if (plain || !verdict.has_minutes_to_oom() || verdict.minutes_to_oom().value() >= analysis::kImminent_min) {
    return "";
  }
  return fmt::format("less than {:.0f} min are left until only {} B are free", analysis::kImminent_min,
                     grouped(verdict.reserve_bytes()));
}

}  // namespace

bool has_debug_heap(const ReportView& view) {
  const auto& boot = view.record.last_boot;
  return (boot && boot->debug_heap.value_or(false)) || !view.record.question.heap_events.empty();
}

std::string recorder_line(const ReportView& view) {
  std::string state = "running";
  if (view.asked.offline) {
    state = "not asked (answered from the file)";
  } else if (view.asked.live == nullptr || !view.asked.live->running()) {
    state = "not running";
  } else if (view.asked.live->paused()) {
    state = "paused";
  }
  state += link_trouble(view.asked);
  const auto& newest = view.totals.telemetry.newest;
  if (!newest) {
    return state + ", no telemetry yet";
  }
  const std::string when = view.asked.offline ? " " + utc_words(*newest) : clock_words(view, *newest);
  return state + ", telem last_ts" + when;
}

std::string build_line(const ReportView& view) {
  if (view.totals.logs.rows == 0) {
    return "unknown (this link carries no log lines)";
  }
  if (!has_debug_heap(view)) {
    const bool told = view.record.last_boot && view.record.last_boot->debug_heap;
    return told ? "DEBUG_HEAP=OFF (no per-line prefix)" : "unknown (no log lines in this boot)";
  }
  return prefix_seen(view) ? "DEBUG_HEAP=ON (per-line prefix detected)" : "DEBUG_HEAP=ON (heap lines)";
}

std::string samples_line(const ReportView& view) {
  std::map<std::string_view, std::int64_t> by_manner;
  std::int64_t total = 0;
  for (const SourceFigures& part : view.record.figures.parts) {
    by_manner[manner(part.source, view.field)] += part.n;
    total += part.n;
  }
  std::string line = grouped(static_cast<double>(total)) + " over " +
                     span_words(seconds(view.window.span.end - view.window.span.start));
  const auto cadence = view.record.figures.cadence_s;
  if (!cadence) {
    return line;
  }
  const auto main = std::max_element(by_manner.begin(), by_manner.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  line += " (cadence ~" + span_words(*cadence) + ", " + std::string{main->first};
  for (const auto& [how, count] : by_manner) {
    line += how == main->first ? "" : "; " + grouped(static_cast<double>(count)) + " " + std::string{how};
  }
  return line + ")";
}

std::string judged_source(const ReportView& view, const v1::Verdict& verdict) {
  std::set<std::string_view> manners;
  for (const SourceFigures& part : view.record.figures.parts) {
    manners.insert(manner(part.source, view.field));
  }
  return manners.size() < 2 || verdict.source().empty() ? "" : "; judged: " + verdict.source();
}

std::string reboots_line(const ReportView& view) {
  std::vector<std::string> words;
  const storage::BootSpan* before = nullptr;
  for (const storage::BootSpan& span : view.record.boots) {
    // Every boot but the first was a restart; the first only when its start was seen here.
    const bool seen_here = span.began >= view.window.span.start && span.boot.start_seen;
    if (before != nullptr || seen_here) {
      const Utc at = before == nullptr ? span.began : std::max(span.began, before->ended);
      const std::string_view cause = cause_word(span.boot.cause);
      words.push_back(offset_words(offset_s(view, at)) + " (" +
                      (cause.empty() ? "cause unknown" : std::string{cause}) + ")");
    }
    before = &span;
  }
  return words.empty() ? "none in window" : std::to_string(words.size()) + " in window: " + joined(words);
}

std::string oom_line(const ReportView& view) {
  std::vector<analysis::EvidenceLine> lines;
  const bool published = view.asked.rules == v1::RULES_PUBLISHED;
  std::copy_if(view.record.question.lines.begin(), view.record.question.lines.end(),
               std::back_inserter(lines), [&](const auto& line) {
                 if (published) return analysis::is_published_oom(line);
                 return line.kind == LineKind::out_of_memory || line.kind == LineKind::allocation_abort;
               });
  return lines.empty() ? "none" : std::to_string(lines.size()) + " at " + offsets_of(view, lines);
}

std::string thread_leaks_line(const ReportView& view, const v1::Verdict& verdict) {
  if (verdict.suspects_size() > 0) {
    return "";
  }
  const auto events = static_cast<std::int64_t>(view.record.question.heap_events.size());
  if (events > 0) {
    return "none (" + counted(events, "event", "events") + ", nobody is suspected)";
  }
  return has_debug_heap(view) ? "none (no thread lines in window)"
                              : "not available (needs a DEBUG_HEAP build and its log lines)";
}

std::string excluded_line(const v1::Verdict& verdict) {
  if (!verdict.has_mds_per_min()) {
    return "";
  }
  return "leaks below " + figure(verdict.mds_per_min()) + " bytes/min cannot be excluded with these data";
}

std::string excluded_trends(const v1::Verdict& verdict) {
  const v1::Estimate& trend = verdict.trend_per_min();
  if (!trend.has_low() || !trend.has_high()) {
    return "";
  }
  return "trends outside " + figure(trend.low()) + " to " + figure(trend.high()) + " per minute (95 %)";
}

std::string published_why(const ReportView& view, const v1::Verdict& verdict) {
  const bool told_restart = verdict.class_() == v1::VERDICT_CLASS_REBOOT_MID_WINDOW;
  if (verdict.class_() == v1::VERDICT_CLASS_INSUFFICIENT_DATA && !verdict.wait().empty()) {
    return "a verdict needs " + verdict.wait();
  }
  if (verdict.class_() == v1::VERDICT_CLASS_OOM_IMMINENT) {
    if (const std::string why = why_oom(verdict); !why.empty()) {
      return why;
    }
  }
  if (verdict.published().class_() == v1::VERDICT_CLASS_OOM_IMMINENT && !told_restart) {
    return why_no_oom(view);
  }
  if (verdict.class_() == v1::VERDICT_CLASS_STEADY) {
    const auto& out = verdict.ruled_out();
    const auto leak = std::find_if(out.begin(), out.end(),
                                   [](const auto& finding) { return finding.text().starts_with("leak:"); });
    if (leak != out.end()) {
      return leak->text();
    }
  }
  const auto weightiest =
      std::max_element(verdict.findings().begin(), verdict.findings().end(),
                       [](const auto& one, const auto& other) { return one.weight() < other.weight(); });
  return weightiest != verdict.findings().end() ? weightiest->text()
                                                : "the published rules look at no more than slope and range";
}

void add_error_lines(v1::Report& out, const ReportView& view) {
  std::map<std::string, int> place;
  for (const storage::LogLine& line : view.record.alarms) {
    const std::string text = message_of(line.row);
    const auto [found, is_new] = place.try_emplace(text, out.error_lines_size());
    if (is_new && place.size() > kMostGroups) {
      place.erase(found);
      continue;
    }
    v1::AlarmLine& group = is_new ? *out.add_error_lines() : *out.mutable_error_lines(found->second);
    group.set_kind(line.row.alarm);
    group.set_text(text);
    group.set_count(group.count() + 1);
    group.add_offsets_s(offset_s(view, line.utc));
  }
}

void add_evidence(v1::Report& out, const ReportView& view, const v1::Verdict& verdict) {
  std::vector<storage::LogLine> lines(
      view.record.alarms.begin(),
      view.record.alarms.begin() +
          static_cast<std::ptrdiff_t>(std::min(view.record.alarms.size(), kEvidenceLines)));
  if (view.field.is_free_heap() && lines.empty()) {
    lines =
        verdict.suspects_size() > 0 ? lines_of(view, verdict.suspects(0).thread()) : spread_heap_lines(view);
  }
  for (const storage::LogLine& line : lines) {
    fill(*out.add_evidence(), line);
  }
}

}  // namespace leakhunt::answer
