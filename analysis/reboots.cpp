// Restarts by kind; a loss that recurs across them.
#include "analysis/reboots.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/sense.h"
#include "analysis/words.h"

namespace leakhunt::analysis {
namespace {

constexpr std::size_t kShown = 4;  // restarts and levels that a sentence lists
constexpr std::size_t kFewStretches = 3;
constexpr double kMostGone = 0.5;   // of its best level: with less left a boot ended for want of memory
constexpr double kPlainFall = 0.1;  // of the first level: what a stretch too short to judge must lose

// The boot after this one, with or without readings.
const Boot* next_boot(const Question& q, std::int64_t id) {
  const Boot* next = nullptr;
  for (const Boot& b : q.boots) {
    if (b.id > id && (next == nullptr || b.id < next->id)) next = &b;
  }
  return next;
}

std::string list(const std::vector<std::string>& words) {
  std::string out;
  const std::size_t from = words.size() > kShown ? words.size() - kShown : 0;
  for (std::size_t i = from; i < words.size(); ++i) out += (i == from ? "" : ", ") + words[i];
  return from > 0 ? "… " + out : out;
}

// "2 by a watchdog reset, 1 planned"
std::string by_kind(const Question& q, const std::vector<StretchVerdict>& stretches) {
  std::map<std::string, std::size_t> kinds;
  if (q.boots.empty()) {
    for (std::size_t i = 1; i < stretches.size(); ++i) ++kinds[stretches[i].cause];
  }
  for (std::size_t i = 1; i < q.boots.size(); ++i) ++kinds[q.boots[i].cause];
  std::string out;
  for (const auto& [cause, n] : kinds) {
    out += (out.empty() ? "" : ", ") + number_text(static_cast<double>(n)) + " by " + cause_words(cause);
  }
  return out;
}

std::string end_of(const Question& q, const StretchVerdict& s) {
  const std::string lasted =
      s.samples > 1 ? " after " + span_text(s.ended_s - s.began_s) + " of readings" : "";
  const std::string out =
      "boot " + std::to_string(s.boot_id) + " ended" + lasted + " by " + cause_words(s.ended_by);
  if (is_planned(s.ended_by)) return out + ": not counted as its death";
  return out + " with " + bytes_text(s.last_bytes) + (used(q) ? " used" : " free");
}

void add_recurrence(const std::vector<StretchVerdict>& stretches, std::vector<Finding>& out) {
  std::vector<std::string> slopes;
  std::vector<std::string> deaths;
  for (const StretchVerdict& s : stretches) {
    if (!s.leak) continue;
    slopes.push_back(rate_text(s.trend_per_min.value));
    if (s.died_at_bytes) {
      deaths.push_back(bytes_text(*s.died_at_bytes) + " after " + span_text(s.ended_s - s.began_s));
    }
  }
  if (slopes.size() < 2) return;
  std::string text = "the loss comes again after the reboot, in " +
                     count_text(slopes.size(), "stretch", "stretches") + ": " + list(slopes);
  if (!deaths.empty()) text += "; the device died at " + list(deaths);
  out.push_back({text, 0.9});
}

// The stretches of the source judged, and of boots it has none of the fullest of another source.
std::vector<const Examined*> one_per_boot(const Sources& sources) {
  std::map<std::int64_t, const Examined*> boots;
  for (const Examined& e : sources.chosen().stretches) {
    if (e.exam.samples > 0) boots[e.stretch->boot_id] = &e;
  }
  std::map<std::int64_t, const Examined*> others;
  for (const Candidate& c : sources.all) {
    for (const Examined& e : c.stretches) {
      const Examined*& known = others[e.stretch->boot_id];
      if (known == nullptr || e.exam.samples > known->exam.samples) known = &e;
    }
  }
  boots.merge(others);
  std::vector<const Examined*> out;
  for (const auto& [id, e] : boots) out.push_back(e);
  return out;
}

StretchVerdict verdict_of(const Question& q, const Examined& e) {
  StretchVerdict s;
  s.boot_id = e.stretch->boot_id;
  s.began_s = e.stretch->points.front().t_s;
  s.ended_s = e.stretch->points.back().t_s;
  s.cause = e.stretch->cause;
  s.samples = e.exam.samples;
  s.verdict = e.verdict;
  s.leak = e.exam.leak;
  s.level_end_bytes = e.last_value;
  s.trend_per_min = field_slope(q, e.exam.slope);
  s.shape = e.exam.shape;
  return s;
}

// The latest reading of that boot over all sources.
double last_of(const Question& q, const Sources& sources, const Examined& judged) {
  const std::int64_t boot = judged.stretch->boot_id;
  const LastReading* latest = nullptr;
  for (const LastReading& r : q.last_readings) {
    if (r.boot_id == boot && (latest == nullptr || r.t_s > latest->t_s)) latest = &r;
  }
  if (latest != nullptr) return latest->value;
  const Examined* out = &judged;
  for (const Candidate& c : sources.all) {
    for (const Examined& e : c.stretches) {
      if (e.stretch->boot_id == boot && e.exam.samples > 0 && e.last_x_s > out->last_x_s) out = &e;
    }
  }
  return out->last_value;
}

// Whether it restarted for want of memory, as far as its levels tell: most of it had gone, or it leaked and
// stopped by a fault. Any other restart is none that comes again at that level.
bool died(const Question& q, const Examined& e, const StretchVerdict& s) {
  if (is_planned(s.ended_by)) return false;
  const auto best = as_free(q, e.most);
  const auto left = as_free(q, field_value(q, s.last_bytes));
  if (best && left && *left < kMostGone * *best) return true;
  static const std::set<std::string> faults{"out_of_memory", "panic", "watchdog"};
  return s.leak && faults.contains(s.ended_by);
}

}  // namespace

bool is_planned(const std::string& cause) {
  return cause == "planned" || cause == "opened_by_recorder";
}

std::string cause_words(const std::string& cause) {
  static const std::map<std::string, std::string> words{{"watchdog", "a watchdog reset"},
                                                        {"panic", "a panic"},
                                                        {"out_of_memory", "lack of memory"},
                                                        {"planned", "a planned reboot"},
                                                        {"opened_by_recorder", "the opening of its port"},
                                                        {"power", "its power"},
                                                        {"", "a cause unknown"},
                                                        {"unknown", "a cause unknown"}};
  const auto found = words.find(cause);
  return found == words.end() ? cause : found->second;
}

std::size_t boots_in(const Question& q) {
  std::set<std::int64_t> ids;
  for (const Boot& b : q.boots) ids.insert(b.id);
  for (const Series& s : q.series) {
    for (const Stretch& stretch : s.stretches) {
      if (!stretch.points.empty()) ids.insert(stretch.boot_id);
    }
  }
  return ids.size();
}

std::vector<StretchVerdict> stretch_verdicts(const Question& q, const Sources& sources) {
  const std::vector<const Examined*> told = one_per_boot(sources);
  std::vector<StretchVerdict> out;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const Examined& e = *told[i];
    StretchVerdict s = verdict_of(q, e);
    s.last_bytes = last_of(q, sources, e);
    const Boot* next = next_boot(q, s.boot_id);
    const bool followed = i + 1 < told.size();
    s.ended = next != nullptr || followed;
    if (next != nullptr) {
      s.ended_by = next->cause;
    } else if (followed) {
      s.ended_by = told[i + 1]->stretch->cause;
    }
    if (s.ended && s.samples > 0 && died(q, e, s)) s.died_at_bytes = s.last_bytes;
    out.push_back(std::move(s));
  }
  return out;
}

std::optional<Finding> short_falls(const Question& q, const Candidate& c) {
  std::size_t seen = 0;
  std::size_t falling = 0;
  for (const Examined& e : c.stretches) {
    if (e.exam.leak || !e.exam.too_short || e.exam.samples < 3) continue;
    const auto first = as_free(q, field_value(q, e.stretch->points.front().value));
    const auto last = as_free(q, field_value(q, e.last_value));
    if (!first || !last || *first <= 0) continue;
    ++seen;
    if (*first - *last > kPlainFall * *first) ++falling;
  }
  if (seen < kFewStretches || falling < seen) return std::nullopt;
  return Finding{"memory fell in each of " + count_text(seen, "boot", "boots") +
                     " that were too short to judge: the loss may come again and again",
                 0.4};
}

std::vector<Finding> restarts(const Question& q, const std::vector<StretchVerdict>& stretches,
                              std::size_t boots) {
  std::vector<Finding> out;
  if (boots < 2) return out;
  const std::string kinds = by_kind(q, stretches);
  out.push_back({count_text(boots, "boot", "boots") + " in the window: each stretch is judged for itself" +
                     (kinds.empty() ? "" : "; restarts: " + kinds),
                 1.0});
  std::vector<const StretchVerdict*> ended;
  for (const StretchVerdict& s : stretches) {
    if (s.ended && s.samples > 0) ended.push_back(&s);
  }
  const std::size_t from = ended.size() > kShown ? ended.size() - kShown : 0;
  for (std::size_t i = from; i < ended.size(); ++i) out.push_back({end_of(q, *ended[i]), 0.5});
  add_recurrence(stretches, out);
  return out;
}

}  // namespace leakhunt::analysis
