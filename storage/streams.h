// How many rows of each kind a device has and when the newest was, kept beside the rows so that nobody has to
// count them. Private to the writer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "recorder/rows.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

// Kinds of stream, as they stand in the table `stream`; own telemetry is "telemetry_" + the variant's word.
namespace stream_kind {
inline constexpr const char* logs = "logs";
inline constexpr const char* packets = "packets";
inline constexpr const char* events = "events";
inline constexpr const char* heap_events = "heap_events";
inline constexpr const char* call_sites = "call_sites";
inline constexpr const char* mem_audits = "mem_audits";
inline constexpr const char* samples_reported = "samples_reported";
inline constexpr const char* samples_from_lines = "samples_from_lines";
// Older than the raw samples that are kept, and so refused.
inline constexpr const char* samples_too_late = "samples_too_late";
inline constexpr const char* local_without_heap = "local_without_heap";
inline constexpr const char* other_nodes = "other_nodes";
}  // namespace stream_kind

class Streams {
 public:
  explicit Streams(Connection& db);

  void count(recorder::DeviceId device, const char* kind, recorder::BootTime at);
  void count(recorder::DeviceId device, const char* kind, Utc at);
  // The anchors of the boot changed.
  void forget_anchors() { anchors_.clear(); }
  // Adds what was counted to the table and starts from nothing.
  void flush();
  void forget();

 private:
  struct Addition {
    std::int64_t rows = 0;
    std::optional<recorder::BootTime> newest;
    std::optional<Utc> newest_utc;
  };
  using Key = std::pair<recorder::DeviceId, const char*>;

  Addition& addition(recorder::DeviceId device, const char* kind);
  [[nodiscard]] std::optional<Utc> utc(recorder::BootTime at);

  std::map<Key, Addition> additions_;
  std::map<recorder::BootId, std::vector<std::pair<Duration, Utc>>> anchors_;  // since -> utc of t = 0
  Statement add_, find_anchors_;
};

}  // namespace leakhunt::storage
