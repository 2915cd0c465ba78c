// See world.h.
#include "tests/answer/world.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <stdexcept>

#include "answer/words.h"
#include "storage/writer.h"

namespace leakhunt::answer::testing {
namespace {

class StillClock final : public Clock {
 public:
  [[nodiscard]] Moment now() const override { return {kStart, Mono{1'000'000}}; }
  [[nodiscard]] std::chrono::nanoseconds real(Duration d) const override { return d; }
};

std::filesystem::path fresh_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "leakhunt-answer-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("no folder for the test");
  }
  return pattern;
}

}  // namespace

World::World() : folder_(fresh_folder()) {
  live.set_running(true);
  v1::DeviceStatus& device = *live.add_devices();
  device.set_name("bench1");
  v1::LinkStatus& link = *device.add_links();
  link.set_address("serial:/dev/ttyUSB0");
  link.set_state("connected");
  add(recorder::DeviceRow{kDevice, "bench1"});
  add(recorder::IdentityRow{kIdentity, kDevice, kNode, "Bench One", "B1", 43, kStart});
}

World::~World() {
  engine_.reset();
  reader_.reset();
  std::filesystem::remove_all(folder_);
}

void World::boot(double at_s, recorder::BootCause cause, bool debug_heap, const std::string& pio_env) {
  boot_ = recorder::BootId{static_cast<std::int64_t>(boot_) + 1};
  began_ = kStart + from_seconds(at_s);
  recorder::BootRow row;
  row.id = boot_;
  row.device = kDevice;
  row.identity = kIdentity;
  row.cause = cause;
  row.signs = "rebooted";
  row.start_seen = true;
  row.firmware_version = "2.7.9";
  row.pio_env = pio_env;
  row.debug_heap = debug_heap;
  add(row);
  add(recorder::AnchorRow{boot_, "host-boot", {}, Mono{0}, began_});
}

void World::sample(double s, std::int64_t value, recorder::Source source, recorder::HeapField field) {
  add(recorder::SampleRow{kDevice, kIdentity, field, source, {boot_, from_seconds(s)}, value, false});
  if (field == recorder::HeapField::heap_free_bytes && source == recorder::Source::poll) {
    telemetry(s, recorder::Variant::local, "heap_total_bytes", 205'000);
  }
}

void World::samples(double from_s, double to_s, double step_s, const Level& level, recorder::Source source) {
  const auto n = static_cast<int>(std::ceil((to_s - from_s) / step_s - 1e-9));
  for (int i = 0; i < n; ++i) {
    const double s = from_s + i * step_s;
    sample(s, level(s), source);
  }
}

void World::telemetry(double s, recorder::Variant variant, std::string_view field, double value) {
  recorder::TelemetryRow row;
  row.device = kDevice;
  row.identity = kIdentity;
  row.node = kNode;
  row.variant = variant;
  row.at = {boot_, from_seconds(s)};
  row.values = {{field, value}};
  add(row);
}

void World::line(double s, const std::string& text, const std::string& level, const std::string& thread,
                 const std::string& alarm) {
  recorder::LogRow row;
  row.device = kDevice;
  row.at = {boot_, from_seconds(s)};
  row.level = level;
  row.thread = thread;
  row.text = text;
  row.uptime_us = from_seconds(s).count();
  row.alarm = alarm;
  row.evidence = !alarm.empty();
  row.tells_heap = text.find("heap") != std::string::npos;
  add(row);
}

void World::heap_prefix_line(double s, std::int64_t free, const std::string& message) {
  recorder::LogRow row;
  row.device = kDevice;
  row.at = {boot_, from_seconds(s)};
  row.level = "DEBUG";
  row.thread = "Router";
  row.text =
      "DEBUG | ??:??:?? " + std::to_string(std::lround(s)) + " [Router] [heap " + std::to_string(free) + "] ";
  row.body_offset = static_cast<std::uint16_t>(row.text.size());
  row.text += message;
  row.uptime_us = from_seconds(s).count();
  row.tells_heap = true;
  add(row);
}

void World::thread_event(double s, const std::string& thread, std::int64_t before, std::int64_t after) {
  add(recorder::HeapEventRow{kDevice, {boot_, from_seconds(s)}, thread, before, after});
  const bool leaked = after < before;
  const std::string frame = leaked ? "------" : "++++++";
  line(s,
       frame + " Thread " + thread + (leaked ? " leaked" : " freed") + " heap " + std::to_string(before) +
           " -> " + std::to_string(after) + " (" + std::to_string(after - before) + ") " + frame,
       "HEAP", thread);
}

void World::event(double s, const std::string& kind, const std::string& label, const std::string& note) {
  recorder::EventRow row;
  row.device = kDevice;
  row.utc = utc(s);
  row.kind = kind;
  row.label = label;
  row.note = note;
  if (boot_ != recorder::kNoBoot) {
    row.at = recorder::BootTime{boot_, from_seconds(s)};
  }
  add(row);
}

void World::packet(double s, std::uint32_t from, std::uint32_t port) {
  recorder::PacketRow row;
  row.device = kDevice;
  row.at = {boot_, from_seconds(s)};
  row.from = from;
  row.to = 0xffffffff;
  row.port = port;
  row.size_bytes = 31;
  row.hop_limit = 2;
  row.hop_start = 3;
  row.rssi_dbm = -90;
  row.snr_db = 6.25F;
  add(row);
}

Utc World::utc(double s) const {
  return began_ + from_seconds(s);
}

void World::write() {
  if (rows_.empty()) {
    return;
  }
  // A reader of a file at rest does not see what is written later.
  engine_.reset();
  reader_.reset();
  auto store = storage::open_for_writing((folder_ / "leakhunt.db").string());
  ASSERT_TRUE(store) << store.error().line();
  const StillClock clock;
  storage::Writer writer{*std::move(store), clock};
  const auto written = writer.write(rows_);
  ASSERT_TRUE(written) << written.error().line();
  ASSERT_EQ(writer.refused_rows(), 0);
  ASSERT_TRUE(writer.finish());
  rows_.clear();
}

storage::Reader& World::reader() {
  write();
  if (!reader_) {
    auto opened = storage::open_for_reading((folder_ / "leakhunt.db").string());
    if (!opened) {
      throw std::runtime_error(opened.error().line());
    }
    reader_ = std::make_unique<storage::Reader>(*std::move(opened));
  }
  return *reader_;
}

Engine& World::engine(EngineSettings settings) {
  storage::Reader& reader = this->reader();
  if (!engine_) {
    engine_ = std::make_unique<Engine>(reader, std::move(settings));
  }
  return *engine_;
}

Result<Reply> World::ask(const v1::Question& question, double s) {
  return engine().answer(question, {utc(s), false, &live});
}

Result<Reply> World::ask_offline(const v1::Question& question) {
  return engine().answer(question, {Utc{}, true, nullptr});
}

v1::Question report_question(const std::string& window, v1::Rules rules) {
  v1::Question question;
  question.set_rules(rules);
  question.mutable_report()->mutable_window()->set_window(window);
  return question;
}

v1::Report report(World& world, double s, const std::string& window, v1::Rules rules) {
  const auto reply = world.ask(report_question(window, rules), s);
  if (!reply) {
    throw std::runtime_error(reply.error().line());
  }
  return reply->answer.report();
}

Level leaking(double slope_per_min) {
  return [slope_per_min](double s) {
    const double noise = 60 * std::sin(s * 0.7) + 40 * std::sin(s * 0.13 + 1);
    return std::lround(120'000 + slope_per_min * s / 60 + noise);
  };
}

}  // namespace leakhunt::answer::testing
