// Signs of boots in the order of the file, with the causes told before them.
#include "recorder/text_boots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

namespace leakhunt::recorder {
namespace {

constexpr double kDay_s = 86400;
constexpr double kWrap_s = 4294967.296;  // 2^32 ms
constexpr double kFall_s = 5;            // an uptime may jitter by less
constexpr double kTelemetryFall_s = 90;
constexpr double kSameBoot_s = 60;           // signs of different kinds within it are one boot
constexpr std::size_t kSameBootLines = 200;  // the same without times
constexpr std::size_t kHintLines = 60;       // so far back a line may tell why the device restarted
constexpr std::size_t kCrashTail = 60;       // so many lines may follow a crash at the end of a file
constexpr double kClockStart_s = 300;        // a device's clock in its first minutes, before it is set
constexpr std::size_t kNever = static_cast<std::size_t>(-1);

// Causes of a restart, the first to count first where several apply.
constexpr std::array<std::string_view, 5> kCauses = {"out_of_memory", "watchdog", "panic", "planned",
                                                     "power"};

bool known(double value) {
  return !std::isnan(value);
}

UptimeOf main_uptime(const std::vector<TextItem>& items) {
  std::array<std::size_t, static_cast<std::size_t>(UptimeOf::count)> votes{};
  for (const auto& item : items) {
    if (known(item.told_uptime_s)) {
      votes[static_cast<std::size_t>(item.uptime_of)] += item.has_reading ? 100U : 1U;
    }
  }
  const auto best = std::max_element(votes.begin(), votes.end());
  return *best == 0 ? UptimeOf::none : static_cast<UptimeOf>(best - votes.begin());
}

// Finds the boots and unwraps the uptime of the one clock that counts.
class BootFinder {
 public:
  BootFinder(std::vector<TextItem>& items, PlacedTimes& placed)
      : items_(items), placed_(placed), uptime_of_(main_uptime(items)) {}

  void run() {
    placed_.boots.push_back({});
    for (at_ = 0; at_ < items_.size(); ++at_) {
      auto& item = items_[at_];
      follow_uptime(item);
      follow_clock(item);
      if (!item.boot_sign.empty()) {
        sign(item.boot_sign);
        own_cause(item.boot_cause);
      }
      remember_causes(item);
      item.boot = placed_.boots.size() - 1;
      something_seen_ =
          something_seen_ || known(item.uptime_s) || item.has_reading || !item.crash_cause.empty();
    }
    end_in_crash();
  }

 private:
  void follow_uptime(TextItem& item) {
    if (item.uptime_of != uptime_of_ || !known(item.told_uptime_s)) {
      return;
    }
    const double told = item.told_uptime_s + wrapped_s_;
    // The uptime in an answer may be a minute old.
    const double fall_s = uptime_of_ == UptimeOf::telemetry ? kTelemetryFall_s : kFall_s;
    if (known(last_uptime_s_) && told < last_uptime_s_ - fall_s) {
      const bool wrap = last_uptime_s_ - wrapped_s_ > 0.99 * kWrap_s && item.told_uptime_s < 0.01 * kWrap_s;
      if (wrap) {
        wrapped_s_ += kWrap_s;
        ++placed_.wraps;
      } else {
        sign("uptime");
      }
    }
    item.uptime_s = item.told_uptime_s + wrapped_s_;
    last_uptime_s_ = item.uptime_s;
  }

  void follow_clock(TextItem& item) {
    const double now = known(item.utc_s) ? std::fmod(item.utc_s, kDay_s) : item.clock_s;
    if (!known(now)) {
      return;
    }
    const bool dated = known(item.utc_s) && known(last_utc_s_);
    const bool back = dated ? item.utc_s < last_utc_s_ - kFall_s : now < last_clock_s_ - kFall_s;
    // Near midnight a clock without a date simply goes on.
    const bool rollover = !dated && last_clock_s_ > kDay_s - 3600;
    if (back && !rollover && now < kClockStart_s) {
      sign("clock");
      item.utc_s = item.clock_s = kNoFigure;
      return;
    }
    last_clock_s_ = now;
    last_utc_s_ = known(item.utc_s) ? item.utc_s : last_utc_s_;
  }

  void sign(std::string_view word) {
    const std::string kind(word);
    auto& boot = placed_.boots.back();
    const bool listed = (" " + boot.signs + " ").find(" " + kind + " ") != std::string::npos;
    const bool first_of_file = !something_seen_ && placed_.boots.size() == 1 && boot.signs.empty();
    // Other firmware prints several lines of one kind while it boots.
    if (kind == kWeakSign && !boot.signs.empty() && close_to_first_sign()) {
      return;
    }
    if (first_of_file || (!boot.signs.empty() && !listed && close_to_first_sign())) {
      boot.signs += boot.signs.empty() ? kind : " " + kind;
      first_sign_at_ = first_of_file ? at_ : first_sign_at_;
      return;
    }
    if (boot.signs.empty() && kind != "uptime" && kind != "clock" && still_booting(kind)) {
      boot.signs = kind;
      first_sign_at_ = at_;
      return;
    }
    begin_boot(kind);
  }

  // What the device says of its own restart; the lines before may know better.
  void own_cause(std::string_view cause) {
    auto& boot = placed_.boots.back();
    const auto rank = [](std::string_view one) { return std::find(kCauses.begin(), kCauses.end(), one); };
    if (rank(cause) < rank(boot.cause)) {
      boot.cause = cause;
    }
  }

  // A few lines may come before the banner: the boot under way goes on if its uptime does. The chip's own
  // line comes before all others.
  [[nodiscard]] bool still_booting(std::string_view kind) const {
    if (kind == "rom_reset" || !known(last_uptime_s_) || last_uptime_s_ > kSameBoot_s ||
        crash_at_ != kNever) {
      return false;
    }
    for (std::size_t i = at_; i < std::min(items_.size(), at_ + kSameBootLines); ++i) {
      if (items_[i].uptime_of == uptime_of_ && known(items_[i].told_uptime_s)) {
        return items_[i].told_uptime_s >= last_uptime_s_ - kFall_s;
      }
    }
    return false;
  }

  [[nodiscard]] bool close_to_first_sign() const {
    return at_ - first_sign_at_ < kSameBootLines && !(known(last_uptime_s_) && last_uptime_s_ > kSameBoot_s);
  }

  void begin_boot(const std::string& kind) {
    placed_.boots.push_back({.cause = cause_now(), .signs = kind});
    first_sign_at_ = at_;
    last_uptime_s_ = kNoFigure;
    wrapped_s_ = 0;
    crash_at_ = kNever;
    told_at_.fill(kNever);
  }

  // Of all causes told of shortly before, the weightiest: firmware announces the restart after a crash as
  // well.
  [[nodiscard]] std::string cause_now() const {
    for (std::size_t i = 0; i < kCauses.size(); ++i) {
      if (told_at_[i] != kNever && at_ - told_at_[i] < kHintLines) {
        return std::string(kCauses[i]);
      }
    }
    return {};
  }

  void remember_causes(const TextItem& item) {
    for (std::size_t i = 0; i < kCauses.size(); ++i) {
      if (kCauses[i] == item.cause_hint || kCauses[i] == item.crash_cause) {
        told_at_[i] = at_;
      }
    }
    if (!item.crash_cause.empty()) {
      crash_at_ = at_;
    }
  }

  // A file that ends in a crash: the restart is certain, though nothing of it was recorded. Where the crash
  // is that of a failed allocation, the end of memory is what the file tells, and no restart is in it.
  void end_in_crash() {
    if (crash_at_ == kNever || items_.size() - crash_at_ > kCrashTail ||
        items_[crash_at_].cause_hint == "out_of_memory") {
      return;
    }
    for (std::size_t i = crash_at_ + 1; i < items_.size(); ++i) {
      if (items_[i].uptime_of == uptime_of_ && known(items_[i].told_uptime_s)) {
        return;
      }
    }
    at_ = items_.size();
    placed_.boots.push_back({.cause = cause_now(), .signs = "crash"});
  }

  static constexpr std::array<std::size_t, kCauses.size()> never() {
    std::array<std::size_t, kCauses.size()> all{};
    all.fill(kNever);
    return all;
  }

  std::vector<TextItem>& items_;
  PlacedTimes& placed_;
  UptimeOf uptime_of_;
  std::size_t at_ = 0;
  std::size_t first_sign_at_ = 0;
  bool something_seen_ = false;
  double last_uptime_s_ = kNoFigure;
  double wrapped_s_ = 0;
  double last_clock_s_ = 0;
  double last_utc_s_ = kNoFigure;
  std::size_t crash_at_ = kNever;
  std::array<std::size_t, kCauses.size()> told_at_ = never();
};

}  // namespace

void find_boots(std::vector<TextItem>& items, PlacedTimes& placed) {
  BootFinder(items, placed).run();
}

}  // namespace leakhunt::recorder
