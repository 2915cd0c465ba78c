// The boots of one device and its time within them: which boot a row belongs to and where it stands there.
// The rules: docs/boots-and-time.md. Knows nothing of records, lines or links beyond their number.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "recorder/boot_cause.h"
#include "recorder/ids.h"
#include "recorder/rows.h"

namespace leakhunt::recorder {

// What told of a boot. One boot gives each kind at most once.
enum class BootSign : std::uint8_t {
  rebooted,          // FromRadio.rebooted
  reboot_count,      // my_info's count changed
  rom_banner,        // the boot ROM's own banner
  rom_reset,         // a line of the boot ROM
  banner,            // the firmware's banner
  wake_cause,        // the firmware's "Booted, wake cause" line
  text_uptime,       // the uptime of log lines went back within one link
  telemetry_uptime,  // an uptime that implies a later start
  other_node,        // another node number: another board, or a wiped one
};
[[nodiscard]] std::string_view word(BootSign sign);

// Text uptimes are millis() / 1000 of 32 bits: they wrap after this (firmware RedirectablePrint.cpp).
inline constexpr Duration kTextUptimeWrap{4294967296000};

class BootTimeline {
 public:
  using Link = std::uint8_t;

  // Rows go to `out`, which must outlive this. `restored` may be null.
  BootTimeline(DeviceId device, Ids& ids, std::string host_boot, const DeviceState* restored,
               std::vector<Row>& out);

  // Call with every input before anything else: a stepped clock gives an event and a new anchor.
  void observe(Moment now);
  // Call after every input: writes the boot again if something of it changed.
  void flush();

  // Rows of the link are provisional from here until a trustworthy uptime comes.
  void connection_began(Link link, Moment now);
  // Uptimes are not believed for 5 s: they may have waited in a buffer while the host slept.
  void host_slept(Moment now);

  // Signs that are seen as the boot happens; `why` explains this boot and no other.
  void seen(BootSign sign, Link link, Moment now, proto::ResetCause why = proto::ResetCause::unknown);
  // my_info's count; a sign when it differs from the one this boot had before.
  void reboot_count(Link link, std::uint32_t count, Moment now);
  void node_changed(Link link, Moment now);
  // The uptime of a line of text, as printed; exact at its arrival.
  void text_uptime(Link link, Duration uptime, Moment now);
  // A trustworthy uptime of telemetry (not 0, not of a stale pair); up to 60 s old.
  void telemetry_uptime(Link link, Duration uptime, Moment now);

  // Begins the first boot when none is known.
  void ensure(Moment now);
  // Where a row that came at `now` stands; later with each call within one boot.
  [[nodiscard]] BootTime place(Moment now);
  // Where a row stands that was made at `uptime` and came at `arrived`: on the current boot, or nowhere.
  [[nodiscard]] std::optional<BootTime> place_late(Duration uptime, Mono arrived) const;
  // Where a moment of the past stands, by the host's civil time, if it lies within the current boot.
  [[nodiscard]] std::optional<BootTime> place_past(Utc when, Moment now) const;

  void set_identity(IdentityId identity);
  void set_firmware(std::string_view version, std::string_view pio_env);  // empty: not told
  void set_debug_heap(bool prints_heap_lines);
  [[nodiscard]] BootCauses& causes() { return causes_; }

  [[nodiscard]] bool has_boot() const { return boot_.id != kNoBoot; }
  [[nodiscard]] const BootRow& boot() const { return boot_; }
  [[nodiscard]] bool start_known() const { return has_boot() && fixed_; }
  // Its start by the host's clocks; provisional while not known. Nothing before it has a place there.
  [[nodiscard]] std::optional<Moment> start() const;
  // When a trustworthy uptime, or a seen start, last told which boot this is; in this run of the recorder.
  [[nodiscard]] std::optional<Mono> last_confirmed() const { return last_confirmed_; }
  [[nodiscard]] std::optional<Duration> newest_uptime() const { return newest_uptime_; }

 private:
  struct LinkState {
    Mono began;
    bool confirmed = false;
    bool text_heard = false;  // since it began
    std::optional<Duration> text_uptime;
    Mono text_at;
    int stage = 0;  // how far the current boot has come by what it told
  };

  void restore(const DeviceState& state);
  void join_host_boot(Moment now);
  void begin(BootSign sign, Link link, Mono rows_from, std::optional<Mono> start, bool seen, Moment now,
             proto::ResetCause why = proto::ResetCause::unknown);
  void move_rows(BootId from, Duration since, Mono old_zero);
  void merge(BootSign sign, Link link, Mono start, Moment now,
             proto::ResetCause why = proto::ResetCause::unknown);
  [[nodiscard]] bool may_merge(BootSign sign, Link link, Moment now) const;
  [[nodiscard]] static Mono last_before(Mono start, Moment now);
  void learn(BootSign sign, Link link, Duration uptime, Moment now);
  void fix(Mono start, Moment now);
  void confirm(Link link, Mono start, Moment now);
  [[nodiscard]] bool implies_reboot(Duration uptime, Moment now) const;
  [[nodiscard]] bool younger_than_recorded(Duration uptime, Moment now) const;
  [[nodiscard]] Mono rows_from(const LinkState& link, std::optional<Mono> start, Moment now) const;
  [[nodiscard]] bool went_back(const LinkState& link, Duration uptime, Moment now) const;
  [[nodiscard]] bool heard_in_this_boot(const LinkState& link) const;
  void note_young_boot(Link link, Duration uptime, Moment now);
  void text_went_back(Link link, Duration uptime, bool in_this_boot, Moment now);
  [[nodiscard]] Duration unwrapped(Duration uptime, Moment now) const;
  [[nodiscard]] Duration tolerance(Moment now) const;
  void write_anchor(Duration since, Moment now);
  void list_sign(BootSign sign, Link link);
  [[nodiscard]] bool listed(BootSign sign) const {
    return (signs_ & (1U << static_cast<unsigned>(sign))) != 0;
  }

  DeviceId device_;
  Ids& ids_;
  std::string host_boot_;
  std::vector<Row>& out_;
  BootCauses causes_;
  std::map<Link, LinkState> links_;

  BootRow boot_{};
  bool boot_changed_ = false;
  unsigned signs_ = 0;              // bits of BootSign
  std::optional<Mono> rows_since_;  // what came before is of the boot before
  std::optional<Mono> first_sign_;  // when the first of them came, or a boot met at its start began
  std::optional<std::uint32_t> count_before_;
  bool count_agrees_ = false;  // my_info named the same count as before the recorder restarted

  // The current anchor: t = mono - zero_ for rows from since_ on.
  Mono zero_;
  Duration since_{};
  Duration last_t_{-1};
  bool fixed_ = false;
  std::int64_t anchor_offset_us_ = 0;  // utc - mono, as the current anchor has it
  std::optional<std::int64_t> offset_us_;

  // The start as the device's clock tells it, following its drift; and that of the boot before.
  Mono apparent_;
  std::optional<Mono> apparent_before_;
  std::optional<Mono> last_confirmed_;
  std::optional<Duration> newest_uptime_;
  Mono distrust_until_;
  std::vector<Mono> unconfirmed_;  // where connections began since the last confirmation; at most 64

  // A boot of an earlier boot of the host: how far it reached, and its civil start.
  bool waits_for_join_ = false;
  bool joined_ = false;
  std::optional<Utc> joined_utc_zero_;
};

}  // namespace leakhunt::recorder
