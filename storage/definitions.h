// What stands in a store before other rows may: devices, identities, ports, and each device's last boot, kept
// to begin a new file with. Private to the writer; knows no SQL.
#pragma once

#include <map>
#include <vector>

#include "recorder/rows.h"

namespace leakhunt::storage {

class Definitions {
 public:
  void load(const recorder::RecordState& state);
  // A row that was written.
  void note(const recorder::Row& row);
  // In the order in which they can be written.
  [[nodiscard]] std::vector<recorder::Row> rows() const;

 private:
  struct Boot {
    recorder::BootRow row;
    std::vector<recorder::AnchorRow> anchors;
  };

  void note(const recorder::BootRow& row);
  void note(const recorder::AnchorRow& row);
  void note(const recorder::RenameDevice& row);
  void note(const recorder::MergeDevices& row);
  void forget(recorder::DeviceId device);
  // The identity of `into` that takes the place of one of `merged`; the same one where that moves over.
  [[nodiscard]] recorder::IdentityId take_over(recorder::IdentityId identity, recorder::DeviceId into);

  std::map<recorder::DeviceId, recorder::DeviceRow> devices_;
  std::map<recorder::IdentityId, recorder::IdentityRow> identities_;
  std::map<recorder::DeviceId, recorder::PortRow> ports_;
  std::map<recorder::DeviceId, Boot> boots_;  // the last of each device
};

}  // namespace leakhunt::storage
