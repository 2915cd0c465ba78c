// Failed allocations against the memory left at the time.
#include "analysis/evidence.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/words.h"

namespace leakhunt::analysis {
namespace {

struct Left {
  double bytes = 0;
  double away_s = 0;
  bool before = true;
};

std::optional<double> free_bytes(const Question& question, const Point& p) {
  if (!(p.value > 0)) return std::nullopt;
  if (question.sense == Sense::free_falls_is_bad) return p.value;
  if (!question.total_bytes) return std::nullopt;
  return *question.total_bytes - p.value;
}

void consider(const Question& question, const Point& p, double t_s, bool before, std::optional<Left>& best) {
  const auto bytes = free_bytes(question, p);
  const double away = std::abs(p.t_s - t_s);
  if (!bytes || (best && best->away_s <= away)) return;
  best = Left{*bytes, away, before};
}

// The last reading before the line within three minutes, else the nearest one of all.
std::optional<Left> left_at(const Question& question, double t_s) {
  std::optional<Left> before;
  std::optional<Left> nearest;
  for (const Series& series : question.series) {
    for (const Stretch& stretch : series.stretches) {
      const auto after = std::upper_bound(stretch.points.begin(), stretch.points.end(), t_s,
                                          [](double t, const Point& p) { return t < p.t_s; });
      if (after != stretch.points.begin()) consider(question, *(after - 1), t_s, true, before);
      if (after != stretch.points.end()) consider(question, *after, t_s, false, nearest);
    }
  }
  if (before && before->away_s <= kNear_s) return before;
  if (!before || (nearest && nearest->away_s < before->away_s)) return nearest;
  return before;
}

void weigh_failure(const Question& question, const EvidenceLine& line, Evidence& out) {
  const auto left = left_at(question, line.t_s);
  if (!left) {
    ++out.failures_unknown;
    out.findings.push_back(
        {"an allocation failed and no reading tells how much was free: " + quoted(line.text), 0.6});
    return;
  }
  const bool low = left->bytes < kLowMemory;
  ++(low ? out.failures_low : out.failures_high);
  const std::size_t seen = low ? out.failures_low : out.failures_high;
  if (seen > 3) return;  // the rest is counted
  std::string when = "at the last reading, " + span_text(left->away_s) + " before";
  if (!left->before)
    when = "at the nearest reading, " + span_text(left->away_s) + " after";
  else if (left->away_s > kNear_s)
    when = "at the nearest reading, which is " + span_text(left->away_s) + " older";
  out.findings.push_back(
      {"an allocation failed with " + bytes_text(left->bytes) + " free " + when + ": " + quoted(line.text),
       low ? 0.9 : 0.7});
}

void weigh_line(const Question& question, const EvidenceLine& line, Evidence& out) {
  switch (line.kind) {
    case LineKind::out_of_memory:
    case LineKind::allocation_abort:
      if (++out.out_of_memory <= 3)
        out.findings.push_back({"the device says it ran out of memory: " + quoted(line.text), 1.0});
      return;
    case LineKind::low_memory:
      if (++out.low_memory <= 3)
        out.findings.push_back({"the firmware says memory is too low: " + quoted(line.text), 0.9});
      return;
    case LineKind::allocation_failure:
      return weigh_failure(question, line, out);
    case LineKind::routing_nak:
      ++out.naks;
      return;
    case LineKind::panic:
    case LineKind::watchdog:
    case LineKind::abort:
      if (++out.panics <= 3)
        out.findings.push_back({std::string("the device was stopped by ") +
                                    (line.kind == LineKind::watchdog ? "its watchdog: " : "a fault: ") +
                                    quoted(line.text),
                                0.3});
      return;
    case LineKind::boot:
    case LineKind::planned_reboot:
    case LineKind::connection_lost:
    case LineKind::connection_established:
    case LineKind::other:
      return;
  }
}

}  // namespace

std::string quoted(const std::string& line) {
  std::string out = "\"";
  for (const char c : line.substr(0, 120)) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) out += c;
  }
  return out + (line.size() > 120 ? "…\"" : "\"");
}

Evidence weigh(const Question& question, double begin_s, double end_s) {
  Evidence out;
  for (const EvidenceLine& line : question.lines) {
    if (line.t_s >= begin_s && line.t_s < end_s) weigh_line(question, line, out);
  }
  if (out.failures_low + out.failures_high > 6) {
    out.findings.push_back({"allocations failed " +
                                number_text(static_cast<double>(out.failures_low + out.failures_high)) +
                                " times in all",
                            0.5});
  }
  if (out.naks > 0) {
    out.ruled_out.push_back(
        "OOM by " + count_text(out.naks, "line", "lines") +
        " \"Alloc an err=<number>\": the firmware writes it for every routing error it sends");
  }
  return out;
}

}  // namespace leakhunt::analysis
