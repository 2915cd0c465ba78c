// Welch's t test on two slopes, how long the second stretch would have to be, and what each thread does.
#include "analysis/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/findings.h"
#include "analysis/numbers.h"
#include "analysis/sources.h"
#include "analysis/suspects.h"
#include "analysis/words.h"

namespace leakhunt::analysis {
namespace {

constexpr double kAlphaOfChange = 0.05;  // two-sided
constexpr double kSeen = 0.25;           // of the first slope: what must be detectable in the second

double square(double v) {
  return v * v;
}

Interval interval_of(const MeasuredSlope& s) {
  const double half = student_quantile(0.025, s.degrees_of_freedom) * s.standard_error;
  return {s.per_min, s.per_min - half, s.per_min + half};
}

struct Welch {
  double p = 1;
  double half = 0;  // of the 95 % interval of the difference
};

Welch welch(const MeasuredSlope& before, const MeasuredSlope& after) {
  const double a = square(before.standard_error);
  const double b = square(after.standard_error);
  const double difference = after.per_min - before.per_min;
  if (a + b <= 0) return {difference == 0 ? 1.0 : 0.0, 0};
  const double df = std::max(1.0, square(a + b) / std::max(1e-300, square(a) / before.degrees_of_freedom +
                                                                       square(b) / after.degrees_of_freedom));
  const double se = std::sqrt(a + b);
  return {2 * student_tail(std::abs(difference) / se, df), student_quantile(0.025, df) * se};
}

bool holds_zero(const Interval& i) {
  return i.low <= 0 && i.high >= 0;
}

bool loses(const MeasuredSlope& s, const Interval& i) {
  return s.leak || i.high < 0;
}

// The second's slope has the same sign of trouble in it however the classes fall.
Outcome outcome_of(const MeasuredSlope& before, const MeasuredSlope& after, const Comparison& c) {
  if (c.passes) return Outcome::fixed;
  const bool changed = c.p < kAlphaOfChange;
  const bool first_loses = loses(before, c.before);
  const bool second_loses = loses(after, c.after);
  if (changed && c.difference_per_min.value < 0 && second_loses) return Outcome::worse;
  if (changed && c.difference_per_min.value > 0 && first_loses) return Outcome::improved;
  if (!first_loses && !second_loses) return Outcome::no_change;
  // No change is a finding only where half of the loss would have been seen to go.
  const bool would_show =
      (c.difference_per_min.high - c.difference_per_min.low) / 2 < std::abs(before.per_min) / 2;
  return first_loses && second_loses && would_show ? Outcome::no_change : Outcome::undecidable;
}

std::string conclusion(const MeasuredSlope& after, const Comparison& c) {
  const bool lost = loses(after, c.after);
  switch (c.outcome) {
    case Outcome::fixed:
      return "the loss is gone; what is left is below " + rate_text(after.mds_per_min);
    case Outcome::improved:
      return lost ? "less is lost, but memory is still lost" : "less is lost";
    case Outcome::worse:
      return "more is lost than before";
    case Outcome::no_change:
      return lost ? "memory is still lost, as before"
                  : "there was no loss to compare with, and there is none";
    case Outcome::undecidable:
      break;
  }
  return "these data do not tell";
}

std::string rate_with_bounds(const Interval& i) {
  return rate_text(i.value) + " (95 %: " + rate_text(i.low) + " to " + rate_text(i.high) + ")";
}

struct Half {
  MeasuredSlope slope;
  Attribution threads;
  std::string missing;  // why it cannot be compared; empty: it can
};

Half examine_half(const Question& q) {
  Half out;
  const auto sources = examine_sources(q);
  if (!sources) {
    out.missing = what_is_needed(nullptr);
    return out;
  }
  const Examined& e = sources->chosen().chosen();
  out.threads = attribute_stretch(q, *e.stretch);
  if (!e.exam.mds_per_min || e.exam.too_short) {
    out.missing = what_is_needed(&sources->chosen());
    return out;
  }
  out.slope = {e.exam.slope.value,  e.exam.standard_error, e.exam.df,
               *e.exam.mds_per_min, e.exam.span_s / 60,    e.exam.leak};
  return out;
}

std::vector<ThreadChange> changes(const Attribution& before, const Attribution& after) {
  std::map<std::string, ThreadChange> by_name;
  for (const Suspect& s : before.threads) {
    ThreadChange& c = by_name[s.thread];
    c.events_per_min_before = s.events_per_min;
    c.net_per_min_before = s.net_per_min;
  }
  for (const Suspect& s : after.threads) {
    ThreadChange& c = by_name[s.thread];
    c.events_per_min_after = s.events_per_min;
    c.net_per_min_after = s.net_per_min;
  }
  std::vector<ThreadChange> out;
  for (auto& [name, change] : by_name) {
    change.thread = name;
    out.push_back(change);
  }
  const auto size = [](const ThreadChange& c) {
    return std::abs(c.net_per_min_after - c.net_per_min_before);
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const ThreadChange& a, const ThreadChange& b) { return size(a) > size(b); });
  return out;
}

}  // namespace

std::string_view word(Outcome o) {
  switch (o) {
    case Outcome::fixed:
      return "fixed";
    case Outcome::improved:
      return "improved";
    case Outcome::no_change:
      return "no_change";
    case Outcome::worse:
      return "worse";
    case Outcome::undecidable:
      return "undecidable";
  }
  return "undecidable";
}

Comparison compare(const MeasuredSlope& before, const MeasuredSlope& after) {
  Comparison out;
  out.before = interval_of(before);
  out.after = interval_of(after);
  const Welch test = welch(before, after);
  const double difference = after.per_min - before.per_min;
  out.difference_per_min = {difference, difference - test.half, difference + test.half};
  out.p = test.p;
  const double first = std::max(0.0, -before.per_min);
  const bool there_was_a_loss = loses(before, out.before) && first > 0;
  const bool clean = holds_zero(out.after) && !after.leak;
  out.passes = clean && there_was_a_loss && after.mds_per_min < kSeen * first;
  out.outcome = outcome_of(before, after, out);
  out.sentence = rate_with_bounds(out.before) + " before, " + rate_with_bounds(out.after) +
                 " after: " + conclusion(after, out);
  if (clean && there_was_a_loss && !out.passes) {
    // The detectable slope shrinks with the 3/2 power of the length.
    out.minutes_needed = after.minutes * std::pow(after.mds_per_min / (kSeen * first), 2.0 / 3.0);
    out.sentence += "; not long enough to tell whether it is gone: run on to " +
                    span_text(*out.minutes_needed * 60) + " in all";
  }
  return out;
}

Comparison compare_stretches(const Question& before, const Question& after) {
  const Half first = examine_half(before);
  const Half second = examine_half(after);
  Comparison out;
  if (first.missing.empty() && second.missing.empty()) {
    out = compare(first.slope, second.slope);
  } else {
    const bool is_first = !first.missing.empty();
    out.sentence = std::string("the ") + (is_first ? "first" : "second") +
                   " stretch cannot be judged: it needs " + (is_first ? first.missing : second.missing);
  }
  out.threads = changes(first.threads, second.threads);
  return out;
}

}  // namespace leakhunt::analysis
