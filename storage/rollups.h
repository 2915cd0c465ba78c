// Keeps the buckets of the heap series up to date with their samples, within the transaction that writes
// those. Private to the writer.
//
// At any commit, all buckets before the one that holds a (series, boot)'s newest sample stand in `rollup`, at
// every level of that boot; the one that holds it stands nowhere unless the run is sealed. So nothing has to
// be put right after a crash.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/time.h"
#include "recorder/rows.h"
#include "storage/buckets.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

class Rollups {
 public:
  explicit Rollups(Connection& db);

  // The samples of one series in one boot. Valid until the next call of anything but add().
  class Run {
   public:
    // Whether a sample of that time can still be counted in: its raw neighbours are there.
    [[nodiscard]] bool takes(Duration t) const { return t >= raw_from_; }

   private:
    friend class Rollups;
    std::int64_t series_ = 0;
    recorder::BootId boot_{};
    int finest_ = 0;  // as in the table `rollup_state`; 0: not decided yet
    bool sealed_ = false;
    Duration raw_from_ = Duration::min();
    std::int64_t samples_ = 0;  // while not decided
    std::optional<Duration> newest_;
    Filling open_;                   // the finest bucket, which holds the newest sample
    std::array<Bucket, 4> growing_;  // by level: what of the bucket that holds it is closed at the finer one
    std::set<std::int64_t> late_;    // finest buckets to be made again
  };
  [[nodiscard]] Run& run(std::int64_t series, recorder::BootId boot);
  // A sample that has just been written; it is not in the run yet.
  void add(Run& run, Duration t, std::int64_t value, bool suspect);

  // The samples at and after `from` are no longer what they were.
  void made_anew(std::int64_t series, recorder::BootId boot, Duration from);
  // Builds the buckets of all samples there are.
  void build_all();

  // Belongs before raw samples go: those before `until` of the run are about to be deleted. Their buckets
  // stay; samples of that time are refused from now on. `until` is rounded down to whole days of the boot's
  // time, and this is what may be deleted up to; a boot that is over may go whole: then its last buckets are
  // closed and the time is the end of its last day.
  [[nodiscard]] Duration let_raw_go(std::int64_t series, recorder::BootId boot, Duration until,
                                    bool boot_is_over);

  // Makes again what late samples fell into; belongs before each commit.
  void flush();
  // Forgets what a rolled back transaction had told.
  void forget();

 private:
  using Key = std::pair<std::int64_t, recorder::BootId>;

  void load(Run& run);
  void load_open(Run& run);
  void decide(Run& run);
  void rebuild(Run& run, Duration from);
  void close_until(Run& run, std::int64_t index);
  void make_late_ones(Run& run);
  // Closes the last buckets too.
  void seal(Run& run, Duration last_day);
  // Buckets [from, to) of the finest level from samples, and of a coarser one from the next finer.
  void build_finest(const Run& run, std::int64_t from, std::int64_t to);
  void build_coarser(const Run& run, Level level, std::int64_t from, std::int64_t to);
  void write(const Run& run, Level level, std::int64_t index, const Bucket& bucket);
  void write_state(const Run& run, Duration cadence);
  // After the last bucket of the level.
  [[nodiscard]] std::int64_t first_unwritten(const Run& run, Level level);
  // The first index of the level that is not closed.
  [[nodiscard]] static std::int64_t closed_until(const Run& run, Level level);

  const Connection& db_;
  std::map<Key, Run> runs_;
  Run* last_used_ = nullptr;
  Statement find_state_, put_state_, newest_, count_, first_times_, samples_, buckets_, last_bucket_, put_,
      remove_;
};

// Columns of `rollup` in this order, for bucket_from().
inline constexpr const char* kBucketColumns =
    "bucket, n, first, last, min, max, min_at, max_at, mean_t, mean_v, m2_t, m2_v, c_tv, p05, p80";
// The middle of a place min_at or max_at.
[[nodiscard]] Duration at_place(std::int64_t place, Duration start, Level level);
[[nodiscard]] Bucket bucket_from(const Statement& row, Level level);

}  // namespace leakhunt::storage
