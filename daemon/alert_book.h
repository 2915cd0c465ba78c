// Which alerts stand, and when a person must be told. Pure: knows no clock, store or way out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "recorder/rows.h"

namespace leakhunt::daemon {

enum class Severity : std::uint8_t { notice, warning, critical };
[[nodiscard]] std::string_view word(Severity severity);

// Something that calls for an alert. `lasting` causes hold until resolve(); others are events (an alarm
// line), over when acknowledged or not seen again for a day.
struct Cause {
  recorder::DeviceId device;
  std::string name;  // "out_of_memory", "horizon", ...: one alert per device and name
  Severity severity = Severity::warning;
  std::string text;
  bool lasting = false;
};

// What became of an alert. `tell`: a person should hear of it now (opened, worse, over), not just the store.
struct AlertChange {
  enum class What : std::uint8_t { opened, worsened, counted, acknowledged, resolved };
  What what = What::opened;
  recorder::AlertRow row;
  [[nodiscard]] bool tell() const {
    return what == What::opened || what == What::worsened || what == What::resolved;
  }
};

// The same cause on the same device is one alert with a growing count.
class AlertBook {
 public:
  static constexpr Duration kCountInterval{10'000'000};  // a growing count is given out this often at most
  static constexpr Duration kEventOver{24 * 3'600'000'000LL};  // an event not seen for so long is resolved
  static constexpr Duration kSameBurst{600'000'000};  // acknowledged: until so long after the last one

  // `standing`: the alerts of the store that are not resolved; `max_id`: the greatest id in use.
  AlertBook(std::vector<recorder::AlertRow> standing, std::int64_t max_id);

  // Opens, worsens or counts. A count is given out at once or by due().
  [[nodiscard]] std::vector<AlertChange> raise(const Cause& cause, Utc now);
  // The cause holds no more. Nothing when no such alert stands.
  [[nodiscard]] std::vector<AlertChange> resolve(recorder::DeviceId device, std::string_view name, Utc now);
  // Empty `ids`: all that are open. Unknown ids give nothing.
  [[nodiscard]] std::vector<AlertChange> acknowledge(const std::vector<std::int64_t>& ids,
                                                     const std::string& note, Utc now);
  // Counts held back, and events that are over.
  [[nodiscard]] std::vector<AlertChange> due(Utc now);

  // Open ones, acknowledged ones not counted; of one device or of all.
  [[nodiscard]] std::int64_t open() const;
  [[nodiscard]] std::int64_t open(recorder::DeviceId device) const;

 private:
  struct Entry {
    recorder::AlertRow row;
    Utc given_out;
    bool lasting = false;
    bool held_back = false;
  };
  [[nodiscard]] AlertChange open_new(const Cause& cause, Utc now);
  [[nodiscard]] std::vector<AlertChange> see_again(Entry& entry, const Cause& cause, Utc now);
  [[nodiscard]] AlertChange give_out(Entry& entry, AlertChange::What what, Utc now);
  void drop_resolved();

  std::vector<Entry> entries_;  // not resolved
  std::int64_t max_id_;
};

}  // namespace leakhunt::daemon
