// What the uptimes of text lines tell of boots: exact, but of 32 bits of milliseconds. Part of BootTimeline.
#include "recorder/boot_limits.h"
#include "recorder/boot_timeline.h"

namespace leakhunt::recorder {

using namespace boot_limits;

bool BootTimeline::went_back(const LinkState& link, Duration uptime, Moment now) const {
  if (!link.text_uptime || *link.text_uptime - uptime <= kTextBack) {
    return false;
  }
  const Duration expected = *link.text_uptime + (now.mono - link.text_at);
  const Duration off = expected - kTextUptimeWrap - uptime;
  return off < -kLaterStart || off > kLaterStart;
}

// The line before was already one of this boot: what follows with a smaller uptime is the next, however near.
bool BootTimeline::heard_in_this_boot(const LinkState& link) const {
  return link.text_uptime && first_sign_ && link.text_at - *first_sign_ > kTextBack &&
         (link.text_at - *link.text_uptime) - *first_sign_ >= -kTextBack;
}

void BootTimeline::text_uptime(Link link, Duration uptime, Moment now) {
  if (uptime < Duration{0} || uptime > kTextUptimeWrap) {
    return;  // no firmware prints it
  }
  ensure(now);
  LinkState& state = links_[link];
  const bool back = went_back(state, uptime, now);
  const bool in_this_boot = heard_in_this_boot(state);
  const Mono before_at = state.text_at;
  state.text_uptime = uptime;
  state.text_at = now.mono;
  if (back) {
    text_went_back(link, uptime, in_this_boot, now);
    return;
  }
  if (now.mono < distrust_until_) {
    return;
  }
  note_young_boot(link, uptime, now);
  if (uptime <= Duration{0}) {
    return;
  }
  const Duration whole = unwrapped(uptime, now);
  // A reboot after the line before need not put the uptime back, if the device was silent for long.
  const bool could_be_another = now.mono - whole > before_at;
  if (!fixed_ || !state.text_heard || could_be_another) {
    learn(BootSign::text_uptime, link, whole, now);
  } else {
    confirm(link, now.mono - whole, now);
  }
  state.text_heard = true;
  newest_uptime_ = whole;
}

// A device first met while it boots: its banner may come after its first lines, but not the ROM's.
void BootTimeline::note_young_boot(Link link, Duration uptime, Moment now) {
  const bool just_met = !first_sign_ && !fixed_ && !joined_ && now.mono - zero_ <= kWitnessed;
  if (just_met && uptime <= kWitnessed) {
    first_sign_ = now.mono - uptime;
    links_[link].stage = kFirmwareStage;
  }
}

void BootTimeline::text_went_back(Link link, Duration uptime, bool in_this_boot, Moment now) {
  LinkState& state = links_[link];
  const Mono start = now.mono - uptime;
  const bool told = first_sign_ && !in_this_boot;
  if (told && may_merge(BootSign::text_uptime, link, now)) {
    merge(BootSign::text_uptime, link, start, now);
    if (!fixed_ && uptime > Duration{0}) {
      fix(start, now);
    }
  } else if (told && uptime > Duration{0} && !implies_reboot(uptime, now)) {
    learn(BootSign::text_uptime, link, uptime, now);
  } else {
    begin(BootSign::text_uptime, link, rows_from(state, start, now), start, false, now);
  }
  confirm(link, start, now);
  state.text_heard = true;
  newest_uptime_ = uptime;
}

Duration BootTimeline::unwrapped(Duration uptime, Moment now) const {
  if (!fixed_) {
    return uptime;
  }
  const Duration behind = (now.mono - apparent_) - uptime;
  const std::int64_t wraps = (behind + kTextUptimeWrap / 2) / kTextUptimeWrap;
  const Duration off = behind - wraps * kTextUptimeWrap;
  const bool fits = off >= -tolerance(now) && off <= tolerance(now);
  return wraps >= 1 && fits ? uptime + wraps * kTextUptimeWrap : uptime;
}

}  // namespace leakhunt::recorder
