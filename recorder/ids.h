// Gives out the ids of rows: rising, shared by all devices of a recorder. Knows nothing of what they are for.
#pragma once

#include <atomic>
#include <cstdint>

#include "recorder/rows.h"

namespace leakhunt::recorder {

// Thread-safe. Goes on above what a store already holds.
class Ids {
 public:
  explicit Ids(const RecordState& state = {})
      : device_(state.max_device), identity_(state.max_identity), boot_(state.max_boot) {}

  [[nodiscard]] DeviceId next_device() { return DeviceId{++device_}; }
  [[nodiscard]] IdentityId next_identity() { return IdentityId{++identity_}; }
  [[nodiscard]] BootId next_boot() { return BootId{++boot_}; }

 private:
  std::atomic<std::int64_t> device_;
  std::atomic<std::int64_t> identity_;
  std::atomic<std::int64_t> boot_;
};

}  // namespace leakhunt::recorder
