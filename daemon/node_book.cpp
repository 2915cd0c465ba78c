// Claims of nodes by devices. Knows no link.
#include "daemon/node_book.h"

#include <algorithm>
#include <utility>

#include "recorder/device_identity.h"

namespace leakhunt::daemon {

NodeBook::NodeBook(std::vector<std::string> names, const recorder::RecordState& restored)
    : names_(std::move(names)) {
  for (const recorder::DeviceState& device : restored.devices) {
    const auto name = std::find(names_.begin(), names_.end(), device.name);
    for (const recorder::IdentityRow& identity : device.identities) {
      if (name == names_.end()) {
        former_.push_back({device.id, identity.node, device.name});
      } else {
        entries_.push_back({identity.node, static_cast<std::size_t>(name - names_.begin()), true});
      }
    }
  }
}

void NodeBook::gone(recorder::DeviceId device, std::optional<std::size_t> merged_into) {
  for (const Former& former : former_) {
    if (former.device != device || !merged_into) continue;
    const auto known = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.node == former.node; });
    if (known == entries_.end()) entries_.push_back({former.node, *merged_into, true});
  }
  std::erase_if(former_, [&](const Former& former) { return former.device == device; });
}

std::string NodeBook::refusal(std::size_t index, const Entry& entry) const {
  return "the board there is " + recorder::node_word(entry.node) + ", which is recorded as \"" +
         names_[entry.owner] + "\": not recorded as \"" + names_[index] +
         "\" too (name the right link of each, or take one of the two out of the configuration)";
}

NodeBook::Answer NodeBook::claim(std::size_t index, std::uint32_t node) {
  Answer answer;
  if (node == 0) return answer;
  const auto former =
      std::find_if(former_.begin(), former_.end(), [&](const Former& f) { return f.node == node; });
  if (former != former_.end()) answer.formerly = former->name;
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.node == node; });
  if (found == entries_.end()) {
    entries_.push_back({node, index, false});
    return answer;
  }
  if (found->owner == index) return answer;
  if (found->recorded_before || found->owner < index) {
    answer.granted = false;
    answer.why = refusal(index, *found);
    answer.owner = found->owner;
    return answer;
  }
  answer.loser = std::exchange(found->owner, index);
  return answer;
}

}  // namespace leakhunt::daemon
