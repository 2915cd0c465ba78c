// Which node stands behind which device's name, over all devices of this recorder: one node is recorded under
// one name alone. Knows no link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recorder/rows.h"

namespace leakhunt::daemon {

class NodeBook {
 public:
  // `names`: the configured devices in their order. `restored`: what the store knows.
  NodeBook(std::vector<std::string> names, const recorder::RecordState& restored);

  struct Answer {
    bool granted = true;
    std::string why;                   // why not, naming both devices
    std::optional<std::size_t> owner;  // of a refusal: who has it
    std::optional<std::size_t> loser;  // had it only since this start, and stands behind this device
    std::string formerly;              // the node was recorded under this name, which is configured no more
  };
  // The board behind device `index` says it is `node`. A node that was recorded before stays with its name;
  // of two names it is new to, the one that is configured first has it.
  [[nodiscard]] Answer claim(std::size_t index, std::uint32_t node);

  void rename(std::size_t index, std::string name) { names_[index] = std::move(name); }
  // A device that is configured no more is in the store no more: merged into one that is, or forgotten.
  void gone(recorder::DeviceId device, std::optional<std::size_t> merged_into);

 private:
  struct Entry {
    std::uint32_t node = 0;
    std::size_t owner = 0;
    bool recorded_before = false;
  };
  struct Former {
    recorder::DeviceId device{};
    std::uint32_t node = 0;
    std::string name;
  };

  [[nodiscard]] std::string refusal(std::size_t index, const Entry& entry) const;

  std::vector<std::string> names_;
  std::vector<Entry> entries_;
  std::vector<Former> former_;
};

}  // namespace leakhunt::daemon
