// The catalogue's ports as answers: messages for `devices`, a table for `leakhuntd --list-ports`.
#pragma once

#include <string>
#include <vector>

#include "daemon/port_catalogue.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::daemon {

// Adds the ports to the answer. A port's `device` is the one of `out.devices()` that opened it last or whose
// link means it: they belong there before.
void add_ports(const std::vector<PortInfo>& ports, v1::Devices& out);

// The ports for a person, a line each, and which `link` to write for each; ends in a newline.
[[nodiscard]] std::string ports_text(const v1::Devices& devices);

}  // namespace leakhunt::daemon
