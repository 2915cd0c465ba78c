// The report question: checks first, then the figures, the verdict and what to do.
#include "answer/figures.h"
#include "answer/judgement.h"
#include "answer/questions.h"
#include "answer/report_parts.h"
#include "answer/words.h"

namespace leakhunt::answer {
namespace {

// The labels of the page call it by its old name.
std::string page_name(const FieldChoice& field) {
  return field.is_free_heap() ? "free_heap" : field.field;
}

void fill_page(v1::Report& out, const ReportView& view) {
  fill_figures(*out.mutable_timeline(), view.asked, view.field, view.window, view.record.figures,
               view.record.boots);
  out.set_build(build_line(view));
  out.set_samples(samples_line(view));
  out.set_reboots(reboots_line(view));
  if (view.field.is_free_heap()) {
    out.set_oom_events(oom_line(view));
    add_error_lines(out, view);
  }
  add_marks(out, view);
}

void fill_judgement(v1::Report& out, const ReportView& view) {
  v1::Verdict& verdict = *out.mutable_verdict();
  verdict = judge_record(view.asked, view.field, view.record, view.window);
  out.mutable_samples()->append(judged_source(view, verdict));
  if (verdict.has_trend_per_min()) {
    *out.mutable_timeline()->mutable_trend_per_min() = verdict.trend_per_min();
  }
  add_experiments(out, view);
  if (!view.field.is_free_heap()) {
    out.set_excluded(excluded_trends(verdict));
    return;
  }
  out.set_thread_leaks(thread_leaks_line(view, verdict));
  out.set_excluded(excluded_line(verdict));
  if (verdict.has_published() && verdict.published().class_() != verdict.class_()) {
    out.set_published_why(published_why(view, verdict));
  }
  add_next(out, view, verdict);
}

}  // namespace

Result<v1::Report> answer_report(const Asked& asked, const v1::ReportQuestion& question) {
  const auto field = choose_field(asked, question.field(), question.variant());
  if (!field) {
    return field.error();
  }
  const auto window = field_window(asked, question.window(), *field);
  if (!window) {
    return window.error();
  }
  const LineSearch search = asked.rules == v1::RULES_PUBLISHED ? kAllLines : kNewestLines;
  const Record record =
      load_record(asked, *field, window->span, search,
                  question.has_reserve_bytes() ? std::optional{question.reserve_bytes()} : std::nullopt);
  const storage::Totals totals = asked.reader.totals(asked.device.id);
  const ReportView view{asked, *field, *window, record, totals};

  v1::Report out;
  out.set_device(asked.device.name);
  fill(*out.mutable_window(), *window);
  out.mutable_window()->set_variant(field->variant_name);
  out.mutable_window()->set_field(page_name(*field));
  out.set_offline(asked.offline);
  out.set_now_note(now_note(asked));
  out.set_recorder(recorder_line(view));
  const CheckResult check = check_report(view);
  out.set_check(check.check);
  out.set_check_text(check.text);
  if (check.silent_s) {
    out.set_silent_s(*check.silent_s);
  }
  if (check.ends_report()) {
    return out;
  }
  fill_page(out, view);
  if (check.allows_verdict()) {
    fill_judgement(out, view);
  }
  add_evidence(out, view, out.verdict());
  return out;
}

}  // namespace leakhunt::answer
