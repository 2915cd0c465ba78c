// What must hold on this machine for devices to be recorded: one line and one remedy each.
#pragma once

#include <vector>

#include "daemon/config.h"
#include "daemon/host_facts.h"
#include "daemon/port_catalogue.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::daemon {

// Looks at this machine and judges. `ports`: of the catalogue. `live`: how the running recorder's devices
// stand; null when none runs. May take seconds, opens no port.
[[nodiscard]] v1::Doctor examine(const Config& config, const std::vector<PortInfo>& ports,
                                 const v1::Status* live);

// The judgement alone. `ports` as above; those of `facts` are the ones it tells of.
[[nodiscard]] v1::Doctor judge(const HostFacts& facts, const std::vector<DeviceConfig>& devices,
                               const std::vector<PortInfo>& ports, const v1::Status* live);

}  // namespace leakhunt::daemon
