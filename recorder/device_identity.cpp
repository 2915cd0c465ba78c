// Identities of a device. Knows nothing of boots.
#include "recorder/device_identity.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace leakhunt::recorder {
namespace {

std::string build_word(const std::string& version, const std::string& pio_env) {
  const std::string shown = version.empty() ? "unknown version" : version;
  return pio_env.empty() ? shown : shown + " (" + pio_env + ")";
}

bool differs(const std::string& before, std::string_view now) {
  return !before.empty() && !now.empty() && before != now;
}

}  // namespace

std::string node_word(std::uint32_t node) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "!%08x", node);
  return text.data();
}

DeviceIdentity::DeviceIdentity(DeviceId device, const DeviceState* restored) : device_(device) {
  if (restored == nullptr) {
    return;
  }
  all_ = restored->identities;
  if (!all_.empty()) {
    current_ = all_.size() - 1;
  }
  if (restored->last_boot) {
    firmware_version_ = restored->last_boot->firmware_version;
    pio_env_ = restored->last_boot->pio_env;
    const auto last = std::find_if(all_.begin(), all_.end(), [&](const IdentityRow& row) {
      return row.id == restored->last_boot->identity;
    });
    if (last != all_.end()) {
      current_ = static_cast<std::size_t>(last - all_.begin());
    }
  }
}

DeviceIdentity::Seen DeviceIdentity::node(std::uint32_t node, Ids& ids, Utc now, std::vector<Row>& out) {
  if (node == 0 || is_own(node)) {
    return Seen::same;
  }
  const Seen seen = known() ? Seen::other : Seen::first;
  const auto found =
      std::find_if(all_.begin(), all_.end(), [&](const IdentityRow& row) { return row.node == node; });
  current_ = static_cast<std::size_t>(found - all_.begin());
  if (found == all_.end()) {
    IdentityRow row{};
    row.id = ids.next_identity();
    row.device = device_;
    row.node = node;
    row.first_seen = now;
    all_.push_back(row);
    out.emplace_back(std::move(row));
  }
  return seen;
}

void DeviceIdentity::adopt(const std::vector<IdentityRow>& others) {
  for (const IdentityRow& other : others) {
    const bool there =
        std::any_of(all_.begin(), all_.end(), [&](const IdentityRow& row) { return row.node == other.node; });
    if (!there) {
      all_.push_back(other);
      all_.back().device = device_;
    }
  }
}

void DeviceIdentity::names(const proto::NodeIdentity& info, std::vector<Row>& out) {
  if (!is_own(info.node)) {
    return;
  }
  IdentityRow& row = all_[*current_];
  const std::uint32_t hw_model = info.hw_model != 0 ? info.hw_model : row.hw_model;
  if (row.long_name == info.long_name && row.short_name == info.short_name && row.hw_model == hw_model) {
    return;
  }
  row.long_name = info.long_name;
  row.short_name = info.short_name;
  row.hw_model = hw_model;
  out.emplace_back(row);
}

void DeviceIdentity::hardware(std::uint32_t hw_model, std::vector<Row>& out) {
  if (hw_model != 0 && known() && row().hw_model != hw_model) {
    all_[*current_].hw_model = hw_model;
    out.emplace_back(row());
  }
}

std::optional<std::string> DeviceIdentity::firmware(std::string_view version, std::string_view pio_env) {
  const bool changed = differs(firmware_version_, version) || differs(pio_env_, pio_env);
  const std::string before = build_word(firmware_version_, pio_env_);
  if (!version.empty()) {
    firmware_version_ = version;
  }
  if (!pio_env.empty()) {
    pio_env_ = pio_env;
  }
  if (!changed) {
    return std::nullopt;
  }
  return before + " became " + build_word(firmware_version_, pio_env_);
}

}  // namespace leakhunt::recorder
