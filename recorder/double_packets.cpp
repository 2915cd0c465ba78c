// The last packets of a device's links. Knows nothing of rows.
#include "recorder/double_packets.h"

#include <algorithm>

namespace leakhunt::recorder {

bool DoublePackets::is_double(std::uint8_t link, std::uint32_t from, std::uint32_t id) {
  if (id == 0) return false;
  const auto before = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& seen) {
    return seen.link != link && seen.from == from && seen.id == id;
  });
  if (before != seen_.end()) return true;
  seen_.push_back({link, from, id});
  if (seen_.size() > kRemembered) seen_.pop_front();
  return false;
}

}  // namespace leakhunt::recorder
