// Windows answered from buckets against the samples themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "storage/buckets.h"
#include "storage/rollups.h"
#include "storage/sqlite.h"
#include "tests/storage/support.h"

namespace leakhunt::storage::testing {
namespace {

using namespace std::chrono_literals;
using recorder::BootId;
using recorder::Row;
using recorder::Source;

constexpr BootId kBoot{1};

// What the samples of a window come to, of one source within one stretch of a boot in which the clock stood.
struct Raw {
  std::vector<Sample> samples;  // by t

  [[nodiscard]] std::pair<long double, long double> mean_and_slope()
      const {  // v from the first, t in seconds
    const auto n = static_cast<long double>(samples.size());
    long double mean_t = 0;
    long double mean_v = 0;
    for (const Sample& s : samples) {
      mean_t += static_cast<long double>((s.t - samples.front().t).count()) / 1e6L / n;
      mean_v += static_cast<long double>(s.value_bytes - samples.front().value_bytes) / n;
    }
    long double m2 = 0;
    long double c = 0;
    for (const Sample& s : samples) {
      const long double t = static_cast<long double>((s.t - samples.front().t).count()) / 1e6L - mean_t;
      m2 += t * t;
      c += t * (static_cast<long double>(s.value_bytes - samples.front().value_bytes) - mean_v);
    }
    return {mean_v, m2 > 0 ? c / m2 : 0};
  }
};

using Key = std::tuple<BootId, Source, std::int64_t>;  // with utc_zero

std::map<Key, Raw> raw_of(Reader& reader, const Window& window) {
  std::map<Key, Raw> all;
  for (const Sample& s : reader.samples({.device = kDevice, .window = window})) {
    if (!s.suspect) all[{s.boot, s.source, (s.utc - s.t).us}].samples.push_back(s);
  }
  return all;
}

void expect_equal(const Figures& found, const Raw& raw) {
  const auto by_value = [](const Sample& a, const Sample& b) { return a.value_bytes < b.value_bytes; };
  const auto [low, high] = std::minmax_element(raw.samples.begin(), raw.samples.end(), by_value);
  const Sample& first = raw.samples.front();
  const Sample& last = raw.samples.back();
  EXPECT_EQ(found.bucket.n, static_cast<std::int64_t>(raw.samples.size()));
  EXPECT_EQ(found.bucket.min, low->value_bytes);
  EXPECT_EQ(found.bucket.max, high->value_bytes);
  EXPECT_EQ(found.bucket.first, first.value_bytes);
  EXPECT_EQ(found.bucket.last, last.value_bytes);
  EXPECT_EQ(found.first_t, first.t);
  EXPECT_EQ(found.last_t, last.t);
  const auto [mean, slope] = raw.mean_and_slope();
  const double bound = 1e-9 * static_cast<double>(high->value_bytes - low->value_bytes + 1);
  const RunningSums& sums = found.bucket.sums;
  EXPECT_NEAR(sums.mean_v, static_cast<double>(mean), bound);
  // The fitted line at both ends of the window, and so anywhere in it.
  const double offset = seconds(first.t - found.bucket.start);
  long double mean_t = 0;
  for (const Sample& s : raw.samples) {
    mean_t += static_cast<long double>((s.t - first.t).count()) / 1e6L /
              static_cast<long double>(raw.samples.size());
  }
  for (const Sample* at : {&first, &last}) {
    const long double t = static_cast<long double>((at->t - first.t).count()) / 1e6L;
    const auto wanted = static_cast<double>(mean + slope * (t - mean_t));
    const double line = sums.mean_v + sums.slope() * (static_cast<double>(t) + offset - sums.mean_t);
    EXPECT_NEAR(line, wanted, bound);
  }
}

void expect_window(Reader& reader, const Window& window) {
  SCOPED_TRACE("window " + std::to_string(window.start.us) + " " + std::to_string(window.end.us));
  auto raw = raw_of(reader, window);
  for (const Figures& found : reader.figures({.device = kDevice, .window = window})) {
    const Key key{found.boot, found.source, found.utc_zero.us};
    SCOPED_TRACE(::testing::PrintToString(static_cast<std::int64_t>(found.boot)) + " source " +
                 std::to_string(static_cast<int>(found.source)));
    ASSERT_TRUE(raw.contains(key));
    expect_equal(found, raw[key]);
    raw.erase(key);
  }
  EXPECT_TRUE(raw.empty()) << "not told of: " << raw.size();
}

class FiguresOf : public ::testing::Test {
 protected:
  void write(const std::vector<Row>& rows) { ASSERT_TRUE(writer_.write(rows)); }
  Reader reader() { return reader_of(folder_.file()); }

  Folder folder_;
  SteppedClock clock_;
  Writer writer_ = writer_of(folder_.file(), clock_);
};

TEST_F(FiguresOf, WholeDaysAndHoursAreReadAsSuch) {
  write(beginnings());
  std::vector<Row> rows;
  for (Duration t = 17s; t < 75h; t += 1500ms) rows.emplace_back(sample_row(kBoot, t, 100'000 - t / 1min));
  write(rows);
  Reader read = reader();
  const auto all = read.figures({.device = kDevice});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].level, Level::day);
  EXPECT_EQ(all[0].bucket.n, static_cast<std::int64_t>(rows.size()));
  EXPECT_NEAR(all[0].bucket.sums.slope() * 60, -1, 1e-4);
  std::vector<Part> parts;
  read.parts({.device = kDevice}, Level::hour, [&](const Part& part) { parts.push_back(part); });
  EXPECT_LT(parts.size(), 75U + 2 * 60 + 2 * 40);
  std::int64_t n = 0;
  for (const Part& part : parts) n += part.n;
  EXPECT_EQ(n, all[0].bucket.n);
  EXPECT_TRUE(
      std::is_sorted(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.t < b.t; }));
}

TEST_F(FiguresOf, AnyWindowEqualThoseOfItsSamples) {
  std::mt19937_64 random{77};
  const auto pick = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  Duration utc = 0s;
  for (std::int64_t boot = 1; boot <= 6; ++boot) {
    write(beginnings(BootId{boot}));
    const Utc zero = kBootUtc + utc;
    write({anchor_row(BootId{boot}, zero), anchor_row(BootId{boot}, zero + 1h * (1 + pick(3)), 2h + 7s),
           anchor_row(BootId{boot}, zero - 40min, 9h + 1us)});
    const std::vector<std::pair<Source, Duration>> kinds{{Source::poll, 60s},
                                                         {Source::debug_heap, boot % 2 == 0 ? 1500ms : 400ms},
                                                         {Source::stats, boot % 3 == 0 ? 4h : 900s}};
    std::vector<Row> rows;
    const Duration end = 3h + 1h * pick(60);
    for (const auto& [source, cadence] : kinds) {
      std::int64_t level = 100'000 + pick(200'000);
      const std::int64_t noise = 1 + pick(4'000) * pick(2);
      for (Duration t = 1s * pick(4'000); t < end; t += cadence + Duration{pick(cadence.count() / 10)}) {
        if (pick(4'000) == 0) t += 1min * pick(200);
        level -= pick(100) == 0 ? pick(30) : 0;
        auto row = sample_row(BootId{boot}, t, level - pick(noise), source);
        row.suspect = pick(300) == 0;
        rows.emplace_back(row);
      }
    }
    for (std::size_t i = 0; i + 1 < rows.size(); i += 1 + static_cast<std::size_t>(pick(400))) {
      std::swap(rows[i], rows[std::min(rows.size() - 1, i + static_cast<std::size_t>(pick(900)))]);
    }
    write(rows);
    utc += end + 1min * pick(300) - 30min;
  }
  Reader read = reader();
  expect_window(read, kAllTime);
  for (int i = 0; i < 150 && !HasFailure(); ++i) {
    const Duration unit =
        i % 3 == 0 ? Duration{1min} : Duration{1us};  // also windows that meet the buckets' edges
    const Utc start = kBootUtc - 1h + unit * pick((utc + 2h) / unit);
    const Duration length =
        i % 5 == 0 ? Duration{pick(90'000'000)} : Duration{unit * pick((utc + 2h) / unit)};
    expect_window(read, {start, start + length});
  }
  const auto figures = read.figures({.device = kDevice});
  EXPECT_TRUE(
      std::any_of(figures.begin(), figures.end(), [](const auto& f) { return f.level == Level::day; }));
}

TEST_F(FiguresOf, PartsNeverLoseADip) {
  write(beginnings());
  std::vector<Row> rows;
  for (Duration t = 0s; t < 30h; t += 1500ms) {
    rows.emplace_back(sample_row(kBoot, t, t == 15h ? 812 : t == 20h ? 250'000 : 90'000));
  }
  write(rows);
  Reader read = reader();
  for (const Level level : {Level::minute, Level::hour, Level::day}) {
    std::int64_t low = 1'000'000;
    std::int64_t high = 0;
    Duration low_t{};
    Duration high_t{};
    read.parts({.device = kDevice, .window = {kBootUtc + 1h, kBootUtc + 29h}}, level, [&](const Part& part) {
      if (part.min < low) low_t = part.min_t;
      if (part.max > high) high_t = part.max_t;
      low = std::min(low, part.min);
      high = std::max(high, part.max);
    });
    EXPECT_EQ(low, 812);
    EXPECT_EQ(high, 250'000);
    EXPECT_LE(std::chrono::abs(low_t - 15h), width(level) / 100);
    EXPECT_LE(std::chrono::abs(high_t - 20h), width(level) / 100);
  }
}

TEST_F(FiguresOf, ABootWhoseSamplesWentAreThoseOfItsBuckets) {
  write(beginnings());
  write(beginnings(BootId{2}));
  std::vector<Row> rows;
  for (Duration t = 17s; t < 50h; t += 1500ms) rows.emplace_back(sample_row(kBoot, t, 100'000 - t / 1min));
  for (Duration t = 0s; t < 20min; t += 60s) rows.emplace_back(sample_row(kBoot, t, 70'000, Source::stats));
  for (Duration t = 0s; t < 50h; t += 1500ms) rows.emplace_back(sample_row(BootId{2}, t, 100'000));
  write(rows);
  const auto before = reader().figures({.device = kDevice, .window = {kBootUtc, kBootUtc + 51h}});
  Connection& db = writer_.store().connection();
  const auto let_go = [&](std::int64_t boot, Duration until, bool is_over) {
    for (const std::int64_t series : {1, 2}) {
      const Duration kept = Rollups{db}.let_raw_go(series, BootId{boot}, until, is_over);
      db.run("DELETE FROM sample WHERE series = " + std::to_string(series) +
             " AND boot = " + std::to_string(boot) + " AND t_boot < " + std::to_string(kept.count()));
    }
  };
  let_go(1, 60h, true);
  let_go(2, 30h, false);
  EXPECT_EQ(number_in(folder_.file(), "SELECT min(t_boot) FROM sample"), Duration{24h}.count());
  { const Writer closed = std::move(writer_); }
  writer_ = writer_of(folder_.file(), clock_);
  Reader read = reader();
  const auto after = read.figures({.device = kDevice, .window = {kBootUtc, kBootUtc + 51h}});
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].bucket.n, before[i].bucket.n);
    EXPECT_EQ(after[i].bucket.first, before[i].bucket.first);
    EXPECT_EQ(after[i].bucket.last, before[i].bucket.last);
    EXPECT_EQ(after[i].bucket.min, before[i].bucket.min);
    EXPECT_NEAR(after[i].bucket.sums.slope(), before[i].bucket.sums.slope(), 1e-12);
  }
  // A late sample is refused where its neighbours are gone, and taken where they are not.
  write({sample_row(kBoot, 3h, 5), sample_row(BootId{2}, 3h, 5),
         sample_row(BootId{2}, 26h, 5, Source::debug_heap)});
  EXPECT_EQ(writer_.refused_rows(), 2);
  EXPECT_EQ(read.totals(kDevice).samples_too_late, 2);
  EXPECT_EQ(number_in(folder_.file(), "SELECT min(min) FROM rollup"), 70'000);
}

}  // namespace
}  // namespace leakhunt::storage::testing
