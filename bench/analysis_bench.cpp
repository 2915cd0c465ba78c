// A verdict by the default rules over readings that lie in memory, replay of the looks before included where
// it says so.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "analysis/judge.h"

namespace leakhunt::analysis {
namespace {

constexpr double kDay_s = 86'400;
constexpr double kEnd_s = 1'764'500'000;

// A slow leak of 2 bytes a minute under noise and a daily wave, in one boot.
Question question(double window_s, double cadence_s) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 300);
  Stretch stretch;
  stretch.boot_id = 1;
  stretch.began_s = kEnd_s - window_s - kDay_s;
  for (double t = 0; t < window_s; t += cadence_s) {
    Point point;
    point.x_s = kDay_s + t;
    point.t_s = kEnd_s - window_s + t;
    const double wave = 800 * std::sin(t / kDay_s * 6.283185307179586);
    point.value = std::floor((120'000 - t / 30 + wave - std::abs(noise(random))) / 4) * 4;
    stretch.points.push_back(point);
  }
  Question question;
  question.uptime_known = true;
  question.window_start_s = kEnd_s - window_s;
  question.window_end_s = kEnd_s;
  question.series.push_back({"debug_heap", {std::move(stretch)}});
  return question;
}

void verdict(benchmark::State& state, double window_s, double cadence_s) {
  const Question asked = question(window_s, cadence_s);
  for (auto _ : state) {
    benchmark::DoNotOptimize(judge(asked).slope_per_min);
  }
  state.counters["readings"] = static_cast<double>(asked.series[0].stretches[0].points.size());
}

void verdict_with_replay(benchmark::State& state, double window_s, double cadence_s) {
  const Question asked = question(window_s, cadence_s);
  for (auto _ : state) {
    benchmark::DoNotOptimize(judge_with_replay(asked).slope_per_min);
  }
  state.counters["readings"] = static_cast<double>(asked.series[0].stretches[0].points.size());
}

BENCHMARK_CAPTURE(verdict, day_at_60s, kDay_s, 60)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(verdict_with_replay, day_at_60s, kDay_s, 60)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(verdict, week_at_60s, 7 * kDay_s, 60)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(verdict, week_at_1500ms, 7 * kDay_s, 1.5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace leakhunt::analysis
