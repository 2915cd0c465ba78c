// Boots, anchors and identities as they stand in the store, and where the rows of a boot begin and end.
// Shared by the opening of a store and the reader.
#pragma once

#include <optional>

#include "base/time.h"
#include "recorder/rows.h"
#include "storage/sqlite.h"

namespace leakhunt::storage {

struct Extent {
  Duration first{};
  Duration last{};
};

class ExtentQuery {
 public:
  explicit ExtentQuery(const Connection& db);
  // Unset when the boot has no rows.
  [[nodiscard]] std::optional<Extent> of(const recorder::BootRow& boot);

 private:
  Statement statement_;
};

// The columns of boot and anchor in this order, for boot_from() and anchor_from().
inline constexpr const char* kBootColumns =
    "id, device, identity, cause, signs, start_seen, reboot_count, firmware_version, pio_env, debug_heap";
inline constexpr const char* kAnchorColumns = "boot, host_boot, since, mono_zero_us, utc_zero_us";
inline constexpr const char* kIdentityColumns =
    "id, device, node, long_name, short_name, hw_model, first_seen_us";
[[nodiscard]] recorder::BootRow boot_from(const Statement& row);
[[nodiscard]] recorder::AnchorRow anchor_from(const Statement& row);
[[nodiscard]] recorder::IdentityRow identity_from(const Statement& row);

}  // namespace leakhunt::storage
