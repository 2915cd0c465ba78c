// Devices, identities, ports and last boots, followed row by row.
#include "storage/definitions.h"

#include <algorithm>
#include <utility>

namespace leakhunt::storage {

void Definitions::load(const recorder::RecordState& state) {
  for (const recorder::DeviceState& device : state.devices) {
    devices_[device.id] = {device.id, device.name};
    for (const recorder::IdentityRow& identity : device.identities) {
      identities_[identity.id] = identity;
    }
    if (device.port) {
      ports_[device.id] = *device.port;
    }
    if (device.last_boot) {
      boots_[device.id] = {*device.last_boot, device.last_boot_anchors};
    }
  }
}

void Definitions::note(const recorder::Row& row) {
  if (const auto* device = std::get_if<recorder::DeviceRow>(&row)) {
    devices_[device->id] = *device;
  } else if (const auto* identity = std::get_if<recorder::IdentityRow>(&row)) {
    identities_[identity->id] = *identity;
  } else if (const auto* boot = std::get_if<recorder::BootRow>(&row)) {
    note(*boot);
  } else if (const auto* anchor = std::get_if<recorder::AnchorRow>(&row)) {
    note(*anchor);
  } else if (const auto* port = std::get_if<recorder::PortRow>(&row)) {
    ports_[port->device] = *port;
  } else if (const auto* renamed = std::get_if<recorder::RenameDevice>(&row)) {
    note(*renamed);
  } else if (const auto* merged = std::get_if<recorder::MergeDevices>(&row)) {
    note(*merged);
  } else if (const auto* forgotten = std::get_if<recorder::ForgetDevice>(&row)) {
    forget(forgotten->device);
  }
}

std::vector<recorder::Row> Definitions::rows() const {
  std::vector<recorder::Row> rows;
  for (const auto& [id, device] : devices_) {
    rows.emplace_back(device);
  }
  for (const auto& [id, identity] : identities_) {
    rows.emplace_back(identity);
  }
  for (const auto& [id, port] : ports_) {
    rows.emplace_back(port);
  }
  for (const auto& [id, boot] : boots_) {
    rows.emplace_back(boot.row);
    rows.insert(rows.end(), boot.anchors.begin(), boot.anchors.end());
  }
  return rows;
}

void Definitions::note(const recorder::BootRow& row) {
  Boot& boot = boots_[row.device];
  if (boot.row.id < row.id) {
    boot = {row, {}};
  } else if (boot.row.id == row.id) {
    boot.row = row;
  }
}

void Definitions::note(const recorder::AnchorRow& row) {
  for (auto& [device, boot] : boots_) {
    if (boot.row.id == row.boot) {
      boot.anchors.push_back(row);
    }
  }
}

void Definitions::note(const recorder::RenameDevice& row) {
  if (const auto found = devices_.find(row.device); found != devices_.end()) {
    found->second.name = row.name;
  }
}

recorder::IdentityId Definitions::take_over(recorder::IdentityId identity, recorder::DeviceId into) {
  const auto own = identities_.find(identity);
  if (own == identities_.end()) {
    return recorder::kUnknownIdentity;
  }
  const auto kept = std::find_if(identities_.begin(), identities_.end(), [&](const auto& entry) {
    return entry.second.device == into && entry.second.node == own->second.node;
  });
  if (kept != identities_.end()) {
    return kept->first;
  }
  own->second.device = into;
  return identity;
}

void Definitions::note(const recorder::MergeDevices& row) {
  if (!devices_.contains(row.merged) || !devices_.contains(row.into) || row.merged == row.into) {
    return;
  }
  if (const auto last = boots_.find(row.merged); last != boots_.end()) {
    Boot boot = std::move(last->second);
    boot.row.device = row.into;
    boot.row.identity = take_over(boot.row.identity, row.into);
    if (const auto kept = boots_.find(row.into); kept == boots_.end() || kept->second.row.id < boot.row.id) {
      boots_[row.into] = std::move(boot);
    }
  }
  std::vector<recorder::IdentityId> moving;
  for (const auto& [id, identity] : identities_) {
    if (identity.device == row.merged) {
      moving.push_back(id);
    }
  }
  for (const recorder::IdentityId id : moving) {
    static_cast<void>(take_over(id, row.into));
  }
  if (const auto port = ports_.find(row.merged); port != ports_.end()) {
    recorder::PortRow moved = std::move(port->second);
    moved.device = row.into;
    if (const auto kept = ports_.find(row.into); kept == ports_.end() || kept->second.seen < moved.seen) {
      ports_[row.into] = std::move(moved);
    }
  }
  forget(row.merged);
}

void Definitions::forget(recorder::DeviceId device) {
  boots_.erase(device);
  ports_.erase(device);
  std::erase_if(identities_, [&](const auto& entry) { return entry.second.device == device; });
  devices_.erase(device);
}

}  // namespace leakhunt::storage
