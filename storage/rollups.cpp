// Buckets follow samples: the open ones in memory, the closed ones as rows.
#include "storage/rollups.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace leakhunt::storage {
namespace {

constexpr int kUndecided = 0;
constexpr int kNone = 4;  // readings too seldom for any level
constexpr int kLevels = 3;
constexpr std::size_t kFirstTimes = 33;  // 32 intervals
constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
constexpr int kPlaces = 100;  // within a bucket, for min_at and max_at

std::int64_t place_of(Duration t, Duration start, Level level) {
  return std::clamp<std::int64_t>((t - start).count() * kPlaces / width(level).count(), 0, kPlaces - 1);
}

void bind_maybe(Statement& statement, int index, const std::optional<double>& value) {
  if (value) {
    statement.bind(index, *value);
  } else {
    statement.bind_null(index);
  }
}

std::int64_t finer_in(Level level) {
  return width(level) / width(finer(level));
}

}  // namespace

Duration at_place(std::int64_t place, Duration start, Level level) {
  return start + width(level) * (2 * place + 1) / (2 * kPlaces);
}

Bucket bucket_from(const Statement& row, Level level) {
  Bucket out;
  out.start = start_of(row.integer(0), level);
  out.n = row.integer(1);
  out.first = row.integer(2);
  out.last = row.integer(3);
  out.min = row.integer(4);
  out.max = row.integer(5);
  out.min_t = at_place(row.integer(6), out.start, level);
  out.max_t = at_place(row.integer(7), out.start, level);
  out.sums = {out.n, row.real(8), row.real(9), row.real(10), row.real(11), row.real(12)};
  if (!row.is_null(13)) {
    out.p05 = row.real(13);
    out.p80 = row.real(14);
  }
  return out;
}

Rollups::Rollups(Connection& db)
    : db_(db),
      find_state_(
          db.prepare("SELECT finest, sealed, raw_from FROM rollup_state WHERE series = ? AND boot = ?")),
      put_state_(
          db.prepare("INSERT INTO rollup_state VALUES(?1, ?2, ?3, ?4, ?5, ?6, NULL) ON CONFLICT(series, "
                     "boot) DO UPDATE SET "
                     "cadence_us = coalesce(excluded.cadence_us, cadence_us), finest = excluded.finest, "
                     "sealed = excluded.sealed, raw_from = excluded.raw_from")),
      newest_(db.prepare("SELECT max(t_boot) FROM sample WHERE series = ? AND boot = ?")),
      count_(
          db.prepare("SELECT count(*) FROM (SELECT 1 FROM sample WHERE series = ? AND boot = ? LIMIT 33)")),
      first_times_(
          db.prepare("SELECT t_boot FROM sample WHERE series = ? AND boot = ? ORDER BY t_boot LIMIT 33")),
      samples_(
          db.prepare("SELECT t_boot, value FROM sample WHERE series = ? AND boot = ? AND t_boot >= ? AND "
                     "t_boot < ? AND suspect = 0 ORDER BY t_boot")),
      buckets_(db.prepare(
          std::string{"SELECT "} + kBucketColumns +
          " FROM rollup WHERE series = ? AND boot = ? AND level = ? AND bucket >= ? AND bucket < ? "
          "ORDER BY bucket")),
      last_bucket_(db.prepare("SELECT max(bucket) FROM rollup WHERE series = ? AND boot = ? AND level = ?")),
      put_(db.prepare(
          "INSERT OR REPLACE INTO rollup VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      remove_(db.prepare("DELETE FROM rollup WHERE series = ? AND boot = ? AND level = ? AND bucket >= ?")) {}

Rollups::Run& Rollups::run(std::int64_t series, recorder::BootId boot) {
  if (last_used_ != nullptr && last_used_->series_ == series && last_used_->boot_ == boot) {
    return *last_used_;
  }
  const Key key{series, boot};
  auto found = runs_.find(key);
  if (found == runs_.end()) {
    constexpr std::size_t enough_runs = 256;
    if (runs_.size() >= enough_runs) {
      flush();
      forget();
    }
    Run run;
    run.series_ = series;
    run.boot_ = boot;
    load(run);
    found = runs_.emplace(key, std::move(run)).first;
  }
  last_used_ = &found->second;
  return *last_used_;
}

void Rollups::load(Run& run) {
  const auto boot = static_cast<std::int64_t>(run.boot_);
  find_state_.bind(0, run.series_).bind(1, boot);
  if (find_state_.step()) {
    run.finest_ = static_cast<int>(find_state_.integer(0));
    run.sealed_ = find_state_.integer(1) != 0;
    run.raw_from_ = Duration{find_state_.maybe_integer(2).value_or(Duration::min().count())};
  }
  find_state_.reset();
  load_open(run);
}

void Rollups::load_open(Run& run) {
  const auto boot = static_cast<std::int64_t>(run.boot_);
  newest_.bind(0, run.series_).bind(1, boot);
  run.newest_.reset();
  if (newest_.step() && !newest_.is_null(0)) run.newest_ = Duration{newest_.integer(0)};
  newest_.reset();
  if (run.finest_ == kUndecided) {
    count_.bind(0, run.series_).bind(1, boot);
    run.samples_ = count_.step() ? count_.integer(0) : 0;
    count_.reset();
    return;
  }
  if (run.finest_ == kNone || !run.newest_) return;
  const auto finest = static_cast<Level>(run.finest_);
  run.open_ = Filling(finest, index_of(*run.newest_, finest));
  const Duration start = start_of(run.open_.index(), finest);
  samples_.bind(0, run.series_).bind(1, boot).bind(2, start.count()).bind(3, (start + width(finest)).count());
  while (samples_.step()) run.open_.add(Duration{samples_.integer(0)}, samples_.integer(1));
  samples_.reset();
  for (Level level = finest; level != kCoarsest; level = coarser(level)) {
    const Level above = coarser(level);
    Bucket& growing = run.growing_.at(static_cast<std::size_t>(above));
    growing = {};
    growing.start = start_of(index_of(*run.newest_, above), above);
    buckets_.bind(0, run.series_).bind(1, boot).bind(2, static_cast<std::int64_t>(level));
    buckets_.bind(3, index_of(growing.start, level)).bind(4, index_of(*run.newest_, level));
    while (buckets_.step()) append(growing, bucket_from(buckets_, level));
    buckets_.reset();
  }
}

void Rollups::add(Run& run, Duration t, std::int64_t value, bool suspect) {
  const bool is_newest = !run.newest_ || t > *run.newest_;
  if (run.finest_ == kUndecided) {
    if (is_newest) run.newest_ = t;
    if (++run.samples_ >= static_cast<std::int64_t>(kFirstTimes)) decide(run);
    return;
  }
  if (run.finest_ == kNone) return;
  const std::int64_t index = index_of(t, static_cast<Level>(run.finest_));
  if (run.sealed_ || !run.newest_ || index < run.open_.index()) {
    run.late_.insert(index);
    return;
  }
  if (index > run.open_.index()) close_until(run, index);
  if (!suspect) run.open_.add(t, value);
  if (is_newest) run.newest_ = t;
}

// The newest sample lies in the finest bucket `index` now.
void Rollups::close_until(Run& run, std::int64_t index) {
  const auto finest = static_cast<Level>(run.finest_);
  const Duration now = start_of(index, finest);
  Bucket closed = run.open_.bucket();
  if (closed.n > 0) write(run, finest, run.open_.index(), closed);
  run.open_ = Filling(finest, index);
  for (Level level = finest; level != kCoarsest; level = coarser(level)) {
    const Level above = coarser(level);
    Bucket& growing = run.growing_.at(static_cast<std::size_t>(above));
    append(growing, closed);
    const std::int64_t was = index_of(growing.start, above);
    const std::int64_t is = index_of(now, above);
    if (was == is) return;
    if (growing.n > 0) write(run, above, was, growing);
    closed = growing;
    growing = {};
    growing.start = start_of(is, above);
  }
}

void Rollups::decide(Run& run) {
  std::vector<Duration> times;
  first_times_.bind(0, run.series_).bind(1, static_cast<std::int64_t>(run.boot_));
  while (first_times_.step()) times.emplace_back(first_times_.integer(0));
  first_times_.reset();
  std::vector<Duration> gaps;
  for (std::size_t i = 1; i < times.size(); ++i) gaps.push_back(times[i] - times[i - 1]);
  if (gaps.empty()) gaps.push_back(width(kCoarsest));
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  const auto finest = finest_level(*middle);
  run.finest_ = finest ? static_cast<int>(*finest) : kNone;
  write_state(run, *middle);
  rebuild(run, Duration::min());
}

void Rollups::write_state(const Run& run, Duration cadence) {
  put_state_.bind(0, run.series_).bind(1, static_cast<std::int64_t>(run.boot_));
  put_state_.bind(2, cadence > Duration{} ? std::optional{std::int64_t{cadence.count()}} : std::nullopt);
  put_state_.bind(3, std::int64_t{run.finest_}).bind(4, std::int64_t{run.sealed_});
  put_state_
      .bind(5, run.raw_from_ == Duration::min() ? std::nullopt
                                                : std::optional{std::int64_t{run.raw_from_.count()}})
      .run();
}

std::int64_t Rollups::closed_until(const Run& run, Level level) {
  if (run.sealed_) return kNoEnd;
  return run.newest_ ? index_of(*run.newest_, level) : std::numeric_limits<std::int64_t>::min();
}

void Rollups::rebuild(Run& run, Duration from) {
  run.late_.clear();
  from = std::max(from, run.raw_from_);
  if (run.finest_ == kUndecided || run.finest_ == kNone) {
    load_open(run);
    if (run.finest_ == kUndecided && run.samples_ >= static_cast<std::int64_t>(kFirstTimes)) decide(run);
    return;
  }
  const auto finest = static_cast<Level>(run.finest_);
  load_open(run);
  for (int n = run.finest_; n <= kLevels; ++n) {
    const auto level = static_cast<Level>(n);
    // What was open until now may have been closed by samples that came from elsewhere.
    const std::int64_t begin = std::min(index_of(from, level), first_unwritten(run, level));
    remove_.bind(0, run.series_).bind(1, static_cast<std::int64_t>(run.boot_)).bind(2, std::int64_t{n});
    // The bucket of what is the newest sample now may have been closed before.
    remove_.bind(3, std::min(begin, closed_until(run, level))).run();
    if (level == finest) {
      build_finest(run, begin, closed_until(run, level));
    } else {
      build_coarser(run, level, begin, closed_until(run, level));
    }
  }
  load_open(run);
}

std::int64_t Rollups::first_unwritten(const Run& run, Level level) {
  last_bucket_.bind(0, run.series_).bind(1, static_cast<std::int64_t>(run.boot_));
  last_bucket_.bind(2, static_cast<std::int64_t>(level));
  const auto last = last_bucket_.step() ? last_bucket_.maybe_integer(0) : std::nullopt;
  last_bucket_.reset();
  return last ? *last + 1 : std::numeric_limits<std::int64_t>::min();
}

void Rollups::build_finest(const Run& run, std::int64_t from, std::int64_t to) {
  const auto finest = static_cast<Level>(run.finest_);
  const std::int64_t w = width(finest).count();
  constexpr std::int64_t far = std::int64_t{1} << 60;
  samples_.bind(0, run.series_).bind(1, static_cast<std::int64_t>(run.boot_));
  samples_.bind(2, std::clamp(from, -far / w, far / w) * w).bind(3, std::clamp(to, -far / w, far / w) * w);
  Filling filling(finest, 0);
  const auto end = [&] {
    if (!filling.empty()) write(run, finest, filling.index(), filling.bucket());
  };
  while (samples_.step()) {
    const Duration t{samples_.integer(0)};
    if (const std::int64_t index = index_of(t, finest); index != filling.index()) {
      end();
      filling = Filling(finest, index);
    }
    filling.add(t, samples_.integer(1));
  }
  samples_.reset();
  end();
}

void Rollups::build_coarser(const Run& run, Level level, std::int64_t from, std::int64_t to) {
  const std::int64_t ratio = finer_in(level);
  constexpr std::int64_t far = std::int64_t{1} << 60;
  buckets_.bind(0, run.series_).bind(1, static_cast<std::int64_t>(run.boot_));
  buckets_.bind(2, static_cast<std::int64_t>(finer(level)));
  buckets_.bind(3, std::clamp(from, -far / ratio, far / ratio) * ratio);
  buckets_.bind(4, std::clamp(to, -far / ratio, far / ratio) * ratio);
  Bucket whole;
  const auto end = [&] {
    if (whole.n > 0) write(run, level, index_of(whole.start, level), whole);
  };
  while (buckets_.step()) {
    const Bucket part = bucket_from(buckets_, finer(level));
    if (const Duration start = start_of(index_of(part.start, level), level);
        start != whole.start || whole.n == 0) {
      end();
      whole = {};
      whole.start = start;
    }
    append(whole, part);
  }
  buckets_.reset();
  end();
}

void Rollups::write(const Run& run, Level level, std::int64_t index, const Bucket& bucket) {
  put_.bind(0, run.series_)
      .bind(1, static_cast<std::int64_t>(run.boot_))
      .bind(2, static_cast<std::int64_t>(level));
  put_.bind(3, index).bind(4, bucket.n).bind(5, bucket.first).bind(6, bucket.last).bind(7, bucket.min);
  put_.bind(8, bucket.max).bind(9, place_of(bucket.min_t, bucket.start, level));
  put_.bind(10, place_of(bucket.max_t, bucket.start, level)).bind(11, bucket.sums.mean_t);
  put_.bind(12, bucket.sums.mean_v).bind(13, bucket.sums.m2_t).bind(14, bucket.sums.m2_v);
  put_.bind(15, bucket.sums.c_tv);
  bind_maybe(put_, 16, bucket.p05);
  bind_maybe(put_, 17, bucket.p80);
  put_.run();
}

void Rollups::make_late_ones(Run& run) {
  const auto finest = static_cast<Level>(run.finest_);
  std::set<std::int64_t> changed = std::move(run.late_);
  run.late_.clear();
  if (!run.newest_) load_open(run);  // the first of a run that had lost all its samples
  for (Level level = finest;; level = coarser(level)) {
    std::set<std::int64_t> above;
    for (const std::int64_t index : changed) {
      if (index >= closed_until(run, level)) continue;
      if (level == finest) {
        build_finest(run, index, index + 1);
      } else {
        build_coarser(run, level, index, index + 1);
      }
      if (level != kCoarsest) above.insert(index_of(start_of(index, level), coarser(level)));
    }
    if (level == kCoarsest) break;
    changed = std::move(above);
  }
  load_open(run);
}

void Rollups::made_anew(std::int64_t series, recorder::BootId boot, Duration from) {
  rebuild(run(series, boot), from);
}

Duration Rollups::let_raw_go(std::int64_t series, recorder::BootId boot, Duration until, bool boot_is_over) {
  flush();
  Run& gone = run(series, boot);
  load_open(gone);
  if (!gone.newest_) return gone.raw_from_;
  const Duration last_day = start_of(index_of(*gone.newest_, kCoarsest), kCoarsest);
  const bool whole = boot_is_over && until > *gone.newest_;
  if (whole && !gone.sealed_) seal(gone, last_day);
  const Duration days = std::min(start_of(index_of(until, kCoarsest), kCoarsest), last_day);
  gone.raw_from_ = std::max(gone.raw_from_, whole ? last_day + width(kCoarsest) : days);
  write_state(gone, Duration{});
  return gone.raw_from_;
}

void Rollups::seal(Run& run, Duration last_day) {
  run.sealed_ = true;
  const bool has_levels = run.finest_ != kUndecided && run.finest_ != kNone;
  if (!has_levels) run.finest_ = static_cast<int>(kCoarsest);
  write_state(run, Duration{});
  rebuild(run, has_levels ? last_day : Duration::min());
}

void Rollups::build_all() {
  std::vector<Key> keys;
  Statement runs = db_.prepare(
      "SELECT series.id, boot.id FROM series JOIN boot ON boot.device = series.device WHERE EXISTS(SELECT 1 "
      "FROM "
      "sample WHERE sample.series = series.id AND sample.boot = boot.id)");
  while (runs.step()) keys.emplace_back(runs.integer(0), recorder::BootId{runs.integer(1)});
  for (const auto& [series, boot] : keys) made_anew(series, boot, Duration::min());
}

void Rollups::flush() {
  for (auto& [key, run] : runs_) {
    if (!run.late_.empty()) make_late_ones(run);
  }
}

void Rollups::forget() {
  runs_.clear();
  last_used_ = nullptr;
}

}  // namespace leakhunt::storage
