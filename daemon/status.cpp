// Snapshots to messages.
#include "daemon/status.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace leakhunt::daemon {
namespace {

// A capacitor of about 10 uF there holds the reset line while the kernel raises DTR and RTS inside open().
constexpr const char* kOpeningRestarts =
    "opening the port restarted this board, which is no alert; where that matters a link over TCP or 10 uF "
    "between EN and GND prevents it";

constexpr const char* kNeverAnswers =
    "this build does not answer requests (before July 2026 it may not hand the answer to the client): "
    "LocalStats "
    "come unasked each 15 min";

// From here on a row waits for a slow disk and not for its batch.
constexpr double kSlow_s = 5;

void tell(const LinkSnapshot& link, v1::LinkStatus& out) {
  out.set_address(link.address);
  out.set_state(std::string{word(link.state)});
  out.set_mode(std::string{word(link.mode)});
  out.set_since(seconds(link.since));
  if (link.last_received) out.set_last_received_ts(seconds(*link.last_received));
  out.set_sees(std::string{sees(link)});
  out.set_cannot_see(cannot_see(link));
  out.set_trouble(link.trouble);
  out.set_reconnects(link.reconnects);
  out.set_bytes_received(link.bytes_received);
  out.set_frames(link.frames);
  out.set_bad_bytes(link.bad_bytes);
  out.set_sends(link.sends);
  out.set_port(link.port);
  out.set_advice(link.advice);
}

// What a link cannot see is no lack where another one sees it.
bool others_give(const std::vector<LinkSnapshot>& links, const LinkSnapshot& link) {
  return std::any_of(links.begin(), links.end(), [&](const LinkSnapshot& other) {
    const bool polls = other.mode == LinkMode::api;
    return link.mode == LinkMode::listen ? polls : !link.serial && other.serial;
  });
}

// The port was not opened since without a restart: else the one there was may have come by chance.
bool opening_restarted(const recorder::DeviceLive& live, const LinkSnapshot& link) {
  constexpr Duration kUptimeIsOld{70'000'000};
  return live.boot && live.boot->cause == recorder::BootCause::opened_by_recorder && live.boot_start &&
         link.opened - live.boot_start->utc < kUptimeIsOld;
}

// ", 12 of 24 answered", where that is worth knowing; a request under way is not counted.
std::string answered_words(const recorder::DeviceLive& live) {
  constexpr std::int64_t kWorthTelling = 4;
  const std::int64_t due = live.polls_asked - 1;
  if (due < kWorthTelling || 10 * live.polls_answered >= 9 * due) return "";
  return fmt::format(", {} of {} answered", live.polls_answered, live.polls_asked);
}

void tell(const DeviceSnapshot& device, std::int64_t open_alerts, v1::DeviceStatus& out) {
  const recorder::DeviceLive& live = device.live;
  out.set_name(live.name);
  for (const LinkSnapshot& link : device.links) {
    v1::LinkStatus& told = *out.add_links();
    tell(link, told);
    if (others_give(device.links, link)) told.clear_cannot_see();
    const bool restarted = opening_restarted(live, link);
    if (link.serial && restarted && link.advice.empty()) told.set_advice(kOpeningRestarts);
    if (link.poll.starts_with("unanswered") && told.advice().empty()) told.set_advice(kNeverAnswers);
    // Several links may poll; the one that is connected is the one that counts.
    const bool asks = !link.poll.empty() && !link.poll.starts_with("off");
    if (out.poll().empty() || (asks && link.state == LinkState::connected)) out.set_poll(link.poll);
  }
  if (out.poll().empty()) {
    out.set_poll("off");
  } else {
    *out.mutable_poll() += answered_words(live);
  }
  if (device.released) {
    out.set_released_since(seconds(device.released->since));
    if (device.released->until) out.set_released_until(seconds(*device.released->until));
  }
  if (live.uptime) out.set_uptime_s(seconds(*live.uptime));
  if (live.last_received) out.set_last_ts(seconds(live.last_received->utc));
  for (const auto& [name, total] : live.counters) (*out.mutable_counters())[name] = total;
  out.set_open_alerts(open_alerts);
}

void tell(const LiveParts& parts, v1::StoreStatus& out) {
  out.set_path(parts.store_path);
  out.set_state(parts.store.ok ? "ok" : parts.store.what);
  const double waited_s = seconds(parts.queue.oldest_age) / parts.time_scale.value_or(1);
  if (parts.store.ok && waited_s > kSlow_s) {
    out.set_state(fmt::format("the disk is slow: rows wait for {:.0f} s", waited_s));
  }
  if (!parts.store.ok) out.set_trouble_since(seconds(parts.store.since));
  out.set_queue_bytes(static_cast<std::int64_t>(parts.queue.bytes));
  out.set_queue_rows(static_cast<std::int64_t>(parts.queue.rows));
  out.set_dropped_lines(parts.queue.dropped_lines);
}

}  // namespace

v1::Status live_status(const LiveParts& parts) {
  v1::Status status;
  status.set_running(true);
  status.set_started_at(seconds(parts.started_at));
  status.set_now(seconds(parts.now));
  status.set_version(LEAKHUNT_VERSION);
  status.set_pid(::getpid());
  if (parts.time_scale) status.set_time_scale(*parts.time_scale);
  if (const auto& paused = parts.bench.paused) {
    status.set_paused(true);
    status.set_paused_since(seconds(paused->since));
    if (paused->until) status.set_paused_until(seconds(*paused->until));
  }
  std::int64_t open = 0;
  for (const auto& [device, count] : parts.open_alerts) open += count;
  status.set_open_alerts(open);
  for (const DeviceSnapshot& device : parts.bench.devices) {
    const auto alerts = parts.open_alerts.find(device.live.device);
    tell(device, alerts != parts.open_alerts.end() ? alerts->second : 0, *status.add_devices());
  }
  tell(parts, *status.mutable_store());
  return status;
}

}  // namespace leakhunt::daemon
