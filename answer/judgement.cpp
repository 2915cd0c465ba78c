// Judges a record and puts the verdict into its message. See judgement.h.
#include "answer/judgement.h"

#include <algorithm>
#include <cmath>

#include "analysis/field.h"
#include "analysis/judge.h"
#include "analysis/published.h"
#include "analysis/slope.h"
#include "answer/json_read.h"
#include "answer/words.h"

namespace leakhunt::answer {
namespace {

void fill(v1::Estimate& out, const analysis::Interval& interval) {
  out.set_value(interval.value);
  if (std::isfinite(interval.low)) {
    out.set_low(interval.low);
  }
  if (std::isfinite(interval.high)) {
    out.set_high(interval.high);
  }
}

void fill(v1::Suspect& out, const analysis::Suspect& suspect) {
  out.set_thread(suspect.thread);
  out.set_net_bytes(std::llround(suspect.net_bytes));
  out.set_leaked_bytes(std::llround(suspect.leaked_bytes));
  out.set_freed_bytes(std::llround(suspect.freed_bytes));
  out.set_events(static_cast<std::int64_t>(suspect.events));
  out.set_share(suspect.share);
  out.set_few_large(suspect.few_large);
}

const storage::BootSpan* find_boot(const std::vector<storage::BootSpan>& boots, std::int64_t id) {
  const auto found = std::find_if(boots.begin(), boots.end(), [&](const auto& span) {
    return static_cast<std::int64_t>(span.boot.id) == id;
  });
  return found == boots.end() ? nullptr : &*found;
}

void fill(v1::BootStretch& out, const analysis::StretchVerdict& stretch,
          const std::vector<storage::BootSpan>& boots) {
  out.set_id(stretch.boot_id);
  out.set_start(stretch.began_s);
  out.set_end(stretch.ended_s);
  out.set_cause(stretch.cause);
  out.set_samples(static_cast<std::int64_t>(stretch.samples));
  out.set_verdict(to_v1(stretch.verdict));
  if (stretch.samples > 0) {
    out.set_level_bytes(stretch.level_end_bytes);
    out.set_slope_per_min(stretch.trend_per_min.value);
  }
  if (stretch.died_at_bytes) {
    out.set_died_at_bytes(*stretch.died_at_bytes);
  }
  if (const storage::BootSpan* span = find_boot(boots, stretch.boot_id)) {
    out.set_signs(span->boot.signs);
    out.set_firmware_version(span->boot.firmware_version);
  }
}

void fill_figures(v1::Verdict& out, const analysis::Verdict& verdict) {
  if (verdict.samples > 1) {
    const bool published = verdict.rules == analysis::Rules::published;
    out.set_slope_per_min(published ? verdict.slope_per_min_raw : verdict.slope_per_min);
  }
  if (verdict.trend_per_min) {
    fill(*out.mutable_trend_per_min(), *verdict.trend_per_min);
  }
  if (verdict.level_bytes) {
    out.set_level_bytes(*verdict.level_bytes);
  }
  if (verdict.minutes_to_zero) {
    out.set_minutes_to_zero(*verdict.minutes_to_zero);
  }
  if (verdict.minutes_to_oom) {
    fill(*out.mutable_minutes_to_oom(), *verdict.minutes_to_oom);
  }
  if (verdict.mds_per_min) {
    out.set_mds_per_min(*verdict.mds_per_min);
  }
}

void fill_attribution(v1::Verdict& out, const analysis::Verdict& verdict) {
  for (const analysis::Suspect& suspect : verdict.suspects) {
    fill(*out.add_suspects(), suspect);
  }
  if (out.suspects_size() > 0) {
    out.mutable_suspects(0)->set_primary(verdict.primary_suspect);
    out.set_lost_bytes(std::llround(verdict.lost_bytes));
    out.set_unexplained_bytes(std::llround(verdict.unexplained_bytes));
  }
}

v1::VerdictClass class_of(analysis::FieldClass c) {
  switch (c) {
    case analysis::FieldClass::insufficient:
      return v1::VERDICT_CLASS_INSUFFICIENT_DATA;
    case analysis::FieldClass::reboot:
      return v1::VERDICT_CLASS_REBOOT_MID_WINDOW;
    case analysis::FieldClass::recovery:
      return v1::VERDICT_CLASS_RECOVERY_CURVE;
    default:
      return v1::VERDICT_CLASS_STEADY;
  }
}

v1::Verdict judge_other_field(const FieldChoice& field, const Record& record) {
  const analysis::FieldVerdict judged = analysis::judge_field(record.question.series, field.counter);
  v1::Verdict out;
  out.set_class_(class_of(judged.verdict));
  out.set_word(std::string{analysis::word(judged.verdict)});
  if (judged.verdict == analysis::FieldClass::reboot) {
    out.set_underlying(class_of(judged.underlying));
  }
  if (judged.trend_per_min) {
    fill(*out.mutable_trend_per_min(), *judged.trend_per_min);
  }
  if (judged.minutes_to_zero) {
    out.set_minutes_to_zero(*judged.minutes_to_zero);
  }
  for (const analysis::Finding& finding : judged.findings) {
    v1::Finding& added = *out.add_findings();
    added.set_text(finding.text);
    added.set_weight(finding.weight);
  }
  if (const analysis::SlopeSummary slope = record.figures.slopes(); slope.samples > 1) {
    out.set_slope_per_min(slope.slope_per_min);
  }
  out.set_judged_from(record.judged_from);
  return out;
}

// The published rules know of no buckets: exact figures, and the readings that stand out.
analysis::Verdict published_on(const Record& record) {
  if (!record.from_buckets()) {
    return analysis::judge_published(record.question);
  }
  analysis::Question question = record.question;
  question.series = record.landmarks;
  return analysis::judge_published(question, record.figures.slopes());
}

// What a verdict from buckets tells of the readings behind them.
analysis::Verdict with_figures(analysis::Verdict verdict, const Record& record) {
  if (!record.from_buckets() || verdict.rules == analysis::Rules::published) {
    return verdict;
  }
  const analysis::SlopeSummary slopes = record.figures.slopes();
  verdict.slope_per_min = slopes.slope_per_min;
  verdict.slope_per_min_raw = slopes.slope_per_min_raw;
  verdict.minutes_to_zero = slopes.minutes_to_zero;
  verdict.published = published_on(record).published;
  for (analysis::StretchVerdict& stretch : verdict.stretches) {
    for (const SourceFigures& part : record.figures.parts) {
      if (part.source == verdict.source && part.boot_id == stretch.boot_id) {
        stretch.samples = static_cast<std::size_t>(part.n);
        stretch.level_end_bytes = part.last;
      }
    }
  }
  return verdict;
}

constexpr const char* kNotLookedAtYet = "provisional: the schedule has not looked at this yet";
constexpr double kReasonWeight = 0.1;

// The sentence set_reason() put there.
std::string reason_of(const v1::Verdict& verdict) {
  if (verdict.findings().empty()) {
    return "";
  }
  const std::string& last = verdict.findings().rbegin()->text();
  const bool is_reason =
      last.starts_with("provisional: ") || last.starts_with("confirmed: ") || last.starts_with("withdrawn: ");
  return is_reason ? last : "";
}

bool is_scheduled(const Asked& asked, const AskedWindow& window) {
  const auto& scheduled = asked.settings.scheduled_windows;
  return !asked.offline && window.ends_now &&
         std::find(scheduled.begin(), scheduled.end(), window.span.end - window.span.start) !=
             scheduled.end();
}

v1::Verdict judge_heap(const Asked& asked, const Record& record, const AskedWindow& window) {
  if (asked.rules == v1::RULES_PUBLISHED) {
    return to_message(published_on(record), record);
  }
  const auto stored = is_scheduled(asked, window)
                          ? stored_verdict(asked.reader, asked.device.id, window.span.end - window.span.start)
                          : std::nullopt;
  if (!stored) {
    return to_message(analysis::judge_with_replay(record.question), record);
  }
  v1::Verdict now = to_message(analysis::judge(record.question), record);
  const bool same = now.class_() == stored->class_() && now.underlying() == stored->underlying();
  now.set_state(same ? stored->state() : v1::VERDICT_STATE_PROVISIONAL);
  set_reason(now, same ? reason_of(*stored) : kNotLookedAtYet);
  return now;
}

}  // namespace

v1::Verdict to_message(const analysis::Verdict& verdict, const std::vector<storage::BootSpan>& boots) {
  v1::Verdict out;
  out.set_class_(to_v1(verdict.verdict));
  out.set_state(to_v1(verdict.state));
  if (verdict.underlying != verdict.verdict) {
    out.set_underlying(to_v1(verdict.underlying));
  }
  out.set_rules(verdict.rules == analysis::Rules::published ? v1::RULES_PUBLISHED : v1::RULES_LEAKHUNT);
  fill_figures(out, verdict);
  out.set_reserve_bytes(verdict.reserve_bytes);
  out.set_reserve_reason(verdict.reserve_reason);
  out.set_source(verdict.source);
  for (const analysis::StretchVerdict& stretch : verdict.stretches) {
    fill(*out.add_boots(), stretch, boots);
  }
  for (const analysis::Finding& finding : verdict.findings) {
    v1::Finding& added = *out.add_findings();
    added.set_text(finding.text);
    added.set_weight(finding.weight);
  }
  for (const std::string& text : verdict.ruled_out) {
    out.add_ruled_out()->set_text(text);
  }
  fill_attribution(out, verdict);
  out.mutable_published()->set_class_(to_v1(verdict.published.verdict));
  out.mutable_published()->set_rule(verdict.published.rule == 0 ? "none: " + verdict.published.reason
                                                                : verdict.published.reason);
  out.set_urgent(verdict.urgent);
  out.set_wait(verdict.needs);
  return out;
}

v1::Verdict to_message(const analysis::Verdict& verdict, const Record& record) {
  v1::Verdict out = to_message(with_figures(verdict, record), record.boots);
  out.set_judged_from(record.judged_from);
  return out;
}

void set_reason(v1::Verdict& verdict, const std::string& reason) {
  if (reason.empty()) {
    return;
  }
  v1::Finding& added = *verdict.add_findings();
  added.set_text(reason);
  added.set_weight(kReasonWeight);
}

v1::Verdict judge_trend(const FieldChoice& field, const Record& record) {
  return field.is_free_heap() ? to_message(analysis::judge(record.question), record)
                              : judge_other_field(field, record);
}

std::optional<v1::Verdict> stored_verdict(storage::Reader& reader, recorder::DeviceId device,
                                          Duration window) {
  const auto rows = reader.verdicts({device, window, 1});
  v1::Verdict verdict;
  if (rows.empty() || !read_json(rows.front().json, verdict)) {
    return std::nullopt;
  }
  return verdict;
}

v1::Verdict judge_record(const Asked& asked, const FieldChoice& field, const Record& record,
                         const AskedWindow& window) {
  v1::Verdict verdict =
      field.is_free_heap() ? judge_heap(asked, record, window) : judge_other_field(field, record);
  verdict.set_rules(asked.rules);
  verdict.set_ts(epoch(asked.now));
  verdict.set_window_s(seconds(window.span.end - window.span.start));
  return verdict;
}

}  // namespace leakhunt::answer
