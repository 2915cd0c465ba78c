// Makes sample rows of heap readings and keeps what `status` wants of them. Knows nothing of where they
// stand.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "recorder/device_live.h"
#include "recorder/rows.h"

namespace leakhunt::recorder {

// What every sample of one record has in common.
struct SampleContext {
  DeviceId device{};
  IdentityId identity = kUnknownIdentity;
  BootTime at;
  std::optional<Moment> live;  // when it came; unset for a late one
};

class HeapSeries {
 public:
  // Values below 0 or at 4294967295 ("no figures on this platform") are no samples. A figure clearly above
  // the known total cannot be: kept, but marked.
  void add(const SampleContext& context, HeapField field, Source source, std::int64_t value_bytes,
           std::vector<Row>& out);
  void set_total(std::int64_t total_bytes);

  [[nodiscard]] const std::optional<HeapSampleLive>& newest() const { return newest_; }
  [[nodiscard]] const std::optional<std::int64_t>& total_bytes() const { return total_; }
  [[nodiscard]] std::map<Source, Duration> cadence() const;

 private:
  struct Intervals {
    std::optional<Mono> last;
    std::array<std::int64_t, 32> us{};
    std::size_t count = 0;
  };
  void note_interval(Source source, Mono when);

  std::optional<HeapSampleLive> newest_;
  std::optional<std::int64_t> total_;
  std::map<Source, Intervals> intervals_;
};

}  // namespace leakhunt::recorder
