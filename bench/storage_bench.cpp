// The writer beside bare prepared inserts of the same rows (same tables, pragmas, batches), and the reader
// over 400 000 samples. Counters tell rows per second and bytes of file per row.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bench/support.h"
#include "storage/reader.h"
#include "storage/sqlite.h"
#include "storage/store.h"
#include "storage/writer.h"

namespace leakhunt::storage {
namespace {

using bench::Folder;
using bench::must;
using bench::opened;
using recorder::BootId;
using recorder::DeviceId;
using recorder::IdentityId;
using recorder::Row;

constexpr DeviceId kDevice{1};
constexpr IdentityId kIdentity{1};
constexpr BootId kBoot{1};
constexpr std::size_t kBatch = 1000;
const std::vector<std::string> kThreads{"Router", "MeshPacket", "DeviceTelemetry", "Screen"};

std::vector<Row> beginnings() {
  recorder::BootRow boot;
  boot.id = kBoot;
  boot.device = kDevice;
  boot.identity = kIdentity;
  return {recorder::DeviceRow{kDevice, "bench1"}, recorder::IdentityRow{kIdentity, kDevice, 7, "", "", 0, {}},
          boot, recorder::AnchorRow{kBoot, "host", {}, {}, {1'764'000'000'000'000}}};
}

Duration time_of(std::size_t n) {
  return Duration{static_cast<std::int64_t>(n) * 1'500'000 + 3};
}

recorder::SampleRow sample(std::size_t n) {
  return {kDevice,
          kIdentity,
          recorder::HeapField::heap_free_bytes,
          recorder::Source::debug_heap,
          {kBoot, time_of(n)},
          120'000 - static_cast<std::int64_t>(n % 30'000),
          false};
}

recorder::LogRow line(std::size_t n) {
  recorder::LogRow row;
  row.device = kDevice;
  row.at = {kBoot, time_of(n)};
  row.level = "DEBUG";
  row.thread = kThreads[n % kThreads.size()];
  row.text = "DEBUG | 12:34:56 " + std::to_string(n) + " [" + row.thread + "] [heap " +
             std::to_string(120'000 - n % 30'000) +
             "] handleReceived(REMOTE) (id=0x5f3a12bc fr=0x31 to=0xff, WantAck=0, HopLim=3 Ch=0x8 encrypted)";
  row.body_offset = 40;
  row.uptime_us = time_of(n).count();
  row.tells_heap = true;
  return row;
}

recorder::TelemetryRow local_stats(std::size_t n) {
  const auto count = static_cast<double>(n);
  return {kDevice,
          kIdentity,
          7,
          recorder::Variant::local,
          recorder::Source::poll,
          {kBoot, time_of(n)},
          {{"uptime_seconds", count * 60},
           {"channel_utilization", 4.3499999046325684},
           {"air_util_tx", 0.52249997854232788},
           {"num_packets_tx", count},
           {"num_packets_rx", count * 3},
           {"num_packets_rx_bad", 17},
           {"num_online_nodes", 12},
           {"num_total_nodes", 80},
           {"num_rx_dupe", count / 2 - static_cast<double>(n % 2) / 2},
           {"num_tx_relay", 333},
           {"num_tx_relay_canceled", 210},
           {"heap_total_bytes", 243'000},
           {"num_tx_dropped", 0},
           {"noise_floor", -98}}};
}

enum Kind { samples, log_lines, telemetry };

std::vector<Row> rows_of(Kind kind, std::size_t count) {
  std::vector<Row> rows;
  for (std::size_t n = 0; n < count; ++n) {
    if (kind == log_lines) {
      rows.emplace_back(line(n));
    } else if (kind == telemetry) {
      rows.emplace_back(local_stats(n));
    }
    if (kind != telemetry) {
      rows.emplace_back(sample(n));
    }
  }
  return rows;
}

void report(benchmark::State& state, std::size_t rows, const std::string& path) {
  state.counters["bytes_per_row"] =
      static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(rows);
}

void writer(benchmark::State& state, Kind kind, std::size_t count) {
  const std::vector<Row> rows = rows_of(kind, count);
  const SystemClock clock;
  for (auto _ : state) {
    state.PauseTiming();
    const Folder folder;
    {
      Writer writer(opened(folder.file()), clock);
      must(writer.write(beginnings()));
      state.ResumeTiming();
      for (std::size_t i = 0; i < rows.size(); i += kBatch) {
        must(writer.write(std::span(rows).subspan(i, std::min(kBatch, rows.size() - i))));
      }
      state.PauseTiming();
      must(writer.finish());
    }
    report(state, rows.size(), folder.file());
    state.ResumeTiming();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(rows.size()) * state.iterations());
}

// The least any program has to do for these rows: bind and step, words and series known beforehand.
class Bare {
 public:
  explicit Bare(Connection& db)
      : begin_(db.prepare("BEGIN")),
        commit_(db.prepare("COMMIT")),
        sample_(db.prepare("INSERT INTO sample VALUES(1, ?, ?, ?, ?)")),
        log_(db.prepare("INSERT INTO log VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
    std::string marks = "?, ?, ?, ?, ?";
    for (const auto& name : Reader::known_fields(recorder::Variant::local)) {
      marks += name.empty() ? "" : ", ?";
    }
    telemetry_ = db.prepare("INSERT INTO telemetry_local VALUES(" + marks + ")");
  }

  void write(std::span<const Row> rows) {
    begin_.run();
    for (const Row& row : rows) {
      if (const auto* one = std::get_if<recorder::SampleRow>(&row)) {
        sample_.bind(0, std::int64_t{1}).bind(1, one->at.t.count()).bind(2, one->value_bytes);
        sample_.bind(3, std::int64_t{0}).run();
      } else if (const auto* text = std::get_if<recorder::LogRow>(&row)) {
        log_.bind(0, std::int64_t{1})
            .bind(1, text->at.t.count())
            .bind(2, std::int64_t{0})
            .bind(3, std::int64_t{1});
        log_.bind(4, static_cast<std::int64_t>(text->thread.size())).bind(5, std::int64_t{1}).bind_null(6);
        log_.bind(7, std::int64_t{text->body_offset}).bind(8, text->uptime_us).bind(9, text->text).run();
      } else if (const auto* local = std::get_if<recorder::TelemetryRow>(&row)) {
        write_local(*local);
      }
    }
    commit_.run();
  }

 private:
  void write_local(const recorder::TelemetryRow& row) {
    telemetry_.bind(0, std::int64_t{1})
        .bind(1, std::int64_t{0})
        .bind(2, row.at.t.count())
        .bind(3, std::int64_t{1});
    telemetry_.bind_null(4);
    constexpr int fixed = 5;
    constexpr int heap_free = 12;  // not in these rows
    for (int i = 0; i < static_cast<int>(row.values.size()); ++i) {
      const double value = row.values[static_cast<std::size_t>(i)].second;
      const int index = fixed + i + (i >= heap_free ? 1 : 0);
      if (i == 1 || i == 2) {
        telemetry_.bind(index, value);
      } else {
        telemetry_.bind(index, static_cast<std::int64_t>(value));
      }
    }
    telemetry_.run();
  }

  Statement begin_, commit_, sample_, log_, telemetry_;
};

void bare(benchmark::State& state, Kind kind, std::size_t count) {
  const std::vector<Row> rows = rows_of(kind, count);
  const SystemClock clock;
  for (auto _ : state) {
    state.PauseTiming();
    const Folder folder;
    {
      Writer writer(opened(folder.file()), clock);
      must(writer.write(beginnings()));
      Connection& db = writer.store().connection();
      db.run("PRAGMA synchronous = NORMAL; INSERT INTO series VALUES(1, 1, 1, 1, 3)");
      Bare inserts(db);
      state.ResumeTiming();
      for (std::size_t i = 0; i < rows.size(); i += kBatch) {
        inserts.write(std::span(rows).subspan(i, std::min(kBatch, rows.size() - i)));
      }
      state.PauseTiming();
    }
    report(state, rows.size(), folder.file());
    state.ResumeTiming();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(rows.size()) * state.iterations());
}

void read_samples(benchmark::State& state) {
  constexpr std::size_t count = 400'000;
  const Folder folder;
  const SystemClock clock;
  Writer writer(opened(folder.file()), clock);
  must(writer.write(beginnings()));
  must(writer.write(rows_of(samples, count)));
  Result<Reader> reader = open_for_reading(folder.file());
  for (auto _ : state) {
    benchmark::DoNotOptimize(reader->samples({.device = kDevice}).size());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(count) * state.iterations());
}

void scan_lines(benchmark::State& state) {
  constexpr std::size_t count = 200'000;
  const Folder folder;
  const SystemClock clock;
  Writer writer(opened(folder.file()), clock);
  must(writer.write(beginnings()));
  must(writer.write(rows_of(log_lines, count)));
  Result<Reader> reader = open_for_reading(folder.file());
  for (auto _ : state) {
    std::size_t bytes = 0;
    reader->logs({.device = kDevice}, [&](const LogLine& found) {
      bytes += found.row.text.size();
      return true;
    });
    benchmark::DoNotOptimize(bytes);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(count) * state.iterations());
}

BENCHMARK_CAPTURE(writer, samples, samples, 400'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bare, samples, samples, 400'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(writer, lines_and_samples, log_lines, 100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bare, lines_and_samples, log_lines, 100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(writer, local_stats, telemetry, 100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bare, local_stats, telemetry, 100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(read_samples)->Unit(benchmark::kMillisecond);
BENCHMARK(scan_lines)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace leakhunt::storage
