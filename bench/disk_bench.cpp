// What a recorder writes to its disk in a day, and what of it stays: bytes the process hands to write, syncs,
// and the pages of each table. Time is virtual; prints JSON.
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/set_clock.h"
#include "bench/support.h"
#include "proto/framer.h"
#include "proto/redact.h"
#include "recorder/device_recorder.h"
#include "recorder/ids.h"
#include "storage/sqlite.h"
#include "storage/writer.h"

namespace {

std::atomic<std::int64_t> syncs{0};

}  // namespace

// SQLite's calls come here first.
extern "C" int fdatasync(int fd) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fdatasync, fd));
}
extern "C" int fsync(int fd) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace leakhunt::bench {
namespace {

using namespace std::chrono_literals;
using recorder::BootId;
using recorder::DeviceId;
using recorder::IdentityId;
using recorder::Row;

constexpr Duration kDay = 24h;
constexpr double kMB = 1e6;

// Bytes this process has handed to write() and its kin.
std::int64_t written_bytes() {
  std::ifstream io("/proc/self/io");
  for (std::string name; io >> name;) {
    std::int64_t value = 0;
    io >> value;
    if (name == "wchar:") return value;
  }
  throw std::runtime_error("no /proc/self/io");
}

struct Spent {
  std::int64_t bytes = written_bytes();
  std::int64_t synced = syncs;
};

// Rows that come at `t`, and what the writer's thread does meanwhile: a commit a second after a row, a
// heartbeat when one is due, upkeep.
class Day {
 public:
  explicit Day(Duration durable_interval)
      : writer_(opened(folder_.file()), clock_, {.durable_interval = durable_interval}) {}

  void rows(Duration t, const std::vector<Row>& rows) {
    pass(t);
    must(writer_.write(rows));
  }
  void pass(Duration t) {
    while (writer_.durable_due() && *writer_.durable_due() - begin_.mono < t) {
      clock_.set(*writer_.durable_due() - begin_.mono);
      must(writer_.write({}));
    }
    clock_.set(t);
    while (writer_.tend()) {
    }
  }
  void end() { must(writer_.finish()); }
  [[nodiscard]] std::int64_t file_bytes() const {
    return static_cast<std::int64_t>(std::filesystem::file_size(folder_.file()));
  }
  [[nodiscard]] std::int64_t number(const std::string& sql) {
    return writer_.store().connection().integer(sql);
  }
  [[nodiscard]] double bytes_a_row(const std::string& table) {
    return static_cast<double>(number("SELECT sum(pgsize) FROM dbstat WHERE name = '" + table + "'")) /
           static_cast<double>(number("SELECT count(*) FROM " + table));
  }
  [[nodiscard]] const SetClock& clock() const { return clock_; }

 private:
  Folder folder_;
  SetClock clock_;
  Moment begin_ = clock_.now();
  storage::Writer writer_;
};

std::vector<Row> beginnings() {
  recorder::BootRow boot;
  boot.id = BootId{1};
  boot.device = DeviceId{1};
  boot.identity = IdentityId{1};
  return {recorder::DeviceRow{DeviceId{1}, "bench1"},
          recorder::IdentityRow{IdentityId{1}, DeviceId{1}, 7, "", "", 0, {}}, boot,
          recorder::AnchorRow{BootId{1}, "host", {}, {5'000'000'000}, {1'764'500'000'000'000}}};
}

// An answer to a request for LocalStats.
std::vector<Row> local_stats(Duration t) {
  const auto n = static_cast<double>(t / 1min);
  return {recorder::TelemetryRow{DeviceId{1},
                                 IdentityId{1},
                                 7,
                                 recorder::Variant::local,
                                 recorder::Source::poll,
                                 {BootId{1}, t},
                                 {{"uptime_seconds", n * 60},
                                  {"channel_utilization", 4.3499999046325684},
                                  {"air_util_tx", 0.52249997854232788},
                                  {"num_packets_tx", n},
                                  {"num_packets_rx", n * 3},
                                  {"num_packets_rx_bad", 17},
                                  {"num_online_nodes", 12},
                                  {"num_total_nodes", 80},
                                  {"num_rx_dupe", n},
                                  {"num_tx_relay", 333},
                                  {"num_tx_relay_canceled", 210},
                                  {"heap_total_bytes", 243'000},
                                  {"num_tx_dropped", 0},
                                  {"noise_floor", -98}}},
          recorder::SampleRow{DeviceId{1},
                              IdentityId{1},
                              recorder::HeapField::heap_free_bytes,
                              recorder::Source::poll,
                              {BootId{1}, t},
                              90'000 - t / 1min % 700 * 13,
                              false}};
}

std::vector<Row> device_metrics(Duration t) {
  return {recorder::TelemetryRow{DeviceId{1},
                                 IdentityId{1},
                                 7,
                                 recorder::Variant::device,
                                 recorder::Source::stats,
                                 {BootId{1}, t},
                                 {{"battery_level", 101},
                                  {"voltage", 4.117},
                                  {"channel_utilization", 4.35},
                                  {"air_util_tx", 0.52},
                                  {"uptime_seconds", static_cast<double>(t / 1s)}}}};
}

// A device that is asked each 60 s and sends its device_metrics as often, 30 s later: nothing gathers.
std::string quiet(Duration durable_interval) {
  constexpr int days = 4;
  Day day(durable_interval);
  day.rows({}, beginnings());
  const Spent before;
  for (Duration t = 1min; t < days * kDay; t += 1min) {
    day.rows(t + 137us, local_stats(t + 137us));
    day.rows(t + 30s + 291us, device_metrics(t + 30s + 291us));
  }
  const Spent after;
  day.end();
  return fmt::format(
      "{{\"durable_interval_s\": {}, \"mb_a_day\": {:.1f}, \"syncs_a_day\": {:.0f}, \"kept_mb_a_day\": "
      "{:.2f}}}",
      durable_interval / 1s, static_cast<double>(after.bytes - before.bytes) / kMB / days,
      static_cast<double>(after.synced - before.synced) / days,
      static_cast<double>(day.file_bytes()) / kMB / days);
}

std::string sizes() {
  Day day(60s);
  day.rows({}, beginnings());
  std::vector<Row> rows;
  for (Duration t = 1min; t < 40 * kDay; t += 1min) {
    for (Row& row : local_stats(t)) rows.push_back(std::move(row));
    if (rows.size() >= 1000) day.rows(t, std::exchange(rows, {}));
  }
  const double sample = day.bytes_a_row("sample");
  const double local = day.bytes_a_row("telemetry_local");
  const double hour = day.bytes_a_row("rollup");
  return fmt::format(
      "{{\"heap_sample_bytes\": {:.1f}, \"local_stats_bytes\": {:.1f}, \"rollup_bytes\": {:.1f}, "
      "\"field_hour_bytes\": {:.1f}}}",
      sample, local, hour, day.bytes_a_row("field_hour"));
}

std::string minute_buckets() {
  Day day(60s);
  day.rows({}, beginnings());
  std::vector<Row> rows;
  for (Duration t = 1s; t < 3 * kDay; t += 1500ms) {
    rows.emplace_back(recorder::SampleRow{DeviceId{1},
                                          IdentityId{1},
                                          recorder::HeapField::heap_free_bytes,
                                          recorder::Source::debug_heap,
                                          {BootId{1}, t},
                                          90'000 - t / 1s % 9001,
                                          false});
    if (rows.size() >= 1000) day.rows(t, std::exchange(rows, {}));
  }
  return fmt::format("{{\"heap_sample_bytes\": {:.1f}, \"rollup_bytes\": {:.1f}}}", day.bytes_a_row("sample"),
                     day.bytes_a_row("rollup"));
}

// Text with DEBUG_HEAP as a line at 115200 baud can carry it, each second's lines in a commit; then a day
// passes and the lines are packed.
std::string full_line() {
  constexpr std::int64_t bytes_per_s = 11'520;
  Day day(60s);
  recorder::Ids ids;
  recorder::DeviceRecorder device("bench1", {}, ids, "host", nullptr);
  proto::TextReader text_reader;
  const Spent before;
  device.link_opened(0, recorder::LinkKind::listen, day.clock().now());
  std::int64_t sent = 0;
  std::int64_t second = 0;
  for (const std::string_view line : log_lines()) {
    sent += static_cast<std::int64_t>(line.size()) + 1;
    device.line(0, text_reader.read(line, true), day.clock().now());
    if (sent / bytes_per_s > second) {
      day.rows(++second * 1s, device.take().rows);
    }
  }
  day.end();
  const Spent recorded;
  const std::int64_t stored = day.file_bytes();
  recorder::BootRow next;
  next.id = BootId{1000};
  next.device = DeviceId{1};
  day.pass(second * 1s + 2 * kDay);
  day.rows(second * 1s + 2 * kDay, {next});
  day.pass(second * 1s + 2 * kDay + 20min);
  day.end();
  const Spent packed;
  return fmt::format(
      "{{\"hours\": {:.2f}, \"stored_mb\": {:.1f}, \"written_mb\": {:.1f}, \"times_stored\": {:.2f}, "
      "\"packing_written_mb\": {:.1f}, "
      "\"after_packing_mb\": {:.1f}, \"syncs\": {}}}",
      static_cast<double>(second) / 3600, static_cast<double>(stored) / kMB,
      static_cast<double>(recorded.bytes - before.bytes) / kMB,
      static_cast<double>(recorded.bytes - before.bytes) / static_cast<double>(stored),
      static_cast<double>(packed.bytes - recorded.bytes) / kMB, static_cast<double>(day.file_bytes()) / kMB,
      recorded.synced - before.synced);
}

}  // namespace
}  // namespace leakhunt::bench

int main() {
  using namespace leakhunt::bench;
  fmt::print("{{\n \"quiet\": [");
  const char* comma = "";
  for (const leakhunt::Duration interval : {10s, 60s, 600s}) {
    fmt::print("{}\n  {}", comma, quiet(interval));
    comma = ",";
  }
  fmt::print("],\n \"sizes_at_60_s\": {},\n \"sizes_at_1_5_s\": {},\n \"full_line\": {}\n}}\n", sizes(),
             minute_buckets(), full_line());
  return 0;
}
