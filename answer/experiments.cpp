// Marks of a report, and what the level did between two that frame an experiment.
#include <algorithm>
#include <map>

#include "analysis/excursion.h"
#include "answer/figures.h"
#include "answer/questions.h"
#include "answer/report_parts.h"
#include "answer/words.h"

namespace leakhunt::answer {
namespace {

constexpr double kDefaultCycle_s = 60;
constexpr double kBefore_s = 15 * 60;
constexpr std::size_t kLeastBefore = 10;
constexpr Duration kReachBefore = std::chrono::hours{24};
constexpr Duration kReachAfter = std::chrono::hours{24};

struct Frame {
  std::string label;
  Utc start;
  Utc end;
};

// The label in front of `-start` or `-begin`; nothing for other marks.
std::optional<std::string> begun(const std::string& label) {
  for (const std::string_view suffix : {"-start", "-begin"}) {
    if (label.size() > suffix.size() && label.ends_with(suffix)) {
      return label.substr(0, label.size() - suffix.size());
    }
  }
  return std::nullopt;
}

std::optional<std::string> ended(const std::string& label) {
  constexpr std::string_view kSuffix = "-end";
  const bool ends = label.size() > kSuffix.size() && label.ends_with(kSuffix);
  return ends ? std::optional{label.substr(0, label.size() - kSuffix.size())} : std::nullopt;
}

// Each end belongs to the newest start of its label before it.
std::vector<Frame> frames_of(const std::vector<recorder::EventRow>& events) {
  std::map<std::string, Utc> open;
  std::vector<Frame> frames;
  for (const recorder::EventRow& event : events) {
    if (event.kind != "mark") {
      continue;
    }
    if (const auto label = begun(event.label)) {
      open[*label] = event.utc;
    } else if (const auto closed = ended(event.label); closed && open.contains(*closed)) {
      frames.push_back({*closed, open[*closed], event.utc});
      open.erase(*closed);
    }
  }
  return frames;
}

std::size_t size_of(const analysis::Series& series) {
  std::size_t n = 0;
  for (const analysis::Stretch& stretch : series.stretches) {
    n += stretch.points.size();
  }
  return n;
}

// LocalStats first, since the sentence counts their cycles; else the source with most readings.
const analysis::Series* series_for(const std::vector<analysis::Series>& all) {
  const auto better = [](const analysis::Series& a, const analysis::Series& b) {
    const bool a_stats = a.source == "poll" || a.source == "stats";
    const bool b_stats = b.source == "poll" || b.source == "stats";
    return a_stats == b_stats ? size_of(a) < size_of(b) : b_stats;
  };
  const auto best = std::max_element(all.begin(), all.end(), better);
  return best == all.end() ? nullptr : &*best;
}

// The readings of the boot in which the experiment began, from just before its start.
std::vector<analysis::Point> points_around(const analysis::Series& series, double start_s) {
  const analysis::Stretch* chosen = nullptr;
  for (const analysis::Stretch& stretch : series.stretches) {
    if (!stretch.points.empty() && stretch.points.front().t_s <= start_s) {
      chosen = &stretch;
    }
  }
  if (chosen == nullptr) {
    return {};
  }
  std::vector<analysis::Point> points = chosen->points;
  const auto by_time = [](const analysis::Point& point, double t_s) { return point.t_s < t_s; };
  const auto start = std::lower_bound(points.begin(), points.end(), start_s, by_time);
  const auto recent = std::lower_bound(points.begin(), start, start_s - kBefore_s, by_time);
  const auto few = start - std::min<std::ptrdiff_t>(start - points.begin(), kLeastBefore);
  points.erase(points.begin(), std::min(recent, few));
  return points;
}

// Whatever window is asked for, an experiment is judged by the same readings.
std::optional<analysis::Excursion> excursion_of(const ReportView& view, const Frame& frame,
                                                const std::string& name) {
  const storage::Window around{frame.start - kReachBefore, std::min(frame.end + kReachAfter, view.asked.now)};
  const std::vector<analysis::Series> all = load_series(view.asked, view.field, around, {}).series;
  const analysis::Series* series = series_for(all);
  if (series == nullptr) {
    return std::nullopt;
  }
  return analysis::excursion(points_around(*series, epoch(frame.start)), epoch(frame.start), epoch(frame.end),
                             cadence_s(*series).value_or(kDefaultCycle_s), view.record.question.sense, name);
}

void fill(v1::Experiment& out, const analysis::Excursion& found) {
  out.set_level_before_bytes(found.level_before);
  out.set_noise_bytes(found.noise_before);
  out.set_lowest_bytes(found.lowest_within);
  out.set_level_after_bytes(found.level_after);
  if (found.minutes_to_baseline) {
    out.set_minutes_to_baseline(*found.minutes_to_baseline);
  }
  if (found.cycles_to_baseline) {
    out.set_cycles_to_baseline(*found.cycles_to_baseline);
  }
  out.set_sentence(found.sentence);
}

}  // namespace

void add_marks(v1::Report& out, const ReportView& view) {
  for (const recorder::EventRow& event : view.record.events) {
    if (event.kind == "mark") {
      fill(*out.add_marks(), event, view.asked.device.name);
    }
  }
}

void add_experiments(v1::Report& out, const ReportView& view) {
  const std::string name = view.field.is_free_heap() ? "free_heap" : view.field.field;
  for (const Frame& frame : frames_of(view.record.events)) {
    v1::Experiment& experiment = *out.add_experiments();
    experiment.set_label(frame.label);
    experiment.set_start(epoch(frame.start));
    experiment.set_end(epoch(frame.end));
    if (const auto found = excursion_of(view, frame, name)) {
      fill(experiment, *found);
    } else {
      experiment.set_sentence(
          frame.label + ": not enough readings around it (needs 3 before its start and 1 after its end)");
    }
  }
}

}  // namespace leakhunt::answer
