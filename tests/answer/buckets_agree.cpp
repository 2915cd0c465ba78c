// buckets_agree FOLDER: judges each series of a benchmark folder from its readings and from its minutes, as
// far as it has enough of them, and prints where the two differ: `ID: CLASS (LEAK) from readings, ... from
// minutes`; at the end how many were compared.
#include <cstdio>
#include <string>
#include <vector>

#include "analysis/buckets.h"
#include "analysis/judge.h"
#include "storage/buckets.h"
#include "tests/analysis/bench_files.h"

namespace {

using namespace leakhunt;
using namespace leakhunt::analysis;

constexpr std::size_t kEnoughMinutes = 96;  // two for each block of the analysis

// The minutes of one stretch, as the store keeps them; a covariate is its last value.
std::vector<Point> minutes_of(const std::vector<Point>& readings) {
  std::vector<Point> out;
  storage::Filling filling;
  Point mean;
  std::size_t n = 0;
  const auto end = [&] {
    if (filling.empty()) return;
    const storage::Bucket bucket = filling.bucket();
    const double count = static_cast<double>(n);
    Point point = level_of({mean.x_s / count, mean.t_s / count, n, static_cast<double>(bucket.min),
                            static_cast<double>(bucket.max), bucket.p80.value_or(absent)});
    point.largest_block = mean.largest_block;
    point.min_free = mean.min_free;
    point.total = mean.total;
    point.packets_rx = mean.packets_rx;
    point.total_nodes = mean.total_nodes;
    out.push_back(point);
  };
  for (const Point& reading : readings) {
    if (reading.value < 0) continue;
    const std::int64_t index = storage::index_of(from_seconds(reading.x_s), storage::Level::minute);
    if (filling.empty() || index != filling.index()) {
      end();
      filling = storage::Filling(storage::Level::minute, index);
      mean.x_s = mean.t_s = 0;
      n = 0;
    }
    filling.add(from_seconds(reading.x_s), static_cast<std::int64_t>(reading.value));
    const double x_s = mean.x_s + reading.x_s;
    const double t_s = mean.t_s + reading.t_s;
    mean = reading;
    mean.x_s = x_s;
    mean.t_s = t_s;
    ++n;
  }
  end();
  return out;
}

// Nothing where the store would keep no minutes, or too few.
std::vector<Series> in_minutes(const Question& question) {
  std::vector<Series> out = question.series;
  std::size_t minutes = 0;
  for (Series& series : out) {
    for (Stretch& stretch : series.stretches) {
      if (stretch.points.size() < 2) continue;
      const double span = stretch.points.back().x_s - stretch.points.front().x_s;
      const auto cadence = from_seconds(span / static_cast<double>(stretch.points.size() - 1));
      if (storage::finest_level(cadence) != storage::Level::minute) return {};
      stretch.points = minutes_of(stretch.points);
      minutes += stretch.points.size();
    }
  }
  return minutes >= kEnoughMinutes ? out : std::vector<Series>{};
}

std::string words(const Verdict& v) {
  return std::string{text_word(v.verdict)} + (v.leak ? " (leak)" : "");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: buckets_agree FOLDER\n");
    return 2;
  }
  std::size_t all = 0;
  std::size_t compared = 0;
  std::size_t differ = 0;
  for (const bench_files::File& file : bench_files::list(argv[1])) {
    Question question = bench_files::read(file);
    ++all;
    const std::vector<Series> minutes = in_minutes(question);
    if (minutes.empty()) continue;
    ++compared;
    const Verdict from_readings = judge(question);
    question.series = minutes;
    const Verdict from_minutes = judge(question);
    if (from_readings.verdict == from_minutes.verdict && from_readings.leak == from_minutes.leak) continue;
    ++differ;
    std::printf("%s: %s from readings, %s from minutes\n", file.id.c_str(), words(from_readings).c_str(),
                words(from_minutes).c_str());
  }
  std::printf("series %zu compared %zu differ %zu\n", all, compared, differ);
  return 0;
}
