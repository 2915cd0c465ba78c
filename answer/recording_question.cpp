// The metric to judge, its stretches by boot, and the limits of what a file can show.
#include "answer/recording_question.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/judge.h"
#include "analysis/segments.h"
#include "analysis/words.h"

namespace leakhunt::answer {
namespace {

using analysis::LineKind;
using analysis::VerdictClass;
using recorder::Metric;
using recorder::MetricRole;
using recorder::MetricSense;
using recorder::Reading;
using recorder::RecordedLineKind;
using recorder::Recording;

LineKind kind_of(RecordedLineKind kind) {
  switch (kind) {
    case RecordedLineKind::out_of_memory:
      return LineKind::out_of_memory;
    case RecordedLineKind::allocation_abort:
      return LineKind::allocation_abort;
    case RecordedLineKind::allocation_failure:
      return LineKind::allocation_failure;
    case RecordedLineKind::low_memory:
      return LineKind::low_memory;
    case RecordedLineKind::routing_nak:
      return LineKind::routing_nak;
    case RecordedLineKind::panic:
      return LineKind::panic;
    case RecordedLineKind::watchdog:
      return LineKind::watchdog;
    case RecordedLineKind::abort:
      return LineKind::abort;
    case RecordedLineKind::boot:
      return LineKind::boot;
    case RecordedLineKind::planned_reboot:
      return LineKind::planned_reboot;
    case RecordedLineKind::connection_lost:
      return LineKind::connection_lost;
    case RecordedLineKind::connection_established:
      return LineKind::connection_established;
    case RecordedLineKind::other:
      return LineKind::other;
  }
  return LineKind::other;
}

analysis::Measure measure_of(MetricRole role) {
  switch (role) {
    case MetricRole::largest_block:
      return analysis::Measure::largest_block;
    case MetricRole::low_water:
      return analysis::Measure::low_water_mark;
    case MetricRole::level:
      break;
  }
  return analysis::Measure::level;
}

// Readings inside a thread's run or an allocation lie lower than the level at rest.
bool is_secondary(const Metric& metric) {
  return metric.source == "thread_event" || metric.source == "alloc_line" || metric.source == "boot_line";
}

std::vector<const Metric*> by_name(const Recording& recording, const std::string& name) {
  std::vector<const Metric*> out;
  for (const Metric& metric : recording.metrics) {
    if (metric.name == name) out.push_back(&metric);
  }
  return out;
}

// All sources of the first metric that tells memory; free before used, a level before anything else.
std::vector<const Metric*> judged_metrics(const Recording& recording) {
  const auto of = [&recording](auto wanted) {
    std::vector<const Metric*> out;
    for (const Metric& metric : recording.metrics) {
      const bool same =
          out.empty() || (metric.name == out.front()->name && metric.sense == out.front()->sense);
      if (!metric.readings.empty() && same && wanted(metric)) out.push_back(&metric);
    }
    return out;
  };
  const bool csv = recording.kind == recorder::RecordingKind::csv;
  auto out = of([csv](const Metric& m) {
    return m.role == MetricRole::level && (csv || m.sense == MetricSense::free_memory) && !is_secondary(m);
  });
  if (out.empty()) out = of([](const Metric& m) { return m.role == MetricRole::level && !is_secondary(m); });
  if (out.empty()) out = of([](const Metric& m) { return m.role == MetricRole::level; });
  if (out.empty()) out = of([](const Metric&) { return true; });
  return out;
}

Error unknown_metric(const Recording& recording, const std::string& name) {
  std::string known;
  for (const Metric& metric : recording.metrics) {
    if (known.find(metric.name) == std::string::npos) known += (known.empty() ? "" : ", ") + metric.name;
  }
  return {ErrorCode::usage, "no metric '" + name + "'", "",
          known.empty() ? "the file tells none" : "there are: " + known};
}

analysis::Point point_of(const Reading& reading) {
  analysis::Point p;
  p.t_s = reading.t_s;
  p.value = reading.value;
  p.largest_block = reading.largest_block;
  p.min_free = reading.min_free;
  p.total = reading.total;
  p.packets_rx = reading.packets_rx;
  p.total_nodes = reading.total_nodes;
  return p;
}

bool all_have_uptime(const std::vector<const Metric*>& metrics) {
  return std::all_of(metrics.begin(), metrics.end(), [](const Metric* metric) {
    return std::all_of(metric->readings.begin(), metric->readings.end(),
                       [](const Reading& r) { return !std::isnan(r.uptime_s); });
  });
}

// The reader has found the boots.
analysis::Series by_boots(const Metric& metric, const Recording& recording, bool uptime) {
  analysis::Series series{metric.source, {}};
  for (const Reading& reading : metric.readings) {
    const auto id = static_cast<std::int64_t>(reading.boot) + 1;
    if (series.stretches.empty() || series.stretches.back().boot_id != id) {
      const auto& boot = recording.boots[reading.boot];
      series.stretches.push_back({id, reading.boot == 0 ? analysis::absent : boot.began_s, boot.cause, {}});
    }
    auto& points = series.stretches.back().points;
    auto point = point_of(reading);
    point.x_s = uptime ? reading.uptime_s : reading.t_s;
    if (!points.empty()) point.x_s = std::max(point.x_s, points.back().x_s);
    points.push_back(point);
  }
  return series;
}

// Used memory that drops to a fraction, below what the recording began with, is that of another process.
void add_process_restarts(const Metric& metric, analysis::Question& question) {
  constexpr double kFraction = 0.15;
  constexpr double kOfTheFirst = 0.5;
  const auto& readings = metric.readings;
  for (std::size_t i = 1; i < readings.size() && metric.sense == MetricSense::used_memory; ++i) {
    if (readings[i].value < kFraction * readings[i - 1].value &&
        readings[i].value < kOfTheFirst * readings.front().value) {
      question.lines.push_back({readings[i].t_s, std::nullopt, LineKind::boot,
                                "used memory drops below what it began with: another process"});
    }
  }
  std::stable_sort(question.lines.begin(), question.lines.end(),
                   [](const auto& a, const auto& b) { return a.t_s < b.t_s; });
}

// The readings themselves must tell.
analysis::Stretches by_split(const Metric& metric, const analysis::Question& question) {
  std::vector<analysis::Row> rows;
  rows.reserve(metric.readings.size());
  for (const Reading& reading : metric.readings) {
    rows.push_back({reading.t_s, reading.uptime_s, point_of(reading)});
  }
  return analysis::split(rows, question.lines, question.sense);
}

// Several forms of line that each came a few times only are one series after all.
std::vector<const Metric*> merged_if_thin(std::vector<const Metric*> metrics, Metric& merged) {
  constexpr std::size_t kFew = 5;
  const bool thin = metrics.size() > 1 && std::all_of(metrics.begin(), metrics.end(), [](const Metric* m) {
                      return m->readings.size() < kFew;
                    });
  if (!thin) return metrics;
  merged = *metrics.front();
  merged.source = "all";
  for (std::size_t i = 1; i < metrics.size(); ++i) {
    merged.readings.insert(merged.readings.end(), metrics[i]->readings.begin(), metrics[i]->readings.end());
  }
  std::stable_sort(merged.readings.begin(), merged.readings.end(),
                   [](const Reading& a, const Reading& b) { return a.t_s < b.t_s; });
  return {&merged};
}

void add_lines(const Recording& recording, analysis::Question& question) {
  for (const auto& line : recording.lines) {
    question.lines.push_back({line.t_s,
                              std::isnan(line.uptime_s) ? std::nullopt : std::optional(line.uptime_s),
                              kind_of(line.kind), line.text});
  }
  for (const auto& event : recording.heap_events) {
    question.heap_events.push_back({event.t_s, std::isnan(event.uptime_s) ? event.t_s : event.uptime_s,
                                    event.thread, event.before, event.after, event.after - event.before,
                                    event.leaked, static_cast<std::int64_t>(event.boot) + 1});
  }
}

// A log says where each boot lies; what a log beside a table says of boots only adds to those of the table.
void add_boots(const Recording& recording, analysis::Question& question) {
  const bool csv = recording.kind == recorder::RecordingKind::csv;
  if (csv && recording.boots.empty()) return;
  if (csv) question.boots.push_back({1, analysis::absent, ""});
  for (std::size_t i = 0; i < recording.boots.size(); ++i) {
    const auto& boot = recording.boots[i];
    const bool first = !csv && i == 0;
    question.boots.push_back(
        {static_cast<std::int64_t>(i) + (csv ? 2 : 1), first ? analysis::absent : boot.began_s, boot.cause});
  }
}

// Stretches of a table begin where its rows say; a log beside it may say why.
void explain_stretches(const Recording& recording, analysis::Question& question,
                       std::vector<analysis::Stretch>& stretches) {
  constexpr double kClocksDiffer_s = 60;
  std::vector<analysis::Boot> boots{{1, analysis::absent, ""}};
  bool any = false;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    const double from = stretches[i - 1].points.back().t_s - kClocksDiffer_s;
    const double to = stretches[i].points.front().t_s + kClocksDiffer_s;
    const auto told = std::find_if(recording.boots.begin(), recording.boots.end(), [=](const auto& boot) {
      return boot.began_s > from && boot.began_s <= to && !boot.cause.empty();
    });
    if (told != recording.boots.end()) stretches[i].cause = told->cause;
    any = any || told != recording.boots.end();
    boots.push_back({stretches[i].boot_id, stretches[i].began_s, stretches[i].cause});
  }
  if (any) question.boots = std::move(boots);
}

void add_total(const std::vector<const Metric*>& metrics, analysis::Question& question) {
  for (const Metric* metric : metrics) {
    for (const Reading& reading : metric->readings) {
      if (!std::isnan(reading.total) && reading.total > 0) {
        question.total_bytes = std::max(question.total_bytes.value_or(0), reading.total);
      }
    }
  }
}

// Memory in use that lies above its limit most of the time has another limit.
void drop_exceeded_limit(const std::vector<const Metric*>& metrics, RecordingQuestion& asked) {
  auto& q = asked.question;
  if (!q.total_bytes || q.sense != analysis::Sense::used_rises_is_bad) return;
  std::size_t above = 0;
  std::size_t all = 0;
  for (const Metric* metric : metrics) {
    for (const Reading& reading : metric->readings) above += reading.value > *q.total_bytes ? 1U : 0U;
    all += metric->readings.size();
  }
  if (2 * above <= all) return;
  asked.notes.push_back("the readings lie above the limit of " + analysis::bytes_text(*q.total_bytes) +
                        ": it is not used");
  q.total_bytes.reset();
}

void hold_back(JudgedRecording& judged, const std::string& why) {
  auto& v = judged.verdict;
  v.findings.insert(v.findings.begin(), {why, 1.0});
  v.verdict = v.underlying = VerdictClass::insufficient_data;
  v.leak = false;
  v.minutes_to_oom.reset();
  v.trend_per_min.reset();
  v.mds_per_min.reset();
  v.state = analysis::State::provisional;
}

void drop_rates(analysis::Verdict& v) {
  v.slope_per_min = v.slope_per_min_raw = 0;
  v.trend_per_min.reset();
  v.minutes_to_zero.reset();
  v.minutes_to_oom.reset();
  v.mds_per_min.reset();
  for (auto& stretch : v.stretches) stretch.trend_per_min = {};
}

bool by_trend(const analysis::Verdict& v) {
  return v.verdict == VerdictClass::slow_leak || (v.verdict == VerdictClass::oom_imminent && v.leak);
}

// A trend over fewer readings than the shortest window of a report holds is never certain.
constexpr std::size_t kFewForCertainty = 24;

void hold_to_what_the_file_shows(JudgedRecording& judged, const RecordingQuestion& asked,
                                 const Recording& recording) {
  auto& v = judged.verdict;
  if (recording.time == recorder::TimeBase::none && by_trend(v)) {
    v.findings.clear();  // they speak of rates
    hold_back(judged,
              "memory goes from reading to reading, but the file has no usable times: no rate can be told");
  }
  const bool few = asked.samples < kFewForCertainty && by_trend(v);
  if (recording.time == recorder::TimeBase::none) drop_rates(v);
  if (recording.time == recorder::TimeBase::none || few) v.state = analysis::State::provisional;
}

}  // namespace

Result<RecordingQuestion> question_of(const Recording& recording, const JudgeSettings& settings) {
  RecordingQuestion out;
  out.notes = recording.notes;
  auto& q = out.question;
  add_lines(recording, q);
  add_boots(recording, q);
  if (settings.reserve_bytes) q.reserve_bytes = *settings.reserve_bytes;
  q.reserve_reason = settings.reserve_reason;
  auto metrics = settings.metric.empty() ? judged_metrics(recording) : by_name(recording, settings.metric);
  if (metrics.empty()) {
    if (!settings.metric.empty()) return unknown_metric(recording, settings.metric);
    out.notes.emplace_back("no line of it tells memory: nothing to judge");
    return out;
  }
  Metric merged;
  metrics = merged_if_thin(std::move(metrics), merged);
  out.metric = metrics.front()->name;
  q.measure = measure_of(metrics.front()->role);
  if (!metrics.front()->sense_told) {
    out.notes.push_back("'" + out.metric +
                        "' does not tell whether rising or falling is bad: judged as free memory");
  }
  q.sense = metrics.front()->sense == MetricSense::used_memory ? analysis::Sense::used_rises_is_bad
                                                               : analysis::Sense::free_falls_is_bad;
  add_total(metrics, q);
  if (!q.total_bytes && q.sense == analysis::Sense::used_rises_is_bad) q.total_bytes = settings.limit_bytes;
  drop_exceeded_limit(metrics, out);
  const bool told_boots = recording.kind != recorder::RecordingKind::csv;
  q.uptime_known = told_boots && all_have_uptime(metrics);
  for (const Metric* metric : metrics) {
    out.samples += metric->readings.size();
    if (told_boots) {
      q.series.push_back(by_boots(*metric, recording, q.uptime_known));
      continue;
    }
    add_process_restarts(*metric, q);
    auto stretches = by_split(*metric, q);
    explain_stretches(recording, q, stretches.stretches);
    q.uptime_known = stretches.uptime_known;
    q.series.push_back({metric->source, std::move(stretches.stretches)});
    break;  // a table's further columns are other figures, not other sources
  }
  return out;
}

namespace {

Result<JudgedRecording> judge_one(const Recording& recording, const JudgeSettings& settings) {
  auto asked = question_of(recording, settings);
  if (!asked) return asked.error();
  JudgedRecording out;
  out.metric = asked->metric;
  out.samples = asked->samples;
  if (settings.rules == analysis::Rules::published) {
    out.verdict = analysis::judge_published(asked->question);
  } else {
    out.verdict = analysis::judge_with_replay(asked->question);
    hold_to_what_the_file_shows(out, *asked, recording);
  }
  out.notes = std::move(asked->notes);
  return out;
}

// Owners with enough readings for a verdict, in the order of the file; none where there are too many to be
// devices or processes worth telling apart.
std::vector<std::string> owners_of(const Recording& recording) {
  constexpr std::size_t kFewest = 5;
  constexpr std::size_t kMost = 64;
  std::vector<std::string> owners;
  for (const Metric& metric : recording.metrics) {
    const bool known = std::find(owners.begin(), owners.end(), metric.owner) != owners.end();
    if (!metric.owner.empty() && !known && metric.readings.size() >= kFewest) owners.push_back(metric.owner);
  }
  return owners.size() > kMost ? std::vector<std::string>{} : owners;
}

int urgency(const analysis::Verdict& v) {
  using Class = analysis::VerdictClass;
  constexpr std::array kLeastFirst = {
      Class::insufficient_data,     Class::steady,    Class::recovery_curve, Class::reboot_mid_window,
      Class::fragmentation_suspect, Class::slow_leak, Class::oom_imminent};
  const auto at = std::find(kLeastFirst.begin(), kLeastFirst.end(), v.verdict) - kLeastFirst.begin();
  return static_cast<int>(at);
}

}  // namespace

// Memories of several owners are never one series: each is judged, and the most urgent is told.
Result<JudgedRecording> judge_recording(const Recording& recording, const JudgeSettings& settings) {
  const auto owners = owners_of(recording);
  if (owners.size() < 2) return judge_one(recording, settings);
  Recording alone = recording;
  std::optional<JudgedRecording> worst;
  std::string worst_owner;
  std::string all;
  for (const std::string& owner : owners) {
    alone.metrics.clear();
    for (const Metric& metric : recording.metrics) {
      if (metric.owner == owner) alone.metrics.push_back(metric);
    }
    auto judged = judge_one(alone, settings);
    if (!judged) return judged;
    all += (all.empty() ? "'" : ", '") + owner + "' " +
           std::string(analysis::text_word(judged->verdict.verdict));
    if (!worst || urgency(judged->verdict) > urgency(worst->verdict)) {
      worst = std::move(*judged);
      worst_owner = owner;
    }
  }
  worst->notes.push_back(std::to_string(owners.size()) + " memories in the file, judged is '" + worst_owner +
                         "': " + all);
  return std::move(*worst);
}

}  // namespace leakhunt::answer
