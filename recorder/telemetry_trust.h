// Tells live telemetry from the pair that may have waited in the device for a client to come. One per link.
// Knows nothing of boots.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/time.h"
#include "proto/records.h"

namespace leakhunt::recorder {

enum class Freshness : std::uint8_t {
  asked,     // answers a request of ours
  periodic,  // made when it came
  stale,     // may be minutes or days old: the unsolicited pair that a device without a client keeps
};

// Without a client the first device_metrics and local_stats wait in the device and come right after
// config_complete (device-facts.md). They are the only ones that do: whatever comes after an answer or after
// a second message of one variant is live.
class TelemetryTrust {
 public:
  // A connection or handshake begins: a pair may be waiting again.
  void restart();
  void config_complete() { complete_ = true; }
  void asked(std::uint32_t request_id, Moment now);

  [[nodiscard]] Freshness classify(const proto::Telemetry& telemetry, Moment now);

  [[nodiscard]] std::int64_t polls_asked() const { return asked_count_; }
  [[nodiscard]] std::int64_t polls_answered() const { return answered_count_; }
  // Requests without an answer since the last answer; the newest one does not count yet.
  [[nodiscard]] std::int64_t unanswered_in_a_row() const;

 private:
  struct First {
    std::optional<std::uint32_t> uptime_s;
    Moment when;
  };
  [[nodiscard]] bool answers(std::uint32_t request_id);

  bool complete_ = false;
  bool live_ = false;
  std::optional<First> device_;
  std::optional<First> local_;
  std::deque<std::uint32_t> open_requests_;  // newest last, at most 16
  std::int64_t asked_count_ = 0;
  std::int64_t answered_count_ = 0;
  std::int64_t since_answer_ = 0;
};

}  // namespace leakhunt::recorder
