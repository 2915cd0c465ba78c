// Limits held against verdicts.
#include "daemon/look_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answer/engine.h"
#include "answer/times.h"

namespace leakhunt::daemon {
namespace {

double minutes(Duration d) {
  return seconds(d) / 60;
}

const Look* look_at(const std::vector<Look>& round, Duration window) {
  const auto found =
      std::find_if(round.begin(), round.end(), [&](const Look& look) { return look.window == window; });
  return found != round.end() ? &*found : nullptr;
}

// The least time to exhaustion a verdict does not exclude. A provisional trend tells none, but for
// OOM-IMMINENT.
std::optional<double> least_minutes(const v1::Verdict& verdict) {
  const bool imminent = verdict.class_() == v1::VERDICT_CLASS_OOM_IMMINENT ||
                        verdict.underlying() == v1::VERDICT_CLASS_OOM_IMMINENT;
  const bool counts = verdict.state() == v1::VERDICT_STATE_CONFIRMED || imminent;
  if (!counts || !verdict.has_minutes_to_oom() || !verdict.minutes_to_oom().has_low()) return std::nullopt;
  const double low = verdict.minutes_to_oom().low();
  return std::isfinite(low) ? std::optional{low} : std::nullopt;
}

bool is_insufficient(const v1::Verdict& verdict) {
  const auto its_class = verdict.has_underlying() ? verdict.underlying() : verdict.class_();
  return its_class == v1::VERDICT_CLASS_INSUFFICIENT_DATA;
}

std::string reach_words(double least) {
  return least < 120 ? fmt::format("{:.0f} min", least) : fmt::format("{:.1f} h", least / 60);
}

}  // namespace

std::vector<Cause> LookRules::judge(recorder::DeviceId device, std::optional<std::int64_t> min_free_bytes,
                                    const std::vector<Look>& round, Utc now) {
  std::vector<Cause> causes;
  const auto add = [&](std::optional<Cause> cause) {
    if (!cause) return;
    cause->device = device;
    cause->lasting = true;
    causes.push_back(*std::move(cause));
  };
  add(horizon(round));
  add(steep_slope(device, round, now));
  add(low_memory(min_free_bytes, round));
  return causes;
}

// By the shortest window that tells a level at rest.
std::optional<Cause> LookRules::low_memory(std::optional<std::int64_t> min_free_bytes,
                                           const std::vector<Look>& round) {
  const auto telling = std::find_if(round.begin(), round.end(), [](const Look& look) {
    return look.verdict.has_level_bytes() && !is_insufficient(look.verdict);
  });
  if (!min_free_bytes || telling == round.end()) return std::nullopt;
  const double level = telling->verdict.level_bytes();
  if (level >= static_cast<double>(*min_free_bytes)) return std::nullopt;
  Cause cause;
  cause.name = "low_memory";
  cause.text = fmt::format("{:.0f} bytes free at rest, below the {} bytes asked for", level, *min_free_bytes);
  return cause;
}

std::optional<Cause> LookRules::horizon(const std::vector<Look>& round) const {
  const Look* nearest = nullptr;
  double least = 0;
  for (const Look& look : round) {
    const auto minutes_left = least_minutes(look.verdict);
    if (!minutes_left || (nearest != nullptr && *minutes_left >= least)) continue;
    nearest = &look;
    least = *minutes_left;
  }
  if (nearest == nullptr || least >= minutes(limits_.warn_horizon)) return std::nullopt;
  const bool imminent = least < minutes(limits_.imminent_horizon);
  Cause cause;
  cause.name = "horizon";
  cause.severity =
      imminent || least < minutes(limits_.critical_horizon) ? Severity::critical : Severity::warning;
  cause.text = fmt::format("{}: out of memory in {} at the earliest, by the last {}",
                           imminent ? "OOM-IMMINENT" : answer::class_text(nearest->verdict.class_()),
                           reach_words(least), answer::length_words(nearest->window));
  return cause;
}

std::vector<std::string_view> LookRules::decided(recorder::DeviceId device) const {
  std::vector<std::string_view> names{"horizon", "low_memory"};
  const auto past = steep_looks_.find(device);
  if (past != steep_looks_.end() && past->second.looks >= 2) names.emplace_back("steep_slope");
  return names;
}

bool LookRules::needs_range(const v1::Verdict& verdict) const {
  return verdict.has_slope_per_min() && verdict.slope_per_min() < -limits_.steep_slope_bytes_per_min;
}

std::optional<Cause> LookRules::steep_slope(recorder::DeviceId device, const std::vector<Look>& round,
                                            Utc now) {
  const Look* hour = look_at(round, kSteepWindow);
  const bool settled = hour != nullptr && hour->verdict.boots_size() > 0 &&
                       now - utc_from_seconds(hour->verdict.boots().rbegin()->start()) >= kSteepAfterBoot;
  const bool steep = settled && needs_range(hour->verdict) &&
                     hour->range_bytes.value_or(0) > static_cast<double>(limits_.steep_range_bytes);
  Steepness& past = steep_looks_[device];
  past.looks = std::min(past.looks + 1, 2);
  past.steep = steep ? past.steep + 1 : 0;
  if (past.steep < 2) return std::nullopt;
  Cause cause;
  cause.name = "steep_slope";
  cause.severity =
      hour->verdict.class_() == v1::VERDICT_CLASS_SLOW_LEAK ? Severity::warning : Severity::notice;
  cause.text = fmt::format("{:.0f} bytes/min over the last hour", hour->verdict.slope_per_min());
  return cause;
}

}  // namespace leakhunt::daemon
