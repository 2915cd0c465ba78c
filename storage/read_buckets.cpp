// Windows from whole buckets and ragged ends.
#include <algorithm>
#include <limits>
#include <string>

#include "storage/reader_impl.h"
#include "storage/rollups.h"
#include "storage/series.h"
#include "storage/telemetry_columns.h"

namespace leakhunt::storage {
namespace {

constexpr Duration kFar{std::int64_t{1} << 60};
constexpr std::int64_t kFarIndex = kFar.count();

std::int64_t ceiling_index(Duration t, Level level) {
  const std::int64_t index = index_of(t, level);
  return start_of(index, level) == t ? index : index + 1;
}

// One series within one boot, and what is kept of it.
struct Run {
  std::int64_t series = 0;
  recorder::Source source = recorder::Source::poll;
  recorder::BootId boot{};
  int finest = 0;
  bool sealed = false;
  Duration raw_from = -kFar;
  Duration minutes_from = -kFar;
  std::optional<Duration> newest;

  [[nodiscard]] bool has(Level level) const {
    return finest > 0 && static_cast<int>(level) >= finest && level <= kCoarsest;
  }
  [[nodiscard]] Duration kept_from(Level level) const {
    if (level == Level::raw) return raw_from;
    return level == Level::minute ? minutes_from : -kFar;
  }
  // The first index that stands in no bucket yet.
  [[nodiscard]] std::int64_t closed_until(Level level) const {
    if (sealed) return kFarIndex;
    return newest ? index_of(*newest, level) : -kFarIndex;
  }
};

// Splits a range into buckets of the coarsest levels that fit. `Visitor` has
// buckets(run, level, from_index, to_index) and samples(run, from, to), called in the order of time.
template <class Visitor>
class Cover {
 public:
  Cover(const Run& run, Visitor& visitor) : run_(run), visitor_(visitor) {}

  void range(Duration from, Duration to, Level coarsest) {
    // No sample lies behind the newest: the bucket that holds it may be taken whole.
    descend(from, run_.newest && to > *run_.newest ? kFar : to, coarsest);
  }

 private:
  void descend(Duration from, Duration to, Level level) {
    while (level != Level::raw && !run_.has(level)) level = finer(level);
    const Duration kept = run_.kept_from(level);
    if (from < kept) {
      stand_in(from, std::min(to, kept), level);
      from = kept;
    }
    if (from >= to) return;
    if (level == Level::raw) {
      visitor_.samples(run_, from, to);
      return;
    }
    const std::int64_t begin = ceiling_index(from, level);
    const std::int64_t end = std::min(index_of(to, level), run_.closed_until(level));
    if (begin >= end) {
      descend(from, to, finer(level));
      return;
    }
    descend(from, start_of(begin, level), finer(level));
    visitor_.buckets(run_, level, begin, end);
    if (!run_.sealed || to < kFar) descend(start_of(end, level), to, finer(level));
  }

  // Coarser buckets, where `level` is no longer kept.
  void stand_in(Duration from, Duration to, Level level) {
    do {
      level = coarser(level);
    } while (level < kCoarsest && (!run_.has(level) || run_.kept_from(level) > from));
    const std::int64_t end = std::min(ceiling_index(to, level), run_.closed_until(level));
    if (run_.has(level)) visitor_.buckets(run_, level, ceiling_index(from, level), end);
  }

  const Run& run_;
  Visitor& visitor_;
};

const char* const kSamples =
    "SELECT t_boot, value FROM sample WHERE boot = ?1 AND t_boot >= ?2 AND t_boot < ?3 AND series = ?4 AND "
    "suspect "
    "= 0 ORDER BY t_boot LIMIT ?5";

std::string buckets_sql(const std::string& columns) {
  return "SELECT " + columns +
         " FROM rollup WHERE boot = ?1 AND bucket >= ?2 AND bucket < ?3 AND series = ?4 AND level = ?5 ORDER "
         "BY bucket "
         "LIMIT ?6";
}

class Runs {
 public:
  explicit Runs(const Connection& db)
      : state_(db.prepare(
            "SELECT finest, sealed, raw_from, minutes_from FROM rollup_state WHERE series = ? AND boot "
            "= ?")),
        newest_(db.prepare("SELECT max(t_boot) FROM sample WHERE series = ? AND boot = ?")) {}

  // Unset where there is nothing of it.
  std::optional<Run> find(const Series& series, recorder::BootId boot) {
    Run run{series.id, series.source, boot, 0, false, -kFar, -kFar, {}};
    newest_.bind(0, series.id).bind(1, static_cast<std::int64_t>(boot));
    if (newest_.step() && !newest_.is_null(0)) run.newest = Duration{newest_.integer(0)};
    newest_.reset();
    state_.bind(0, series.id).bind(1, static_cast<std::int64_t>(boot));
    const bool has_state = state_.step();
    if (has_state) {
      run.finest = static_cast<int>(state_.integer(0));
      run.sealed = state_.integer(1) != 0;
      run.raw_from = Duration{state_.maybe_integer(2).value_or(-kFar.count())};
      run.minutes_from = Duration{state_.maybe_integer(3).value_or(-kFar.count())};
    }
    state_.reset();
    return has_state || run.newest ? std::optional{run} : std::nullopt;
  }

 private:
  Statement state_, newest_;
};

}  // namespace

// Adds up one run at a time.
class Reader::Impl::Adding {
 public:
  explicit Adding(Impl& impl)
      : impl_(impl),
        samples_(impl.db_.prepare(kSamples)),
        buckets_(impl.db_.prepare(buckets_sql(kBucketColumns))) {}

  void begin() {
    bucket = {};
    level = Level::raw;
    first_t = last_t = {};
  }
  void buckets(const Run& run, Level of, std::int64_t from, std::int64_t to) {
    buckets_.bind(3, run.series).bind(4, static_cast<std::int64_t>(of));
    impl_.scan(
        buckets_, {run.boot, Duration{from}, Duration{to}, {}}, 5, false,
        [&](Duration) {
          const Bucket part = bucket_from(buckets_, of);
          note(part.start, part.start + width(of) - Duration{1});
          append(part);
          level = std::max(level, of);
        },
        [] { return true; });
  }
  void samples(const Run& run, Duration from, Duration to) {
    Filling filling;
    samples_.bind(3, run.series);
    impl_.scan(
        samples_, {run.boot, from, to, {}}, 4, false,
        [&](Duration t) {
          if (filling.empty() || index_of(t, kCoarsest) != filling_day_) {
            append(filling.bucket());
            filling_day_ = index_of(t, kCoarsest);
            filling = Filling(Level::raw, t.count());
          }
          note(t, t);
          filling.add(t, samples_.integer(1));
        },
        [] { return true; });
    append(filling.bucket());
  }

  Bucket bucket;
  Level level = Level::raw;
  Duration first_t{};  // bounds of what was added
  Duration last_t{};

 private:
  void append(const Bucket& part) {
    if (bucket.n == 0) bucket.start = part.start;
    storage::append(bucket, part);
  }
  void note(Duration from, Duration to) {
    if (first_t == Duration{} && last_t == Duration{}) first_t = from;
    last_t = to;
  }

  Impl& impl_;
  Statement samples_, buckets_;
  std::int64_t filling_day_ = 0;
};

std::vector<Figures> Reader::figures(const SampleQuery& query) {
  return impl_->ask([&] {
    std::vector<Figures> found;
    Runs runs(impl_->db_);
    Impl::Adding adding(*impl_);
    Statement first = impl_->db_.prepare(
        "SELECT t_boot FROM sample WHERE series = ? AND boot = ? AND t_boot >= ? AND t_boot < ? AND suspect "
        "= 0 ORDER "
        "BY t_boot LIMIT 1");
    Statement last = impl_->db_.prepare(
        "SELECT t_boot FROM sample WHERE series = ? AND boot = ? AND t_boot >= ? AND t_boot < ? AND suspect "
        "= 0 ORDER "
        "BY t_boot DESC LIMIT 1");
    const std::vector<Series> series = series_of(impl_->db_, query);
    for (const BootRange& range : impl_->window_ranges(query.device, query.window)) {
      for (const Series& one : series) {
        const auto run = runs.find(one, range.boot);
        if (!run) continue;
        adding.begin();
        Cover{*run, adding}.range(range.from, range.to, kCoarsest);
        if (adding.bucket.n == 0) continue;
        const auto place = [&](Statement& seek, Duration otherwise) {
          seek.bind(0, run->series).bind(1, static_cast<std::int64_t>(run->boot));
          seek.bind(2, std::max(range.from, run->raw_from).count()).bind(3, range.to.count());
          const Duration t = seek.step() ? Duration{seek.integer(0)} : otherwise;
          seek.reset();
          return t;
        };
        const bool from_raw = range.from >= run->raw_from;
        found.push_back({range.boot, one.source, range.utc_zero, adding.level, adding.bucket,
                         from_raw ? place(first, adding.first_t) : adding.first_t,
                         place(last, adding.last_t)});
      }
    }
    return found;
  });
}

// Collects buckets and samples one by one.
class Reader::Impl::Collecting {
 public:
  Collecting(Impl& impl, const OnPart& on_part)
      : impl_(impl),
        on_part_(on_part),
        samples_(impl.db_.prepare(kSamples)),
        buckets_(impl.db_.prepare(buckets_sql("bucket, n, min, max, min_at, max_at, mean_t, p05, p80"))) {}

  void buckets(const Run& run, Level level, std::int64_t from, std::int64_t to) {
    buckets_.bind(3, run.series).bind(4, static_cast<std::int64_t>(level));
    impl_.scan(
        buckets_, {run.boot, Duration{from}, Duration{to}, {}}, 5, false,
        [&](Duration index) {
          const Duration start = start_of(index.count(), level);
          Part part{run.boot,
                    run.source,
                    utc_zero,
                    level,
                    start + from_seconds(buckets_.real(6)),
                    buckets_.integer(1),
                    buckets_.integer(2),
                    buckets_.integer(3),
                    at_place(buckets_.integer(4), start, level),
                    at_place(buckets_.integer(5), start, level),
                    {},
                    {}};
          if (!buckets_.is_null(7)) {
            part.p05 = buckets_.real(7);
            part.p80 = buckets_.real(8);
          }
          on_part_(part);
        },
        [] { return true; });
  }
  void samples(const Run& run, Duration from, Duration to) {
    samples_.bind(3, run.series);
    impl_.scan(
        samples_, {run.boot, from, to, {}}, 4, false,
        [&](Duration t) {
          const std::int64_t value = samples_.integer(1);
          on_part_({run.boot, run.source, utc_zero, Level::raw, t, 1, value, value, t, t, {}, {}});
        },
        [] { return true; });
  }

  Utc utc_zero;

 private:
  Impl& impl_;
  const OnPart& on_part_;
  Statement samples_, buckets_;
};

void Reader::parts(const SampleQuery& query, Level coarsest, const OnPart& on_part) {
  impl_->ask([&] {
    Runs runs(impl_->db_);
    Impl::Collecting collecting(*impl_, on_part);
    const std::vector<Series> series = series_of(impl_->db_, query);
    for (const BootRange& range : impl_->window_ranges(query.device, query.window)) {
      collecting.utc_zero = range.utc_zero;
      for (const Series& one : series) {
        if (const auto run = runs.find(one, range.boot)) {
          Cover{*run, collecting}.range(range.from, range.to, coarsest);
        }
      }
    }
  });
}

std::vector<FieldHour> Reader::field_hours(const TelemetryQuery& query) {
  return impl_->ask([&] {
    std::vector<FieldHour> found;
    Statement rows = impl_->db_.prepare(
        "SELECT hour, n, min, max, last FROM field_hour WHERE boot = ?1 AND hour >= ?2 AND hour < ?3 AND "
        "variant = ?4 "
        "AND field = (SELECT id FROM word WHERE text = ?5) ORDER BY hour LIMIT ?6");
    rows.bind(3, static_cast<std::int64_t>(query.variant)).bind(4, query.field);
    for (const BootRange& range : impl_->window_ranges(query.device, query.window)) {
      const BootRange hours{range.boot,
                            Duration{ceiling_index(range.from, Level::hour)},
                            Duration{ceiling_index(range.to, Level::hour)},
                            {}};
      impl_->scan(
          rows, hours, 5, false,
          [&](Duration hour) {
            found.push_back({range.boot, range.utc_zero, start_of(hour.count(), Level::hour), rows.integer(1),
                             rows.real(2), rows.real(3), rows.real(4)});
          },
          [] { return true; });
    }
    return found;
  });
}

}  // namespace leakhunt::storage
