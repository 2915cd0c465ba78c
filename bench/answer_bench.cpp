// Questions to the engine over a week of readings, from request to reply ready, warm. The cost must not grow
// with the number of readings.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>

#include "answer/engine.h"
#include "bench/stores.h"
#include "bench/support.h"
#include "storage/reader.h"

namespace leakhunt::answer {
namespace {

constexpr Utc kNow{bench::kStoreEnd_s * 1'000'000 + 1};

struct Week {
  bench::Folder folder;
  std::unique_ptr<storage::Reader> reader;
  std::unique_ptr<Engine> engine;
};

// Made once; a week of so many readings ends now.
Week& week_of(std::int64_t samples, bool local_stats) {
  static std::map<std::pair<std::int64_t, bool>, Week> weeks;
  Week& week = weeks[{samples, local_stats}];
  if (!week.engine) {
    bench::StoreShape shape;
    shape.samples = samples;
    shape.local_stats = local_stats;
    bench::make_store(week.folder.file(), shape);
    auto reader = storage::open_for_reading(week.folder.file());
    if (!reader) throw std::runtime_error(reader.error().line());
    week.reader = std::make_unique<storage::Reader>(*std::move(reader));
    week.engine = std::make_unique<Engine>(*week.reader, EngineSettings{});
  }
  return week;
}

v1::Status running() {
  v1::Status live;
  live.set_running(true);
  v1::DeviceStatus& device = *live.add_devices();
  device.set_name("bench1");
  device.add_links()->set_state("connected");
  return live;
}

void ask(benchmark::State& state, const v1::Question& question, std::int64_t samples, bool local_stats) {
  Week& week = week_of(samples, local_stats);
  const v1::Status live = running();
  for (auto _ : state) {
    const auto reply = week.engine->answer(question, {kNow, false, &live});
    if (!reply) throw std::runtime_error(reply.error().line());
    benchmark::DoNotOptimize(reply->answer.ByteSizeLong());
  }
  state.counters["samples"] = static_cast<double>(samples);
}

void timeline(benchmark::State& state, const char* start, std::int64_t samples, bool local_stats) {
  v1::Question question;
  question.mutable_timeline()->mutable_window()->set_start(start);
  ask(state, question, samples, local_stats);
}

void report(benchmark::State& state, std::int64_t samples, bool local_stats) {
  v1::Question question;
  question.mutable_report()->mutable_window()->set_start("-7d");
  ask(state, question, samples, local_stats);
}

// What the schedule does: the judgement alone, without replay.
void verdict(benchmark::State& state, std::int64_t samples) {
  Week& week = week_of(samples, false);
  for (auto _ : state) {
    const auto verdict = week.engine->judge_window("bench1", std::chrono::hours{168}, kNow);
    if (!verdict) throw std::runtime_error(verdict.error().line());
    benchmark::DoNotOptimize(verdict->class_());
  }
}

constexpr std::int64_t kAt1500ms = 403'200;

BENCHMARK_CAPTURE(timeline, week_of_10k, "-7d", 10'000, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, week_of_1M, "-7d", 1'000'000, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, week_of_5M, "-7d", 5'000'000, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, day_of_5M, "-1d", 5'000'000, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, five_days_of_5M, "-119h", 5'000'000, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(report, week_of_10k, 10'000, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(report, week_of_1M, 1'000'000, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(report, week_of_5M, 5'000'000, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(report, week_at_1500ms_and_local_stats, kAt1500ms, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(verdict, week_at_1500ms, kAt1500ms)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace leakhunt::answer
