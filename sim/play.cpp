// A simulated device: what it does of its own accord, by the clock and by its scenario.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/chatter.h"
#include "sim/device.h"
#include "sim/noise.h"

namespace leakhunt::sim {
namespace {

constexpr double kTick_s = 5;
constexpr double kFirstTelemetry_s = 75;
constexpr double kTelemetryEvery_s = 60;
constexpr double kMemoryLineEvery_s = 300;
constexpr double kFirstPacket_s = 95;
constexpr int kStrainEvery_s = 15;
constexpr Duration kSilentClient = std::chrono::seconds{900};

// Each pair of braces in a message becomes a fresh hexadecimal number.
std::string filled(std::string_view message, std::uint64_t seed, std::uint64_t n) {
  std::string out;
  while (!message.empty()) {
    const std::size_t gap = message.find("{}");
    out += message.substr(0, gap);
    if (gap == std::string_view::npos) break;
    out += hex(mix(seed, ++n * 31));
    message.remove_prefix(gap + 2);
  }
  return out;
}

}  // namespace

Mono Device::first_after(Mono at, double first_s, double period_s) const {
  const double periods = std::max(0.0, std::ceil((uptime_s(at) - first_s) / period_s));
  return boot_at_ + from_seconds(first_s + periods * period_s);
}

void Device::repeat(Mono at, double first_s, double period_s, Agenda::Task task) {
  agenda_.every(first_after(at, first_s, period_s), from_seconds(period_s), std::move(task));
}

void Device::schedule_habits(Mono at) {
  repeat(at, kTick_s, kTick_s, [this](Mono due) { tick(due); });
  repeat(at, kFirstTelemetry_s, kTelemetryEvery_s, [this](Mono due) { telemetry_run(due); });
  if (uptime_s(at) > kFirstTelemetry_s)
    shown_uptime_s_ = static_cast<std::uint32_t>(
        kFirstTelemetry_s +
        kTelemetryEvery_s * std::floor((uptime_s(at) - kFirstTelemetry_s) / kTelemetryEvery_s));
  if (scenario_.chatters) {
    repeat(at, 2, setup_.line_every_s, [this](Mono due) {
      if (!console_waits(due)) log(ordinary_line(scenario_.heap.seed, ++line_number_), due);
    });
    repeat(at, kFirstPacket_s, setup_.packet_every_s, [this](Mono due) {
      ++packets_rx_;
      deliver(mesh_packet(scenario_.heap.seed, packet_number_++, setup_.identity.node, epoch_s(due)), due);
    });
    schedule_memory_lines(at);
  }
  schedule_scenario(at);
}

void Device::schedule_memory_lines(Mono at) {
  repeat(at, kMemoryLineEvery_s, kMemoryLineEvery_s, [this](Mono due) {
    const std::uint32_t now = free(due);
    lowest_free_ = std::min(lowest_free_, now);
    log(heap_summary_line(now, static_cast<std::uint32_t>(scenario_.heap.total_bytes),
                          std::int64_t{now} - summary_free_, lowest_free_,
                          scenario_.heap.largest_block_at(uptime_s(due))),
        due);
    log(mem_audit_line("periodic", static_cast<std::uint32_t>(known_nodes().size() + 1)), due);
    summary_free_ = now;
  });
  if (!setup_.debug_heap) return;
  repeat(at, 20, 60, [this](Mono due) {
    const std::uint32_t now = free(due);
    log(heap_status_line(now, static_cast<std::uint32_t>(scenario_.heap.total_bytes),
                         std::int64_t{now} - status_free_),
        due);
    status_free_ = now;
  });
  repeat(at, 41, 60, [this](Mono due) {
    log(alloc_line(scenario_.heap.free_in_line(uptime_s(due), line_number_), line_number_), due);
  });
}

void Device::add_flow(const ThreadFlow& flow, Mono at) {
  const auto bytes = std::llround(flow.bytes);
  const auto log_event = [this, bytes](const std::string& thread, bool leaked, bool borrowed, Mono due) {
    // What is only borrowed is no part of the curve: the reading right after is that much lower.
    const std::uint32_t now = free(due);
    const auto held =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(borrowed && leaked ? bytes : 0, 0, now));
    LogLine line = thread_line(thread, now - held, leaked ? -bytes : bytes);
    line.heap_bytes = now - held;
    log(line, due);
  };
  repeat(at, flow.from_s, flow.every_s, [this, flow, log_event](Mono due) {
    log_event(flow.thread, true, !flow.freed_by.empty(), due);
    if (flow.freed_by.empty()) return;
    agenda_.at(due + from_seconds(flow.freed_after_s),
               [flow, log_event](Mono later) { log_event(flow.freed_by, false, true, later); });
  });
}

void Device::schedule_scenario(Mono at) {
  if (setup_.debug_heap)
    for (const ThreadFlow& flow : scenario_.flows) add_flow(flow, at);
  for (const RecurringLine& kind : scenario_.lines)
    repeat(at, kind.from_s, kind.every_s, [this, kind](Mono due) {
      LogLine line = kind.line;
      line.message = filled(line.message, scenario_.heap.seed, ++line_number_);
      log(line, due);
    });
  for (const ScriptedLine& scripted : scenario_.script) {
    const Mono due = boot_at_ + from_seconds(scripted.uptime_s);
    if (due >= at) agenda_.at(due, [this, line = scripted.line](Mono when) { log(line, when); });
  }
  const auto once = [&](std::optional<double> uptime, Agenda::Task task) {
    if (uptime && *uptime >= uptime_s(at)) agenda_.at(boot_at_ + from_seconds(*uptime), std::move(task));
  };
  once(scenario_.silent_after_s, [this](Mono) { silent_ = true; });
  once(scenario_.reboot_every_s, [this](Mono due) { reboot(Restart::planned, due); });
  if (counters_.boots == 1) once(setup_.reboot_at_s, [this](Mono due) { reboot(Restart::planned, due); });
}

void Device::tick(Mono at) {
  const std::uint32_t now = free(at);
  lowest_free_ = std::min(lowest_free_, now);
  for (Session& session : sessions_) {
    if (!session.open || session.idle || at - session.last_heard <= kSilentClient) continue;
    session.configured = false;
    session.idle = true;
    session.port.hang_up();
  }
  if (now < scenario_.dies_below_bytes) {
    log({Level::crit, "Router", "std::bad_alloc: out of memory"}, at);
    return reboot(Restart::out_of_memory, at);
  }
  const auto second = static_cast<std::int64_t>(uptime_s(at));
  if (now < scenario_.strains_below_bytes && second % kStrainEvery_s == 0)
    log({Level::warn, "Router", "Failed to allocate zeroed memory"}, at);
}

}  // namespace leakhunt::sim
