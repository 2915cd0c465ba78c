// The pieces of a report, each a function over the same view. Layout is not known here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answer/asked.h"
#include "answer/fields.h"
#include "answer/record.h"

namespace leakhunt::answer {

// Everything a piece may look at.
struct ReportView {
  const Asked& asked;
  const FieldChoice& field;
  const AskedWindow& window;
  const Record& record;
  const storage::Totals& totals;
};

// ---- report_checks.cpp: what fails before anything is judged

struct CheckResult {
  v1::ReportCheck check = v1::REPORT_CHECK_OK;
  std::string text;
  std::optional<double> silent_s;
  // A verdict is given all the same (released, paused: what was recorded before stands).
  [[nodiscard]] bool allows_verdict() const {
    return check == v1::REPORT_CHECK_OK || check == v1::REPORT_CHECK_RELEASED ||
           check == v1::REPORT_CHECK_PAUSED;
  }
  // There is nothing to show but the check itself.
  [[nodiscard]] bool ends_report() const { return !allows_verdict() && check != v1::REPORT_CHECK_SILENT; }
};
[[nodiscard]] CheckResult check_report(const ReportView& view);

// ---- report_lines.cpp: one line of the page each

[[nodiscard]] std::string recorder_line(const ReportView& view);
[[nodiscard]] std::string build_line(const ReportView& view);
[[nodiscard]] std::string samples_line(const ReportView& view);
// What samples_line is followed by where the samples came in several manners: the source that is judged.
[[nodiscard]] std::string judged_source(const ReportView& view, const v1::Verdict& verdict);
[[nodiscard]] std::string reboots_line(const ReportView& view);
[[nodiscard]] std::string oom_line(const ReportView& view);
[[nodiscard]] std::string thread_leaks_line(const ReportView& view, const v1::Verdict& verdict);
[[nodiscard]] std::string excluded_trends(const v1::Verdict& verdict);  // of a field that is no heap
[[nodiscard]] std::string excluded_line(const v1::Verdict& verdict);
[[nodiscard]] std::string published_why(const ReportView& view, const v1::Verdict& verdict);
void add_error_lines(v1::Report& out, const ReportView& view);
void add_evidence(v1::Report& out, const ReportView& view, const v1::Verdict& verdict);

// Log lines of the build tell heap: by the boot's own flag, or because thread events came.
[[nodiscard]] bool has_debug_heap(const ReportView& view);

// ---- report_next.cpp: what to do now

void add_next(v1::Report& out, const ReportView& view, const v1::Verdict& verdict);

// ---- experiments.cpp: two marks X-start (or X-begin) and X-end

void add_marks(v1::Report& out, const ReportView& view);
void add_experiments(v1::Report& out, const ReportView& view);

}  // namespace leakhunt::answer
