// Buckets from readings, and coarser ones from finer ones.
#include "storage/buckets.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/quantile.h"

namespace leakhunt::storage {
namespace {

constexpr double kLow = 0.05;
constexpr double kHigh = 0.8;
constexpr std::size_t kEachSide = 3;

using Readings = std::vector<std::pair<Duration, std::int64_t>>;

// Differs from the median of its up to six neighbours by more than a quarter of it and by more than eight of
// their median absolute deviations.
bool stands_alone(const Readings& readings, std::size_t i) {
  const std::size_t from = i < kEachSide ? 0 : i - kEachSide;
  const std::size_t to = std::min(readings.size(), i + kEachSide + 1);
  std::vector<double> near;
  for (std::size_t j = from; j < to; ++j) {
    if (j != i) near.push_back(static_cast<double>(readings[j].second));
  }
  const double middle = median(near);
  const double off = std::abs(static_cast<double>(readings[i].second) - middle);
  return off > std::max(0.25 * middle, 8 * mad(near));
}

std::vector<double> without_lone_ones(const Readings& readings, const Bucket& bucket) {
  // No reading can stand alone where all lie within a quarter of the lowest.
  constexpr std::size_t enough = 5;
  const bool look = readings.size() >= enough && bucket.max - bucket.min > bucket.min / 4;
  std::vector<double> kept;
  kept.reserve(readings.size());
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (!look || !stands_alone(readings, i)) kept.push_back(static_cast<double>(readings[i].second));
  }
  return kept;
}

}  // namespace

void append(Bucket& whole, const Bucket& part) {
  if (part.n == 0) return;
  if (whole.n == 0) {
    const Duration start = whole.start;
    whole = part;
    whole.start = start;
    whole.sums = part.sums.moved(seconds(part.start - start), 0);
    whole.p05.reset();
    whole.p80.reset();
    return;
  }
  if (part.min < whole.min) {
    whole.min = part.min;
    whole.min_t = part.min_t;
  }
  if (part.max > whole.max) {
    whole.max = part.max;
    whole.max_t = part.max_t;
  }
  whole.n += part.n;
  whole.last = part.last;
  whole.sums.merge(
      part.sums.moved(seconds(part.start - whole.start), static_cast<double>(part.first - whole.first)));
}

Filling::Filling(Level level, std::int64_t index) : level_(level), index_(index) {
  bucket_.start = start_of(index, level);
}

void Filling::add(Duration t, std::int64_t value) {
  if (empty()) {
    origin_ = bucket_.min = bucket_.max = bucket_.first = bucket_.last = value;
    first_t_ = last_t_ = bucket_.min_t = bucket_.max_t = t;
  }
  sums_.add((t - bucket_.start).count(), value - origin_);
  if (t <= first_t_) {
    first_t_ = t;
    bucket_.first = value;
  }
  if (t >= last_t_) {
    last_t_ = t;
    bucket_.last = value;
  }
  if (std::pair{value, t} < std::pair{bucket_.min, bucket_.min_t}) {
    bucket_.min = value;
    bucket_.min_t = t;
  }
  if (value > bucket_.max || (value == bucket_.max && t < bucket_.max_t)) {
    bucket_.max = value;
    bucket_.max_t = t;
  }
  if (level_ == Level::minute) {
    const std::pair reading{t, value};
    const bool in_order = readings_.empty() || readings_.back() < reading;
    readings_.insert(
        in_order ? readings_.end() : std::lower_bound(readings_.begin(), readings_.end(), reading), reading);
  }
}

Bucket Filling::bucket() const {
  Bucket out = bucket_;
  out.n = sums_.n();
  out.sums = sums_.sums().moved(0, static_cast<double>(origin_ - bucket_.first));
  if (level_ == Level::minute && out.n > 0) {
    const std::vector<double> values = without_lone_ones(readings_, bucket_);
    // A whole number of bytes takes three bytes in the file, a fraction eight.
    out.p05 = std::round(quantile(values, kLow));
    out.p80 = std::round(quantile(values, kHigh));
  }
  return out;
}

std::optional<Level> finest_level(Duration cadence) {
  constexpr int readings_in_a_bucket = 8;
  for (const Level level : {Level::minute, Level::hour, Level::day}) {
    if (width(level) >= cadence * readings_in_a_bucket) return level;
  }
  return std::nullopt;
}

}  // namespace leakhunt::storage
