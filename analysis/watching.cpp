// The loss per interval against polls or clients, by ranks.
#include "analysis/watching.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "analysis/words.h"

namespace leakhunt::analysis {
namespace {

constexpr double kAlphaWatching = 0.01;
constexpr std::size_t kFewest = 12;     // intervals
constexpr std::size_t kFewestEach = 4;  // of them with much, and with little
constexpr double kTimesAsMuch = 2;
constexpr double kKnownShare = 0.8;  // of an interval must be covered by what is known of it
constexpr double kSlowLeak = 50;     // bytes per minute: below it constant polling is worth a doubt

// The time between two successive levels.
struct Between {
  double loss_per_min = 0;
  double minutes = 0;
  double rate = 0;
};

// Polls a minute or clients between two times; nothing where too little of it is known.
using Rate = std::optional<double>;

Rate rate_of(const std::vector<Activity>& activity, double Activity::*what, bool per_minute, double from,
             double to) {
  double known = 0;
  double sum = 0;
  auto i = std::partition_point(activity.begin(), activity.end(),
                                [from](const Activity& a) { return a.end_x_s <= from; });
  for (; i != activity.end() && i->begin_x_s < to; ++i) {
    const Activity& a = *i;
    const double overlap = std::min(a.end_x_s, to) - std::max(a.begin_x_s, from);
    if (overlap <= 0 || !present(a.*what)) continue;
    known += overlap;
    sum += per_minute ? a.*what * overlap / (a.end_x_s - a.begin_x_s) : a.*what * overlap;
  }
  if (known < kKnownShare * (to - from) || known <= 0) return std::nullopt;
  return per_minute ? sum / known * 60 : sum / known;
}

// Each reading of the source "poll" is a poll that was answered.
std::vector<Activity> answered_polls(const Question& q, const Examined& e) {
  const std::vector<Point>& judged = e.stretch->points;
  for (const Series& s : q.series) {
    if (s.source != "poll") continue;
    for (const Stretch& stretch : s.stretches) {
      if (stretch.boot_id != e.stretch->boot_id || stretch.points.empty()) continue;
      std::vector<Activity> out;
      double begin = std::min(judged.front().x_s, stretch.points.front().x_s);
      for (const Point& p : stretch.points) {
        if (p.x_s > begin) out.push_back({stretch.boot_id, begin, p.x_s, 1, absent});
        begin = std::max(begin, p.x_s);
      }
      if (judged.back().x_s > begin) out.push_back({stretch.boot_id, begin, judged.back().x_s, 0, absent});
      return out;
    }
  }
  return {};
}

std::vector<Between> intervals(const std::vector<Block>& blocks, const std::vector<Activity>& activity,
                               double Activity::*what, bool per_minute) {
  std::vector<Between> out;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const double from = blocks[i - 1].x;
    const double to = blocks[i].x;
    if (to <= from) continue;
    const Rate rate = rate_of(activity, what, per_minute, from, to);
    if (!rate) continue;
    const double minutes = (to - from) / 60;
    out.push_back({(blocks[i - 1].level - blocks[i].level) / minutes, minutes, *rate});
  }
  return out;
}

// Mean ranks, ties shared.
Values ranks(const Values& v) {
  std::vector<std::size_t> order(v.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return v[a] < v[b]; });
  Values out(v.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && v[order[j]] == v[order[i]]) ++j;
    for (std::size_t k = i; k < j; ++k) out[order[k]] = static_cast<double>(i + j - 1) / 2;
    i = j;
  }
  return out;
}

// One-sided: the loss rises with the rate.
double p_of_rank_correlation(const std::vector<Between>& seen) {
  Values loss;
  Values rate;
  for (const Between& s : seen) {
    loss.push_back(s.loss_per_min);
    rate.push_back(s.rate);
  }
  const Values a = centred(ranks(loss));
  const Values b = centred(ranks(rate));
  const double scale = std::sqrt(dot(a, a) * dot(b, b));
  if (scale <= 0) return 1;
  const double r = std::clamp(dot(a, b) / scale, -0.999999, 0.999999);
  const double df = static_cast<double>(seen.size()) - 2;
  return student_tail(r * std::sqrt(df / (1 - r * r)), df);
}

struct Side {
  std::size_t n = 0;
  double minutes = 0;
  double loss = 0;
  double rate = 0;
  void add(const Between& s) {
    ++n;
    minutes += s.minutes;
    loss += s.loss_per_min * s.minutes;
    rate += s.rate * s.minutes;
  }
};

std::optional<Watching> compare_sides(const std::vector<Between>& seen, const std::string& what,
                                      double least_loss) {
  if (seen.size() < kFewest) return std::nullopt;
  const auto by_rate = [](const Between& a, const Between& b) { return a.rate < b.rate; };
  const auto [least, most] = std::minmax_element(seen.begin(), seen.end(), by_rate);
  const double middle = (least->rate + most->rate) / 2;
  Side little;
  Side much;
  for (const Between& s : seen) (s.rate > middle ? much : little).add(s);
  if (little.n < kFewestEach || much.n < kFewestEach) return std::nullopt;
  Watching out;
  out.what = what;
  out.much_rate = much.rate / much.minutes;
  out.little_rate = little.rate / little.minutes;
  out.much_per_min = much.loss / much.minutes;
  out.little_per_min = little.loss / little.minutes;
  if (out.much_rate < kTimesAsMuch * out.little_rate) return std::nullopt;
  const double difference = out.much_per_min - out.little_per_min;
  if (difference * much.minutes < least_loss || difference < 0.25 * out.much_per_min) return std::nullopt;
  out.p = p_of_rank_correlation(seen);
  return out.p < kAlphaWatching ? std::optional(out) : std::nullopt;
}

std::vector<Activity> activity_of(const Question& q, const Examined& e) {
  std::vector<Activity> out;
  for (const Activity& a : q.activity) {
    if (a.boot_id == e.stretch->boot_id && a.end_x_s > a.begin_x_s) out.push_back(a);
  }
  return q.activity.empty() ? answered_polls(q, e) : out;
}

bool polled_throughout(const Examined& e, const std::vector<Activity>& activity) {
  const auto seen = intervals(e.exam.blocks, activity, &Activity::polls, true);
  return seen.size() >= kFewest &&
         std::all_of(seen.begin(), seen.end(), [](const Between& s) { return s.rate > 0; });
}

std::optional<Watching> most_telling(const Examined& e, const std::vector<Activity>& activity) {
  const double least_loss = kLeastLoss * e.exam.unit;
  const auto polled = compare_sides(intervals(e.exam.blocks, activity, &Activity::polls, true),
                                    "the recorder's own polling", least_loss);
  const auto connected = compare_sides(intervals(e.exam.blocks, activity, &Activity::clients, false),
                                       "clients connected", least_loss);
  if (!polled || (connected && connected->p < polled->p)) return connected;
  return polled;
}

bool loses(const Examined& e) {
  const std::vector<Block>& b = e.exam.blocks;
  return b.size() > kFewest && b.front().level - b.back().level > kLeastLoss * e.exam.unit;
}

}  // namespace

std::optional<Watching> watching(const Question& q, const Examined& e) {
  if (!loses(e)) return std::nullopt;
  return most_telling(e, activity_of(q, e));
}

void tell_watching(const Question& q, const Examined& e, Verdict& v) {
  if (!loses(e)) return;
  const std::vector<Activity> activity = activity_of(q, e);
  v.watching = most_telling(e, activity);
  if (v.watching) {
    const Watching& w = *v.watching;
    const bool polls = w.what.find("polling") != std::string::npos;
    const std::string unit = polls ? " polls a minute" : " clients";
    v.findings.push_back({"watching changes the device: the loss grows with " + w.what + ", " +
                              rate_text(w.much_per_min) + " at " + number_text(w.much_rate, 1) + unit + ", " +
                              rate_text(w.little_per_min) + " at " + number_text(w.little_rate, 1) + " (p " +
                              (w.p < 0.0001 ? "< 0.0001" : "= " + number_text(w.p, 4)) + ")",
                          0.7});
  } else if (v.leak && -e.exam.slope.value < kSlowLeak * e.exam.unit && polled_throughout(e, activity)) {
    v.findings.push_back(
        {"the recorder polled at one rate throughout, so these data cannot tell whether that "
         "adds to so slow a loss: compare with poll = \"off\"",
         0.1});
  }
}

}  // namespace leakhunt::analysis
