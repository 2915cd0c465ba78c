// Attribution against the slope, in figures and sentences.
#include "analysis/suspects.h"

#include <algorithm>
#include <map>

#include "analysis/words.h"
#include "base/quantile.h"

namespace leakhunt::analysis {
namespace {

constexpr std::size_t kSites = 5;
constexpr double kLeastGrowth = 64;  // bytes: below it a part holds what it held

void tell_threads(Verdict& v) {
  if (v.suspects.empty()) return;
  const Suspect& s = v.suspects.front();
  std::string text = "thread " + s.thread + " lost " + bytes_text(-s.net_bytes) + " for good over " +
                     count_text(s.events, "run", "runs");
  if (s.per_run_bytes) text += ", about " + bytes_text(*s.per_run_bytes) + " per run";
  text += " (leaked " + bytes_text(-s.leaked_bytes) + ", freed " + bytes_text(s.freed_bytes);
  if (s.transferred_bytes > 0) text += ", " + bytes_text(s.transferred_bytes) + " freed by other threads";
  v.findings.push_back({text + ")", v.primary_suspect ? 0.8 : 0.4});
  if (v.lost_bytes <= 0) return;
  const std::string lost = bytes_text(v.lost_bytes) + " lost by the slope";
  v.findings.push_back({v.unexplained_bytes <= 0
                            ? "the threads' lines explain all of the " + lost
                            : "the threads' lines explain " + bytes_text(v.attributed_bytes) + " of the " +
                                  lost + "; unexplained: " + percent_text(v.unexplained_share),
                        0.4});
}

void tell_holders(Verdict& v) {
  if (!v.growths.empty()) {
    const Growth& g = v.growths.front();
    v.findings.push_back({"by MemAudit " + g.part + " grew most, from " + bytes_text(g.from_bytes) + " to " +
                              bytes_text(g.to_bytes),
                          0.4});
  }
  if (!v.sites.empty()) {
    const SiteSum& s = v.sites.front();
    v.findings.push_back({"most bytes were allocated at " + s.site + ": " + bytes_text(s.bytes) + " in " +
                              count_text(s.count, "call", "calls") + " (what was given back is not told)",
                          0.2});
  }
}

}  // namespace

Attribution attribute_stretch(const Question& q, const Stretch& stretch) {
  const double begin = stretch.points.front().t_s;
  const double end = stretch.points.back().t_s;
  const double cadence = (end - begin) / std::max(1.0, static_cast<double>(stretch.points.size()) - 1);
  std::vector<HeapEvent> events;
  for (const HeapEvent& e : q.heap_events) {
    const bool of_boot = e.boot_id == stretch.boot_id || e.boot_id == 0;
    if (of_boot && e.t_s >= begin - cadence && e.t_s <= end + cadence) events.push_back(e);
  }
  return attribute(events);
}

std::vector<Growth> growths(const std::vector<Holding>& holdings, std::int64_t boot_id) {
  std::map<std::string, Values> parts;
  for (const Holding& h : holdings) {
    if ((h.boot_id == boot_id || h.boot_id == 0) && h.part != "total") parts[h.part].push_back(h.bytes);
  }
  std::vector<Growth> out;
  for (const auto& [part, bytes] : parts) {
    const auto quarter = static_cast<std::ptrdiff_t>((bytes.size() + 3) / 4);
    const Growth g{part, median(Values(bytes.begin(), bytes.begin() + quarter)),
                   median(Values(bytes.end() - quarter, bytes.end()))};
    if (g.to_bytes - g.from_bytes >= kLeastGrowth) out.push_back(g);
  }
  std::stable_sort(out.begin(), out.end(), [](const Growth& a, const Growth& b) {
    return a.to_bytes - a.from_bytes > b.to_bytes - b.from_bytes;
  });
  return out;
}

std::vector<SiteSum> most_allocating(const std::vector<SiteAllocation>& allocations, std::int64_t boot_id) {
  std::map<std::string, SiteSum> sums;
  for (const SiteAllocation& a : allocations) {
    if (a.boot_id != boot_id && a.boot_id != 0) continue;
    SiteSum& s = sums[a.site];
    s.site = a.site;
    s.bytes += a.bytes;
    ++s.count;
  }
  std::vector<SiteSum> out;
  for (const auto& [site, sum] : sums) out.push_back(sum);
  std::stable_sort(out.begin(), out.end(),
                   [](const SiteSum& a, const SiteSum& b) { return a.bytes > b.bytes; });
  if (out.size() > kSites) out.resize(kSites);
  return out;
}

void name_suspects(const Question& q, const Examined& e, Verdict& v) {
  if (!v.leak) return;
  const std::int64_t boot = e.stretch->boot_id;
  v.growths = growths(q.holdings, boot);
  v.sites = most_allocating(q.allocations, boot);
  if (!q.heap_events.empty()) {
    const Attribution a = attribute_stretch(q, *e.stretch);
    v.lost_bytes = -e.exam.slope.value * e.exam.span_s / 60;
    for (const Suspect& s : a.threads) {
      if (s.net_bytes < 0) v.suspects.push_back(s);
    }
    v.attributed_bytes = a.attributed_bytes;
    v.primary_suspect = !v.suspects.empty() && v.suspects.front().share >= 0.5;
    v.unexplained_bytes = v.lost_bytes - v.attributed_bytes;
    v.unexplained_share = v.lost_bytes > 0 ? v.unexplained_bytes / v.lost_bytes : 0;
  }
  tell_threads(v);
  tell_holders(v);
}

}  // namespace leakhunt::analysis
