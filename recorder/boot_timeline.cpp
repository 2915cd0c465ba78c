// The rules of docs/boots-and-time.md: signs, anchors, the move of provisional rows. Knows nothing of
// records.
#include "recorder/boot_timeline.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "recorder/boot_limits.h"

namespace leakhunt::recorder {

using namespace boot_limits;

std::string_view word(BootSign sign) {
  switch (sign) {
    case BootSign::rebooted:
      return "rebooted";
    case BootSign::reboot_count:
      return "reboot_count";
    case BootSign::rom_banner:
      return "rom_banner";
    case BootSign::rom_reset:
      return "rom_reset";
    case BootSign::banner:
      return "banner";
    case BootSign::wake_cause:
      return "wake_cause";
    case BootSign::text_uptime:
      return "text_uptime";
    case BootSign::telemetry_uptime:
      return "telemetry_uptime";
    case BootSign::other_node:
      break;
  }
  return "other_node";
}

namespace {

int stage_of(BootSign sign) {
  switch (sign) {
    case BootSign::rom_banner:
      return kRomBannerStage;
    case BootSign::rom_reset:
      return kRomResetStage;
    default:
      return kFirmwareStage;
  }
}

}  // namespace

BootTimeline::BootTimeline(DeviceId device, Ids& ids, std::string host_boot, const DeviceState* restored,
                           std::vector<Row>& out)
    : device_(device), ids_(ids), host_boot_(std::move(host_boot)), out_(out) {
  if (restored != nullptr && restored->last_boot) {
    restore(*restored);
  }
}

void BootTimeline::restore(const DeviceState& state) {
  boot_ = *state.last_boot;
  last_t_ = state.last_boot_end;
  waits_for_join_ = true;
  if (state.last_boot_anchors.empty()) {
    return;
  }
  const AnchorRow& anchor = state.last_boot_anchors.back();
  if (anchor.host_boot != host_boot_) {
    joined_utc_zero_ = anchor.utc_zero;
    return;
  }
  waits_for_join_ = false;
  fixed_ = true;
  since_ = anchor.since;
  zero_ = anchor.mono_zero;
  apparent_ = zero_;
  anchor_offset_us_ = anchor.utc_zero.us - anchor.mono_zero.us;
  offset_us_ = anchor_offset_us_;
}

void BootTimeline::observe(Moment now) {
  const std::int64_t offset_us = now.utc.us - now.mono.us;
  const std::int64_t jump_us = offset_us_ ? offset_us - *offset_us_ : 0;
  offset_us_ = offset_us;
  const bool stepped = std::llabs(jump_us) > kStep_us;
  const bool placed = has_boot() && !waits_for_join_;
  if (placed && (stepped || std::llabs(offset_us - anchor_offset_us_) > kSlewed_us)) {
    write_anchor(fixed_ ? std::max(now.mono - zero_, last_t_ + kTick) : since_, now);
  }
  if (stepped) {
    EventRow event{};
    event.device = device_;
    event.utc = now.utc;
    event.kind = "clock_step";
    event.note = "the host's clock was set by " + std::to_string(static_cast<double>(jump_us) * 1e-6) + " s";
    if (placed) {
      event.at = place(now);
    }
    out_.emplace_back(std::move(event));
  }
}

void BootTimeline::flush() {
  if (std::exchange(boot_changed_, false)) {
    out_.emplace_back(boot_);
  }
}

void BootTimeline::connection_began(Link link, Moment now) {
  LinkState& state = links_[link];
  state.began = now.mono;
  if (unconfirmed_.size() < kMostConnections) {
    unconfirmed_.push_back(now.mono);
  }
  state.confirmed = false;
  state.text_heard = false;
}

void BootTimeline::host_slept(Moment now) {
  distrust_until_ = now.mono + kAfterSleep;
}

void BootTimeline::ensure(Moment now) {
  if (waits_for_join_) {
    join_host_boot(now);
  }
  if (has_boot()) {
    return;
  }
  boot_.id = ids_.next_boot();
  boot_.device = device_;
  zero_ = now.mono;
  out_.emplace_back(boot_);
  write_anchor(Duration{0}, now);
}

// The boot was recorded under another boot of the host, whose monotonic clock is gone: rows go on right
// behind the last one until an uptime tells where they belong.
void BootTimeline::join_host_boot(Moment now) {
  waits_for_join_ = false;
  joined_ = true;
  since_ = last_t_ + kTick;
  zero_ = now.mono - since_;
  write_anchor(since_, now);
}

void BootTimeline::write_anchor(Duration since, Moment now) {
  anchor_offset_us_ = now.utc.us - now.mono.us;
  out_.emplace_back(AnchorRow{.boot = boot_.id,
                              .host_boot = fixed_ ? host_boot_ : std::string{},
                              .since = since,
                              .mono_zero = zero_,
                              .utc_zero = {zero_.us + anchor_offset_us_}});
}

void BootTimeline::list_sign(BootSign sign, Link link) {
  links_[link].stage = std::max(links_[link].stage, stage_of(sign));
  if (listed(sign)) {
    return;
  }
  signs_ |= 1U << static_cast<unsigned>(sign);
  boot_.signs += boot_.signs.empty() ? "" : " ";
  boot_.signs += word(sign);
}

// What a device tells of one boot comes in order over each link: it does not go back from the firmware to the
// ROM.
bool BootTimeline::may_merge(BootSign sign, Link link, Moment now) const {
  const auto known = links_.find(link);
  const bool goes_back = known != links_.end() && stage_of(sign) < known->second.stage;
  return first_sign_ && !listed(sign) && !goes_back && now.mono - *first_sign_ <= kOneBoot;
}

// The last moment at which a line can have been said before a boot that began at `start`, as clocks drift.
Mono BootTimeline::last_before(Mono start, Moment now) {
  return start + (now.mono - start) * kDriftPerMillion / 1'000'000;
}

void BootTimeline::merge(BootSign sign, Link link, Mono start, Moment now, proto::ResetCause why) {
  list_sign(sign, link);
  // What was said since it began explains the next.
  const Mono said_until = last_before(fixed_ ? std::min(start, apparent_) : start, now);
  const BootCause told =
      boot_.cause == BootCause::unknown ? causes_.cause(start, said_until, now.mono, why) : cause_of(why);
  if (outranks(told, boot_.cause)) {
    boot_.cause = told;
  }
  boot_changed_ = true;
}

void BootTimeline::seen(BootSign sign, Link link, Moment now, proto::ResetCause why) {
  if (has_boot()) {
    ensure(now);
  }
  const bool long_begun = fixed_ && now.mono - apparent_ > kOneBoot;  // told of late: this is the next
  if (may_merge(sign, link, now) && !long_begun) {
    merge(sign, link, now.mono, now, why);
    boot_.start_seen = true;
  } else {
    begin(sign, link, now.mono, now.mono, true, now, why);
  }
  last_confirmed_ = now.mono;
  unconfirmed_.clear();
  for (auto& [number, state] : links_) {
    state.confirmed = true;
  }
}

void BootTimeline::reboot_count(Link link, std::uint32_t count, Moment now) {
  ensure(now);
  if (boot_.reboot_count == count) {
    count_agrees_ = true;
    return;
  }
  if (boot_.reboot_count) {
    const LinkState& state = links_[link];
    begin(BootSign::reboot_count, link, state.confirmed ? now.mono : rows_from(state, {}, now), {}, false,
          now);
  } else if (count_before_ && *count_before_ != count && may_merge(BootSign::reboot_count, link, now)) {
    merge(BootSign::reboot_count, link, now.mono, now);
  }
  boot_.reboot_count = count;
  boot_changed_ = true;
}

void BootTimeline::node_changed(Link link, Moment now) {
  ensure(now);
  const LinkState& state = links_[link];
  begin(BootSign::other_node, link, state.confirmed ? now.mono : rows_from(state, {}, now), {}, false, now);
  count_before_.reset();
}

void BootTimeline::telemetry_uptime(Link link, Duration uptime, Moment now) {
  if (now.mono < distrust_until_) {
    return;
  }
  ensure(now);
  const Duration whole = unwrapped(uptime, now);
  learn(BootSign::telemetry_uptime, link, whole, now);
  newest_uptime_ = whole;
}

void BootTimeline::learn(BootSign sign, Link link, Duration uptime, Moment now) {
  const Mono start = now.mono - uptime;
  if (implies_reboot(uptime, now)) {
    if (may_merge(sign, link, now)) {
      merge(sign, link, start, now);
    } else {
      begin(sign, link, rows_from(links_[link], start, now), start, false, now);
    }
  } else if (!fixed_ && apparent_before_ && start - *apparent_before_ > kLaterStart &&
             may_merge(sign, link, now)) {
    merge(sign, link, start, now);
  }
  if (!fixed_) {
    fix(start, now);
  }
  confirm(link, start, now);
}

bool BootTimeline::implies_reboot(Duration uptime, Moment now) const {
  const Mono start = now.mono - uptime;
  if (fixed_) {
    return start - apparent_ > tolerance(now);
  }
  return joined_ ? younger_than_recorded(uptime, now) : start - zero_ > kLaterStart;
}

// Over a reboot of the host only the record itself and the civil clock can tell; a clock that stands before
// the last row tells nothing, and the device's own count speaks louder.
bool BootTimeline::younger_than_recorded(Duration uptime, Moment now) const {
  if (uptime + kLaterStart < since_) {
    return true;
  }
  if (count_agrees_ || !joined_utc_zero_) {
    return false;
  }
  const Duration expected = now.utc - *joined_utc_zero_;
  return expected >= since_ && expected - uptime > kLaterStart + expected * kDriftPerMillion / 1'000'000;
}

Duration BootTimeline::tolerance(Moment now) const {
  const Duration unheard = now.mono - last_confirmed_.value_or(zero_);
  return kLaterStart + unheard * kDriftPerMillion / 1'000'000;
}

// The first row that belongs to a boot that was not seen to begin: since the connection began, unless an
// uptime has confirmed the old boot meanwhile or the start lies clearly later.
Mono BootTimeline::rows_from(const LinkState& link, std::optional<Mono> start, Moment now) const {
  Mono from = link.began;
  const auto earlier = std::find_if(unconfirmed_.begin(), unconfirmed_.end(),
                                    [&](Mono began) { return start && began >= *start; });
  if (earlier != unconfirmed_.end()) {
    from = std::min(from, *earlier);
  }
  if (last_confirmed_) {
    from = std::max(from, *last_confirmed_ + kSameMoment);
  }
  if (start && (link.confirmed || *start - from > kLaterStart)) {
    from = std::max(from, *start);
  }
  return std::min(from, now.mono);
}

void BootTimeline::begin(BootSign sign, Link link, Mono rows_from, std::optional<Mono> start, bool seen,
                         Moment now, proto::ResetCause why) {
  const BootId old = boot_.id;
  const Mono old_zero = zero_;
  const Duration old_since = since_;
  if (fixed_) {
    apparent_before_ = apparent_;
  }
  if (boot_.reboot_count) {
    count_before_ = boot_.reboot_count;
  }
  const bool witnessed = seen || (start && last_confirmed_ && now.mono - *start <= kWitnessed);
  const Mono begun = start.value_or(rows_from);
  const IdentityId identity = boot_.identity;
  boot_ = BootRow{};
  boot_.id = ids_.next_boot();
  boot_.device = device_;
  boot_.identity = identity;
  boot_.cause = causes_.cause(begun, start ? last_before(*start, now) : now.mono, now.mono, why);
  boot_.start_seen = witnessed;
  signs_ = 0;
  for (auto& [number, state] : links_) {
    state.stage = 0;
  }
  list_sign(sign, link);
  first_sign_ = now.mono;
  rows_since_ = rows_from;
  causes_.begin();

  fixed_ = start.has_value();
  zero_ = std::min(begun, rows_from);
  apparent_ = begun;
  joined_ = false;
  count_agrees_ = false;
  boot_changed_ = false;
  out_.emplace_back(boot_);
  since_ = Duration{0};
  write_anchor(since_, now);
  if (seen) {
    last_t_ = Duration{-1};
  } else {
    move_rows(old, std::max(rows_from - old_zero, old_since), old_zero);
  }
  out_.emplace_back(EventRow{.device = device_,
                             .utc = now.utc,
                             .at = BootTime{boot_.id, Duration{0}},
                             .kind = "boot",
                             .label = std::string{word(boot_.cause)},
                             .note = boot_.signs,
                             .data = {}});
}

void BootTimeline::move_rows(BootId from, Duration since, Mono old_zero) {
  const Duration shift = old_zero - zero_;
  if (last_t_ < since) {
    last_t_ = Duration{-1};
    return;
  }
  out_.emplace_back(MoveRows{.from = from, .since = since, .to = boot_.id, .shift = shift});
  last_t_ += shift;
}

void BootTimeline::fix(Mono start, Moment now) {
  const Mono fixed_zero = std::min(start, zero_);
  const Duration shift = zero_ - fixed_zero;
  zero_ = fixed_zero;
  apparent_ = start;
  fixed_ = true;
  joined_ = false;
  if (shift > Duration{0} && last_t_ >= since_) {
    out_.emplace_back(MoveRows{.from = boot_.id, .since = since_, .to = boot_.id, .shift = shift});
    last_t_ += shift;
  }
  write_anchor(since_, now);
}

void BootTimeline::confirm(Link link, Mono start, Moment now) {
  if (fixed_ && apparent_ - start > tolerance(now)) {
    return;  // a boot does not grow older than it is: a figure that cannot be
  }
  links_[link].confirmed = true;
  last_confirmed_ = now.mono;
  unconfirmed_.clear();
  causes_.outlived(now.mono);
  if (fixed_) {
    apparent_ = std::clamp(apparent_, start - kStaleAnswer, start);
  }
}

BootTime BootTimeline::place(Moment now) {
  ensure(now);
  last_t_ = std::max(now.mono - zero_, last_t_ + kTick);
  return {boot_.id, last_t_};
}

std::optional<Moment> BootTimeline::start() const {
  if (!has_boot() || waits_for_join_) {
    return std::nullopt;
  }
  return Moment{.utc = {zero_.us + anchor_offset_us_}, .mono = zero_};
}

std::optional<BootTime> BootTimeline::place_late(Duration uptime, Mono arrived) const {
  // Read late, it may have come in after this boot began and be of the one before.
  const bool before_its_rows = rows_since_ && arrived < *rows_since_;
  if (!start_known() || before_its_rows || arrived < zero_ || uptime > (arrived - zero_) + kStaleAnswer) {
    return std::nullopt;
  }
  return BootTime{boot_.id, std::min(uptime, arrived - zero_)};
}

std::optional<BootTime> BootTimeline::place_past(Utc when, Moment now) const {
  if (!has_boot() || waits_for_join_) {
    return std::nullopt;
  }
  const Duration t = (now.mono - zero_) - (now.utc - when);
  if (t < since_ || t > now.mono - zero_) {
    return std::nullopt;
  }
  return BootTime{boot_.id, t};
}

void BootTimeline::set_identity(IdentityId identity) {
  if (has_boot() && boot_.identity != identity) {
    boot_.identity = identity;
    boot_changed_ = true;
  }
}

void BootTimeline::set_firmware(std::string_view version, std::string_view pio_env) {
  if (!has_boot()) {
    return;
  }
  if (!version.empty() && boot_.firmware_version != version) {
    boot_.firmware_version = version;
    boot_changed_ = true;
  }
  if (!pio_env.empty() && boot_.pio_env != pio_env) {
    boot_.pio_env = pio_env;
    boot_changed_ = true;
  }
}

void BootTimeline::set_debug_heap(bool prints_heap_lines) {
  if (has_boot() && boot_.debug_heap != prints_heap_lines) {
    boot_.debug_heap = prints_heap_lines;
    boot_changed_ = true;
  }
}

}  // namespace leakhunt::recorder
