// Lines come at the second their uptime says, each at a moment of its own within it.
#include "bench/log_store.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <random>
#include <stdexcept>

#include "bench/set_clock.h"
#include "proto/framer.h"
#include "proto/redact.h"
#include "recorder/device_recorder.h"
#include "recorder/ids.h"
#include "storage/sqlite.h"
#include "storage/writer.h"

namespace leakhunt::bench {
namespace {

// `LEVEL | HH:MM:SS UPTIME [...`
std::int64_t uptime_s(std::string_view line) {
  const std::size_t clock = line.find(':');
  const std::size_t at = clock == std::string_view::npos ? clock : line.find(' ', clock);
  std::int64_t seconds = 0;
  if (at != std::string_view::npos) {
    std::from_chars(line.data() + at + 1, line.data() + line.size(), seconds);
  }
  return seconds;
}

}  // namespace

LogStore::LogStore(bool packed) {
  SetClock clock;
  storage::Writer writer(opened(folder_.file()), clock);
  recorder::Ids ids;
  recorder::DeviceRecorder device("bench1", {}, ids, "host", nullptr);
  proto::TextReader text_reader;
  device.link_opened(0, recorder::LinkKind::listen, clock.now());
  std::mt19937 random(1);
  std::int64_t second = -1;
  std::vector<std::int64_t> moments_us;
  const auto& lines = log_lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const std::int64_t s = uptime_s(lines[i]); s != second) {
      second = s;
      const auto same = std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(i), lines.end(),
                                     [&](std::string_view line) { return uptime_s(line) != s; });
      moments_us.resize(static_cast<std::size_t>(same - lines.begin()) - i);
      for (auto& us : moments_us) us = static_cast<std::int64_t>(random() % 1'000'000);
      std::sort(moments_us.begin(), moments_us.end(), std::greater<>());
      must(writer.write(device.take().rows));
    }
    clock.set(Duration{second * 1'000'000 + moments_us.back()});
    moments_us.pop_back();
    text_bytes_ += static_cast<std::int64_t>(lines[i].size());
    device.line(0, text_reader.read(lines[i], true), clock.now());
  }
  must(writer.write(device.take().rows));
  end_ = clock.now().utc;
  if (packed) {
    // A boot that goes on keeps its last lines as rows until they fill a block.
    recorder::BootRow next;
    next.id = recorder::BootId{1000};
    next.device = recorder::DeviceId{1};
    must(writer.write(std::vector<recorder::Row>{next}));
    clock.set(Duration{(second + 2 * 86'400) * 1'000'000});
    for (bool more = true; more;) {
      const auto began = std::chrono::steady_clock::now();
      more = writer.tend();
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
      longest_step_ms_ = std::max(longest_step_ms_, took.count());
    }
  }
  must(writer.finish());
}

storage::Reader LogStore::reader() const {
  auto reader = storage::open_for_reading(folder_.file());
  if (!reader) throw std::runtime_error(reader.error().line());
  return *std::move(reader);
}

double LogStore::bytes_per_line() const {
  const storage::Connection db(folder_.file(), storage::Connection::Mode::read_only);
  return static_cast<double>(db.integer(
             "SELECT sum(pgsize) FROM dbstat WHERE name IN ('log', 'log_block', 'log_evidence')")) /
         static_cast<double>(log_lines().size());
}

}  // namespace leakhunt::bench
