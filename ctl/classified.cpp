// Verdicts of recorded files. See classified.h.
#include "ctl/classified.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <vector>

#include "answer/engine.h"
#include "base/result.h"
#include "ctl/page.h"
#include "ctl/text.h"
#include "proto/printable.h"

namespace leakhunt::ctl {
namespace {

std::string decimal(bool has, double value, int digits) {
  if (!has) return "";
  if (!std::isfinite(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{:.{}f}", value, digits);
}

// The ends of an interval; one that is not bounded is infinite.
std::string low_end(const v1::Estimate& estimate, int digits) {
  return decimal(estimate.has_value(), estimate.has_low() ? estimate.low() : -HUGE_VAL, digits);
}
std::string high_end(const v1::Estimate& estimate, int digits) {
  return decimal(estimate.has_value(), estimate.has_high() ? estimate.high() : HUGE_VAL, digits);
}

std::vector<std::string> csv_row(const v1::ClassifiedFile& file) {
  const v1::Verdict& v = file.verdict();
  std::vector<std::string> row{file.id(), answer::class_text(v.class_()), file.leak() ? "1" : "0"};
  if (v.rules() == v1::RULES_PUBLISHED) {
    row.push_back(decimal(v.has_slope_per_min(), v.slope_per_min(), 3));
    row.insert(row.end(), {"", "", decimal(v.has_minutes_to_zero(), v.minutes_to_zero(), 1), "", "", ""});
    return row;
  }
  const v1::Estimate& slope = v.trend_per_min();
  const v1::Estimate& oom = v.minutes_to_oom();
  row.insert(row.end(),
             {decimal(slope.has_value(), slope.value(), 3), low_end(slope, 3), high_end(slope, 3)});
  row.insert(row.end(), {decimal(oom.has_value(), oom.value(), 1), low_end(oom, 1), high_end(oom, 1)});
  row.push_back(decimal(v.has_mds_per_min(), v.mds_per_min(), 2));
  return row;
}

std::string samples_line(const v1::ClassifiedFile& file) {
  const std::string metric = file.metric().empty() ? "-" : proto::printable(file.metric());
  std::string out = fmt::format("  {} samples of {} ({})", grouped(file.samples()), metric, file.kind());
  if (file.verdict().has_slope_per_min()) {
    out += fmt::format(", slope {} bytes/min", figure(file.verdict().slope_per_min()));
  }
  return out + "\n";
}

}  // namespace

std::string classified_text(const v1::Classified& classified) {
  std::string out;
  for (const v1::ClassifiedFile& file : classified.files()) {
    if (file.has_error()) continue;
    const v1::Verdict& v = file.verdict();
    out += fmt::format("{}: {}\n", proto::printable(file.file()), verdict_line(v)) + samples_line(file);
    if (file.leak()) out += "  est. time-to-OOM: " + time_to_oom(v) + "\n";
    for (const v1::Finding& f : v.findings()) out += "  " + proto::printable(f.text()) + "\n";
    for (const v1::Finding& f : v.ruled_out()) out += "  not: " + proto::printable(f.text()) + "\n";
    for (const std::string& note : file.notes()) out += "  note: " + proto::printable(note) + "\n";
  }
  return out;
}

std::string classified_csv(const v1::Classified& classified) {
  std::vector<std::vector<std::string>> rows = {{"id", "verdict", "leak", "slope_bpm", "slope_lo", "slope_hi",
                                                 "tte_min", "tte_lo", "tte_hi", "mds_bpm"}};
  for (const v1::ClassifiedFile& file : classified.files()) {
    if (!file.has_error()) rows.push_back(csv_row(file));
  }
  return csv(rows);
}

void refuse_twins(v1::Classified& classified) {
  std::map<std::string, std::string> first;
  for (v1::ClassifiedFile& file : *classified.mutable_files()) {
    if (file.has_error()) continue;
    const auto [found, is_new] = first.try_emplace(file.id(), file.file());
    if (is_new) continue;
    file.mutable_error()->set_code(static_cast<int>(ErrorCode::failed));
    file.mutable_error()->set_what("a row is known by the stem of its file, which is that of " +
                                   found->second);
    file.mutable_error()->set_hint("give it another name, or ask for --json");
  }
}

std::string skipped_lines(const v1::Classified& classified, bool unjudged) {
  std::string out;
  for (const v1::ClassifiedFile& file : classified.files()) {
    Error error{ErrorCode::failed, file.error().what(), file.file(), file.error().hint()};
    if (!file.has_error()) {
      if (!unjudged || file.samples() > 0 || file.notes().empty()) continue;
      error.what = *file.notes().rbegin();
    }
    out += "leakhuntctl: " + proto::printable(error.line()) + "\n";
  }
  return out;
}

}  // namespace leakhunt::ctl
