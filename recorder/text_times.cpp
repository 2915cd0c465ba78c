// Boots first, then a steady time for every item.
#include "recorder/text_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

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

// Fills the gaps of `values` [from, to): between neighbours evenly; equal neighbours of whole seconds are
// spread over their second. Nothing is done without any known value.
void fill(std::vector<double>& values, std::size_t from, std::size_t to) {
  std::size_t run = from;
  while (run < to && !known(values[run])) {
    ++run;
  }
  if (run == to) {
    return;
  }
  std::fill(values.begin() + static_cast<std::ptrdiff_t>(from),
            values.begin() + static_cast<std::ptrdiff_t>(run), values[run]);
  while (run < to) {
    std::size_t next = run + 1;
    while (next < to && (!known(values[next]) || values[next] <= values[run])) {
      ++next;
    }
    const double begin = values[run];
    const bool whole = begin == std::floor(begin);
    const double room = next < to ? values[next] - begin : 1.0;
    std::size_t last_told = next - 1;
    while (!known(values[last_told])) {
      --last_told;
    }
    // Lines that tell this same second share it; those behind them that tell nothing share what is left.
    const double second = whole ? std::min(1.0, room) : 0.0;
    const auto told = static_cast<double>(last_told - run + 1);
    for (std::size_t i = run; i <= last_told; ++i) {
      values[i] = begin + second * static_cast<double>(i - run) / told;
    }
    const double left = begin + room - values[last_told];
    for (std::size_t i = last_told + 1; i < next; ++i) {
      values[i] = values[last_told] +
                  left * static_cast<double>(i - last_told) / static_cast<double>(next - last_told);
    }
    run = next;
  }
}

// Dates or a running clock as one steady line: midnight adds a day, a step back is undone.
std::vector<double> host_times(const std::vector<TextItem>& items, bool dated, PlacedTimes& placed) {
  std::vector<double> times(items.size(), kNoFigure);
  double offset = 0;
  double last = kNoFigure;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double told = dated ? items[i].utc_s : items[i].clock_s;
    if (!known(told)) {
      continue;
    }
    if (known(last) && told + offset < last - (dated ? 0.0 : kDay_s / 4)) {
      if (dated) {
        offset = last + 1 - told;
        ++placed.clock_steps;
      } else {
        offset += kDay_s * std::ceil((last - told - offset) / kDay_s);
      }
    } else if (known(last) && told + offset < last) {
      placed.clock_steps += told + offset < last - kFall_s ? 1U : 0U;
      offset = last - told;
    }
    last = told + offset;
    times[i] = last;
  }
  return times;
}

double share(const std::vector<TextItem>& items, bool (*has)(const TextItem&)) {
  std::size_t readings = 0;
  std::size_t with = 0;
  const bool any_reading =
      std::any_of(items.begin(), items.end(), [](const TextItem& i) { return i.has_reading; });
  for (const auto& item : items) {
    if (item.has_reading || !any_reading) {
      ++readings;
      with += has(item) ? 1U : 0U;
    }
  }
  return readings == 0 ? 0 : static_cast<double>(with) / static_cast<double>(readings);
}

void place_uptimes(std::vector<TextItem>& items) {
  std::vector<double> uptimes(items.size());
  std::transform(items.begin(), items.end(), uptimes.begin(), [](const TextItem& i) { return i.uptime_s; });
  for (std::size_t from = 0; from < items.size();) {
    std::size_t to = from;
    while (to < items.size() && items[to].boot == items[from].boot) {
      ++to;
    }
    fill(uptimes, from, to);
    from = to;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].uptime_s = uptimes[i];
  }
}

// An uptime told in the text may count in any unit: one that runs at another rate than the host's clock is no
// seconds.
bool uptime_contradicts_host(const std::vector<TextItem>& items) {
  const TextItem* first = nullptr;
  const TextItem* last = nullptr;
  for (const auto& item : items) {
    const bool both = known(item.uptime_s) && (known(item.utc_s) || known(item.clock_s));
    if (!both || (first != nullptr && item.boot != first->boot)) {
      continue;
    }
    first = first == nullptr ? &item : first;
    last = &item;
  }
  if (first == nullptr) {
    return false;
  }
  const bool dated = known(first->utc_s) && known(last->utc_s);
  const double host = dated ? last->utc_s - first->utc_s : last->clock_s - first->clock_s;
  const double device = last->uptime_s - first->uptime_s;
  return host > 60 && (device > 2 * host || device < 0.5 * host);
}

// One line of time through all boots, each after the last.
void times_from_uptimes(std::vector<TextItem>& items) {
  double offset = 0;
  double last = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool new_boot = i > 0 && items[i].boot != items[i - 1].boot;
    const double uptime = known(items[i].uptime_s) ? items[i].uptime_s : last - offset;
    if (new_boot) {
      offset = last + 1 - uptime;
    }
    items[i].t_s = std::max(last, uptime + offset);
    last = items[i].t_s;
  }
}

void times_by_count(std::vector<TextItem>& items) {
  double t = 0;
  bool first = true;
  for (auto& item : items) {
    if (item.has_reading && !first) {
      t += kAssumedStep_s;
    }
    first = first && !item.has_reading;
    item.t_s = t;
  }
}

}  // namespace

PlacedTimes place(std::vector<TextItem>& items) {
  PlacedTimes placed;
  BootFinder(items, placed).run();
  if (uptime_contradicts_host(items)) {
    for (auto& item : items) {
      item.uptime_s = kNoFigure;
    }
  }
  const double dated = share(items, [](const TextItem& i) { return known(i.utc_s); });
  const double clocked = share(items, [](const TextItem& i) { return known(i.clock_s); });
  const double aged = share(items, [](const TextItem& i) { return known(i.uptime_s); });
  const bool by_host = std::max(dated, clocked) > 0 && std::max(dated, clocked) >= std::min(aged, 0.5);
  if (aged >= 0.5 || (aged > 0 && !by_host)) {
    place_uptimes(items);
  } else {
    for (auto& item : items) {
      item.uptime_s = kNoFigure;
    }
  }
  if (by_host) {
    auto times = host_times(items, dated >= clocked, placed);
    fill(times, 0, times.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i].t_s = times[i];
    }
    placed.base = dated >= clocked ? TimeBase::utc : TimeBase::clock;
  } else if (aged > 0) {
    times_from_uptimes(items);
    placed.base = TimeBase::uptime;
  } else {
    times_by_count(items);
  }
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    placed.boots[item->boot].began_s = item->t_s;
  }
  if (!items.empty() && placed.boots.back().signs == "crash") {
    placed.boots.back().began_s = items.back().t_s;
  }
  return placed;
}

}  // namespace leakhunt::recorder
