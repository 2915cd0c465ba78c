// Rows through the writer, as a recorder would hand them over.
#include "bench/stores.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "bench/support.h"
#include "recorder/rows.h"
#include "storage/writer.h"

namespace leakhunt::bench {
namespace {

using recorder::Row;

constexpr recorder::DeviceId kDevice{1};
constexpr recorder::IdentityId kIdentity{1};
constexpr recorder::BootId kBoot{1};
constexpr std::uint32_t kNode = 0x42524331;
constexpr Duration kUptime = std::chrono::hours{24};  // at the first record: no warm-up is looked for
constexpr std::int64_t kLevel_bytes = 180'000;

std::vector<Row> beginnings(Duration length) {
  recorder::BootRow boot;
  boot.id = kBoot;
  boot.device = kDevice;
  boot.identity = kIdentity;
  boot.debug_heap = true;
  const Utc zero = Utc{kStoreEnd_s * 1'000'000} - length - kUptime;
  return {recorder::DeviceRow{kDevice, "bench1"},
          recorder::IdentityRow{kIdentity, kDevice, kNode, "Bench One", "B1", 43, zero}, boot,
          recorder::AnchorRow{kBoot, "host", {}, {}, zero}};
}

// Memory at rest falls in a line; packets in flight push it down for a moment.
class Heap {
 public:
  explicit Heap(double slope_per_min) : slope_per_min_(slope_per_min) {}
  std::int64_t at(Duration passed) {
    const double level = static_cast<double>(kLevel_bytes) + slope_per_min_ * seconds(passed) / 60;
    const double dip = random_() % 8 == 0 ? 450.0 * static_cast<double>(random_() % 4) : 0.0;
    return static_cast<std::int64_t>(std::floor((level - dip + noise_(random_)) / 4)) * 4;
  }

 private:
  double slope_per_min_;
  std::mt19937 random_{5};
  std::normal_distribution<double> noise_{0, 60};
};

// Hands over rows of one batch at a time.
class Sink {
 public:
  explicit Sink(const std::string& path) : writer_(opened(path), clock_) {}
  void put(Row row) {
    rows_.push_back(std::move(row));
    if (rows_.size() >= batch) flush();
  }
  void flush() {
    must(writer_.write(rows_));
    rows_.clear();
  }
  void finish() {
    flush();
    must(writer_.finish());
  }

 private:
  static constexpr std::size_t batch = 10'000;
  SystemClock clock_;
  storage::Writer writer_;
  std::vector<Row> rows_;
};

void put_local_stats(Sink& sink, Duration at, std::int64_t free_bytes, std::int64_t n) {
  const recorder::BootTime place{kBoot, at};
  const auto count = static_cast<double>(n);
  sink.put(recorder::SampleRow{kDevice, kIdentity, recorder::HeapField::heap_free_bytes,
                               recorder::Source::poll, place, free_bytes, false});
  sink.put(recorder::TelemetryRow{kDevice,
                                  kIdentity,
                                  kNode,
                                  recorder::Variant::local,
                                  recorder::Source::poll,
                                  place,
                                  {{"uptime_seconds", std::floor(seconds(at))},
                                   {"num_packets_tx", count},
                                   {"num_packets_rx", count * 3},
                                   {"num_online_nodes", 12},
                                   {"num_total_nodes", 80},
                                   {"heap_total_bytes", 243'000}}});
}

recorder::LogRow line(Duration at, std::int64_t n) {
  recorder::LogRow row;
  row.device = kDevice;
  row.at = {kBoot, at};
  row.level = n % 50 == 0 ? "WARN" : "DEBUG";
  row.thread = n % 3 == 0 ? "Router" : "MeshPacket";
  row.text = row.level + " | " + std::to_string(at / std::chrono::seconds{1}) + " [" + row.thread +
             "] handleReceived(REMOTE) (id=0x" + std::to_string(n * 2'654'435'761 % 4'294'967'296) +
             " fr=0x31 to=0xff, WantAck=0, HopLim=3 Ch=0x8 encrypted)";
  row.body_offset = static_cast<std::uint16_t>(row.text.find(']') + 2);
  return row;
}

}  // namespace

void make_store(const std::string& path, const StoreShape& shape) {
  const Duration length = std::chrono::hours{24} * shape.days;
  Sink sink(path);
  for (Row& row : beginnings(length)) sink.put(std::move(row));
  Heap heap(shape.slope_per_min);
  const Duration minute = std::chrono::minutes{1};
  std::int64_t minutes = 0;
  std::int64_t lines = 0;
  for (std::int64_t n = 0; n < shape.samples; ++n) {
    const Duration passed{length.count() * (n + 1) / shape.samples};
    sink.put(recorder::SampleRow{kDevice,
                                 kIdentity,
                                 recorder::HeapField::heap_free_bytes,
                                 recorder::Source::debug_heap,
                                 {kBoot, kUptime + passed},
                                 heap.at(passed),
                                 false});
    for (; shape.local_stats && minute * minutes <= passed; ++minutes) {
      put_local_stats(sink, kUptime + minute * minutes, heap.at(minute * minutes), minutes);
    }
    for (; lines * shape.samples < shape.lines * (n + 1); ++lines) sink.put(line(kUptime + passed, lines));
  }
  sink.finish();
}

}  // namespace leakhunt::bench
