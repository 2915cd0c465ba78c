// Chooses among sources by what each could have seen.
#include "analysis/sources.h"

#include <algorithm>
#include <limits>

#include "analysis/sense.h"
#include "analysis/words.h"

namespace leakhunt::analysis {
namespace {

constexpr double kAsGood = 1.1;  // detectable slopes this near are one
constexpr double kAsLong = 0.9;  // of the longest cover

double detectable(const Candidate& c) {
  return c.chosen().exam.mds_per_min.value_or(std::numeric_limits<double>::infinity());
}

double covered_s(const Candidate& c) {
  double sum = 0;
  for (const Examined& e : c.stretches) sum += e.exam.span_s;
  return sum;
}

std::size_t most_telling(const std::vector<Candidate>& all) {
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& c : all) least = std::min(least, detectable(c));
  double longest = 0;
  for (const Candidate& c : all) {
    if (detectable(c) <= kAsGood * least) longest = std::max(longest, covered_s(c));
  }
  const auto stands = [&](const Candidate& c) {
    return detectable(c) <= kAsGood * least && covered_s(c) >= kAsLong * longest;
  };
  std::size_t best = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (stands(all[i]) && (best == all.size() || all[i].usable > all[best].usable)) best = i;
  }
  return best;
}

}  // namespace

std::optional<Sources> examine_sources(const Question& question, const Steps& steps) {
  Sources out;
  for (const Series& s : question.series) {
    if (auto c = examine_series(question, s, steps)) out.all.push_back(*std::move(c));
  }
  if (out.all.empty()) return std::nullopt;
  out.best = most_telling(out.all);
  return out;
}

std::vector<Finding> contradictions(const Question& question, const Sources& sources) {
  std::vector<Finding> out;
  const double slope = sources.chosen().chosen().exam.slope.value;
  for (std::size_t i = 0; i < sources.all.size(); ++i) {
    const Candidate& c = sources.all[i];
    if (i == sources.best || !c.chosen().exam.mds_per_min) continue;
    const Interval& other = c.chosen().exam.slope;
    if (slope >= other.low && slope <= other.high) continue;
    const Interval shown = field_slope(question, other);
    out.push_back({"source " + c.series->source + " tells another slope: " + rate_text(shown.low) + " to " +
                       rate_text(shown.high),
                   0.3});
  }
  return out;
}

}  // namespace leakhunt::analysis
