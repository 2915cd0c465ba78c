// A look every few minutes, and step after step while there is something to do.
#include "storage/upkeep.h"

namespace leakhunt::storage {
namespace {

constexpr Duration kBetweenLooks = std::chrono::minutes{10};
constexpr Duration kAfterTrouble = std::chrono::minutes{1};

}  // namespace

bool Upkeep::step(Moment now) {
  if (packer_.step(now.utc) || keeper_.step(now)) {
    return true;
  }
  next_look_ = now.mono + kBetweenLooks;
  return false;
}

void Upkeep::put_off(Mono now) {
  next_look_ = now + kAfterTrouble;
}

}  // namespace leakhunt::storage
