// Which board stands behind a device's name: node numbers, names, firmware. Knows nothing of boots.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/records.h"
#include "recorder/ids.h"
#include "recorder/rows.h"

namespace leakhunt::recorder {

// `!0badcafe`, as Meshtastic writes node numbers.
[[nodiscard]] std::string node_word(std::uint32_t node);

class DeviceIdentity {
 public:
  DeviceIdentity(DeviceId device, const DeviceState* restored);

  enum class Seen : std::uint8_t { same, first, other };
  // The board named its node number. `other`: it is not the one that stood there before.
  Seen node(std::uint32_t node, Ids& ids, Utc now, std::vector<Row>& out);
  // Boards that another device was, which is now a part of this one; those known already stay as they are.
  void adopt(const std::vector<IdentityRow>& others);
  // Names and hardware of the own node, written when they change; other nodes' are ignored.
  void names(const proto::NodeIdentity& info, std::vector<Row>& out);
  void hardware(std::uint32_t hw_model, std::vector<Row>& out);

  // Compares with the firmware seen before on this device; the note of an event when it is another one.
  [[nodiscard]] std::optional<std::string> firmware(std::string_view version, std::string_view pio_env);

  [[nodiscard]] bool known() const { return current_.has_value(); }
  [[nodiscard]] bool is_own(std::uint32_t node) const { return known() && row().node == node; }
  [[nodiscard]] IdentityId id() const { return known() ? row().id : kUnknownIdentity; }
  [[nodiscard]] const IdentityRow& row() const { return all_[*current_]; }

 private:
  DeviceId device_;
  std::vector<IdentityRow> all_;
  std::optional<std::size_t> current_;
  std::string firmware_version_;
  std::string pio_env_;
};

}  // namespace leakhunt::recorder
