// Exit codes of answers. See exit_code.h.
#include "answer/exit_code.h"

#include <algorithm>
#include <optional>

namespace leakhunt::answer {
namespace {

constexpr int kAnswered = 0;
constexpr int kFailed = 1;
constexpr int kNoData = 4;
constexpr int kPartial = 5;

std::optional<int> code_of(v1::VerdictClass c, const std::set<v1::VerdictClass>& fail_on) {
  if (!fail_on.contains(c)) {
    return std::nullopt;
  }
  switch (c) {
    case v1::VERDICT_CLASS_OOM_IMMINENT:
      return 10;
    case v1::VERDICT_CLASS_SLOW_LEAK:
      return 11;
    case v1::VERDICT_CLASS_FRAGMENTATION_SUSPECT:
      return 12;
    case v1::VERDICT_CLASS_REBOOT_MID_WINDOW:
      return 13;
    case v1::VERDICT_CLASS_INSUFFICIENT_DATA:
      return 14;
    default:
      return std::nullopt;
  }
}

// A reboot hides what the stretches around it did: either is what the caller may have asked to fail on.
std::optional<int> code_of(const v1::Verdict& verdict, const std::set<v1::VerdictClass>& fail_on) {
  auto code = code_of(verdict.class_(), fail_on);
  if (verdict.has_underlying()) {
    const auto underlying = code_of(verdict.underlying(), fail_on);
    code = code && underlying ? std::min(*code, *underlying) : (code ? code : underlying);
  }
  return code;
}

int report_code(const v1::Report& report, const std::set<v1::VerdictClass>& fail_on) {
  if (report.has_verdict()) {
    if (const auto code = code_of(report.verdict(), fail_on)) {
      return *code;
    }
  }
  return report.has_verdict() && report.timeline().samples() > 0 ? kAnswered : kNoData;
}

// Neither readings nor a line that tells.
bool is_judged(const v1::ClassifiedFile& file) {
  return file.samples() > 0 || file.verdict().class_() != v1::VERDICT_CLASS_INSUFFICIENT_DATA;
}

int classified_code(const v1::Classified& classified, const std::set<v1::VerdictClass>& fail_on) {
  std::optional<int> worst;
  bool skipped = false;
  bool judged = false;
  for (const v1::ClassifiedFile& file : classified.files()) {
    skipped = skipped || file.has_error() || !is_judged(file);
    judged = judged || (!file.has_error() && is_judged(file));
    if (const auto code = file.has_verdict() ? code_of(file.verdict(), fail_on) : std::nullopt) {
      worst = std::min(worst.value_or(*code), *code);
    }
  }
  const bool refused = std::any_of(classified.files().begin(), classified.files().end(),
                                   [](const v1::ClassifiedFile& file) { return file.has_error(); });
  return worst.value_or(!judged && !refused ? kNoData : skipped ? kPartial : kAnswered);
}

// What was asked of the file: a check that found something has failed, rows that were cut are a part.
int database_code(const v1::Database& database) {
  return database.problems().empty() ? kAnswered : kFailed;
}

int doctor_code(const v1::Doctor& doctor) {
  const bool failed = std::any_of(doctor.checks().begin(), doctor.checks().end(),
                                  [](const v1::Check& check) { return check.state() == "failed"; });
  return failed ? kFailed : kAnswered;
}

}  // namespace

int exit_code(const v1::Answer& answer, const std::set<v1::VerdictClass>& fail_on) {
  switch (answer.tell_case()) {
    case v1::Answer::kReport:
      return report_code(answer.report(), fail_on);
    case v1::Answer::kTimeline:
      return answer.timeline().samples() > 0 ? kAnswered : kNoData;
    case v1::Answer::kClassify:
      return classified_code(answer.classify(), fail_on);
    case v1::Answer::kDoctor:
      return doctor_code(answer.doctor());
    case v1::Answer::kDatabase:
      return database_code(answer.database());
    case v1::Answer::kSql:
      return answer.sql().cut() ? kPartial : kAnswered;
    default:
      return kAnswered;
  }
}

}  // namespace leakhunt::answer
