// What is on its way between the sockets and terminals of this process, asked of the kernel: in virtual time
// nobody may take "it has not come" for "it does not come". Knows nothing of devices or links.
#pragma once

#include <cstdint>
#include <set>

namespace leakhunt::daemon::testing {

// True while a byte, a connection or an end of one has been sent and not arrived, or lies at the program's
// end of a wire and was not fetched. The program's end of a TCP connection is the one whose peer has one of
// `device_ports`; of a terminal, the side that is no master. What lies unread at the device's end is the
// device's own affair: it may be frozen.
[[nodiscard]] bool wires_busy(const std::set<std::uint16_t>& device_ports);

}  // namespace leakhunt::daemon::testing
