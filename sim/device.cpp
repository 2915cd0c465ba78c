// A simulated device: power, telemetry, log and output. What it says to its clients stands in client.cpp,
// what it plays in play.cpp. Knows no sockets, no clock, no arguments.
#include "sim/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/chatter.h"
#include "sim/noise.h"

namespace leakhunt::sim {
namespace {

constexpr std::uint32_t kTextPort = 1;
constexpr std::uint32_t kTelemetryPort = 67;
constexpr std::size_t kPhoneQueue = 32;
constexpr Duration kStatsPeriod = std::chrono::minutes{15};
// The telemetry thread runs a little early or late; 15 min are due when 14 min and 30 s have passed.
constexpr Duration kStatsSlack = std::chrono::seconds{30};
// What an ESP32's serial driver takes before a print waits for the line.
constexpr std::size_t kTransmitBuffer = 256;
// What is sent to a board while its boot loader runs is lost.
constexpr Duration kDeafAfterReset = std::chrono::seconds{1};

}  // namespace

Device::Device(Setup setup, Scenario scenario, Moment start, const std::vector<Port*>& ports)
    : setup_(std::move(setup)), scenario_(std::move(scenario)), start_(start) {
  sessions_.reserve(ports.size());
  for (Port* port : ports) sessions_.emplace_back(*port);
  own_effects_ = scenario_.heap.effects;
  own_base_bytes_ = scenario_.heap.base_bytes;
  boot(Restart::power, start.mono - from_seconds(setup_.uptime_s), start.mono);
  if (setup_.stale_pair_s) wait_with_stale_pair(*setup_.stale_pair_s, start.mono);
}

void Device::run_until(Mono now) {
  agenda_.run_until(now);
}

void Device::boot(Restart why, Mono on, Mono now) {
  agenda_.clear();
  boot_at_ = on;
  ++counters_.boots;
  ++setup_.reboot_count;
  scenario_.heap.effects = own_effects_;
  scenario_.heap.base_bytes = own_base_bytes_;
  for (Session& session : sessions_) session.begin(session.serial(), now);
  to_phone_.clear();
  seen_.clear();
  editing_ = changed_ = silent_ = last_answered_ = false;
  last_stats_at_ = last_asked_at_ = std::nullopt;
  clock_set_s_ = setup_.clock_set_s;
  shown_uptime_s_ = packets_rx_ = packets_tx_ = 0;
  lowest_free_ = status_free_ = summary_free_ = free(now);
  if (on == now) announce_boot(why, now);
  schedule_habits(now);
}

void Device::announce_boot(Restart why, Mono at) {
  raw_lines(first_words(why), at);
  if (setup_.says_rebooted)
    for (Session& session : sessions_)
      if (session.serial()) transmit(session, rebooted(), at);
  raw_lines({"", "//\\ E S H T /\\ S T / C", ""}, at);
  LogLine build{.level = Level::info,
                .message = fmt::format("S:B:{},{},{},meshtastic", setup_.identity.hw_model,
                                       setup_.identity.firmware, setup_.identity.pio_env)};
  build.bare = !scenario_.chatters;
  log(build, at);
  if (!scenario_.chatters) return;
  log({Level::debug, "",
       fmt::format("Total heap: {}", static_cast<std::uint32_t>(scenario_.heap.total_bytes))},
      at);
  log({Level::debug, "", fmt::format("Free heap: {}", free(at))}, at);
}

void Device::reboot(Restart why, Mono now) {
  for (Session& session : sessions_) session.port.drop_unsent();
  if (!mute(now)) raw_lines(last_words(why, (now - boot_at_).count() / 1'000), now);
  for (Session& session : sessions_) {
    session.port.restart(now);
    session.deaf_until = now + kDeafAfterReset;
  }
  boot(why, now, now);
}

void Device::telemetry_run(Mono at) {
  shown_uptime_s_ = static_cast<std::uint32_t>(uptime_s(at));
  // Only into an empty queue: without a client the first pair waits there and goes stale.
  // [DeviceTelemetry.cpp]
  if (!to_phone_.empty()) return;
  deliver(local_packet(kTelemetryPort, device_metrics_payload(shown_uptime_s_, 101, epoch_s(at))), at);
  if (last_stats_at_ && at - *last_stats_at_ < kStatsPeriod - kStatsSlack) return;
  last_stats_at_ = at;
  deliver(local_packet(kTelemetryPort, stats_payload(stats(at), epoch_s(at))), at);
}

void Device::send_stats(Mono now) {
  last_stats_at_.reset();
  telemetry_run(now);
}

void Device::wait_with_stale_pair(double age_s, Mono now) {
  const Mono then = now - from_seconds(age_s);
  const auto uptime = static_cast<std::uint32_t>(std::max(0.0, uptime_s(then)));
  Stats stats_then = stats(then);
  stats_then.uptime_s = uptime;
  wait_for_client(local_packet(kTelemetryPort, device_metrics_payload(uptime, 101, epoch_s(then))));
  wait_for_client(local_packet(kTelemetryPort, stats_payload(stats_then, epoch_s(then))));
}

void Device::deliver(const Packet& packet, Mono at) {
  bool delivered = false;
  for (Session& session : sessions_) {
    if (!session.configured) continue;
    transmit(session, sim::packet(packet), at);
    delivered = true;
  }
  if (!delivered) wait_for_client(packet);
}

void Device::deliver_to(Session& session, const Packet& packet, Mono at) {
  if (session.configured) return transmit(session, sim::packet(packet), at);
  wait_for_client(packet);
}

void Device::wait_for_client(const Packet& packet) {
  if (to_phone_.size() == kPhoneQueue) to_phone_.pop_front();
  to_phone_.push_back(packet);
}

void Device::transmit(Session& session, const std::string& message, Mono at) {
  if (mute(at) || !session.open) return;
  const bool dirty = scenario_.garbage;
  if (dirty && session.configured) {
    if (mix(scenario_.heap.seed, ++junk_) % 3 == 0)
      junk_to(session, 1 + mix(scenario_.heap.seed, junk_) % 40, at);
    if (mix(scenario_.heap.seed, ++junk_) % 3 == 0)
      write(session, "stray text \x94 between frames \xF0\x9F\x94\x8B\r\n", at);
  }
  const std::string frame = framed(message);
  const std::size_t first = dirty ? mix(scenario_.heap.seed, ++junk_) % (frame.size() + 1) : frame.size();
  write(session, std::string_view{frame}.substr(0, first), at);
  if (first < frame.size()) write(session, std::string_view{frame}.substr(first), at);
  ++counters_.frames_sent;
}

void Device::write(Session& session, std::string_view bytes, Mono at) {
  session.port.write(bytes, at);
  if (tap_) tap_(session.port, bytes, at);
}

std::string Device::as_text(const LogLine& line, Mono at) {
  Prefix prefix{.clock = uptime_s(at) < clock_set_s_ ? "??:??:??" : clock_text(epoch_s(at)),
                .uptime_ms = static_cast<std::uint64_t>(std::max(Duration{0}, at - boot_at_).count() / 1'000),
                .heap_bytes = std::nullopt,
                .colour = setup_.colour};
  if (setup_.debug_heap) prefix.heap_bytes = scenario_.heap.free_in_line(uptime_s(at), line_number_++);
  ++counters_.text_lines;
  return text_line(line, prefix);
}

void Device::log(const LogLine& line, Mono at) {
  for (Session& session : sessions_) log_to(session, line, at);
}

void Device::log_to(Session& session, const LogLine& line, Mono at) {
  if (in_text_mode(session)) {
    if (!mute(at) && setup_.security.serial_enabled) write(session, as_text(line, at), at);
    return;
  }
  const bool carries_log = (session.serial() || setup_.tcp_log) && setup_.security.debug_log_api_enabled;
  if (!carries_log || !session.api || session.idle) return;
  ++counters_.log_records;
  const std::string record = log_record(line, epoch_s(at));
  if (!scenario_.garbage || !session.serial() || mute(at)) return transmit(session, record, at);
  // Text goes on beside the frames, and a frame stands in the middle of a line.
  const std::string text = as_text(line, at);
  const std::size_t middle = mix(scenario_.heap.seed, ++junk_) % text.size();
  write(session, std::string_view{text}.substr(0, middle), at);
  write(session, framed(record), at);
  write(session, std::string_view{text}.substr(middle), at);
  ++counters_.frames_sent;
}

void Device::say(const LogLine& line, Mono now) {
  log(line, now);
}

void Device::raw_lines(const std::vector<std::string>& lines, Mono at) {
  for (Session& session : sessions_)
    if (session.serial())
      for (const std::string& line : lines) write(session, line + "\r\n", at);
}

void Device::write_raw(const Port& port, std::string_view bytes, Mono now) {
  write(session_of(port), bytes, now);
}

void Device::junk(const Port& port, std::size_t bytes, Mono now) {
  junk_to(session_of(port), bytes, now);
}

void Device::junk_to(Session& session, std::size_t bytes, Mono at) {
  std::string out;
  while (out.size() < bytes) {
    const auto byte = static_cast<char>(mix(scenario_.heap.seed ^ 0x7A9B, ++junk_) & 0xFF);
    // A false start may stand anywhere, but a whole header would rightly swallow the frame behind it.
    if (byte != '\xC3') out.push_back(byte);
  }
  // Not as the last byte either: with a frame behind it a single 0x94 would still be junk, a reader must see
  // that.
  if (mix(scenario_.heap.seed, ++junk_) % 4 == 0) out += "\x94\xC3\xFF\xFF";
  write(session, out, at);
}

void Device::stall(Duration length, Mono now) {
  muted_until_ = now + length;
}

void Device::set_free(double bytes, Mono now) {
  scenario_.heap.base_bytes += bytes - free(now);
  own_base_bytes_ = scenario_.heap.base_bytes;
}

void Device::dip(double bytes, double length_s, Mono now) {
  scenario_.heap.effects.emplace_back(
      Dip{.depth = bytes, .from_s = uptime_s(now), .hold_s = length_s, .back_s = 1});
}

void Device::hear_text(std::string_view text, Mono now) {
  Packet packet = mesh_packet(scenario_.heap.seed, packet_number_++, setup_.identity.node, epoch_s(now));
  packet.port = kTextPort;
  packet.payload = text;
  packet.encrypted = false;
  log({Level::info, "Router",
       fmt::format("Received text msg from=0x{}, id=0x{}, msg={}", hex(packet.from), hex(packet.id), text)},
      now);
  deliver(packet, now);
}

void Device::set_clock(Mono now) {
  clock_set_s_ = uptime_s(now);
}

void Device::flash(std::string firmware, Mono now) {
  setup_.identity.firmware = std::move(firmware);
  reboot(Restart::planned, now);
}

bool Device::mute(Mono at) const {
  return silent_ || at < muted_until_;
}

bool Device::in_text_mode(const Session& session) const {
  const bool beside_frames = setup_.old_console && !setup_.security.debug_log_api_enabled;
  return session.serial() && (setup_.text_only || beside_frames || !session.api);
}

bool Device::console_waits(Mono at) {
  return std::any_of(sessions_.begin(), sessions_.end(), [at](Session& session) {
    return session.serial() && session.port.waiting_bytes(at) > kTransmitBuffer;
  });
}

Session& Device::session_of(const Port& port) {
  return *std::find_if(sessions_.begin(), sessions_.end(),
                       [&port](const Session& session) { return &session.port == &port; });
}

Packet Device::local_packet(std::uint32_t port, std::string payload) {
  return {.from = setup_.identity.node, .id = fresh_id(), .port = port, .payload = std::move(payload)};
}

Stats Device::stats(Mono at) const {
  Stats all{.uptime_s = shown_uptime_s_,
            .packets_tx = packets_tx_,
            .packets_rx = packets_rx_,
            .online_nodes = 3,
            .total_nodes = 4};
  if (!setup_.reports_heap) return all;
  all.heap_total_bytes = static_cast<std::uint32_t>(scenario_.heap.total_bytes);
  all.heap_free_bytes = free(at);
  return all;
}

std::uint32_t Device::free(Mono at) const {
  return scenario_.heap.free_at(uptime_s(at));
}

std::uint32_t Device::epoch_s(Mono at) const {
  return static_cast<std::uint32_t>((start_.utc + (at - start_.mono)).us / 1'000'000);
}

std::uint32_t Device::fresh_id() {
  return static_cast<std::uint32_t>(mix(scenario_.heap.seed ^ counters_.boots << 32, ++ids_)) | 1;
}

}  // namespace leakhunt::sim
