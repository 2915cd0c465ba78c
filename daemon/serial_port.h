// Opening of a serial port: 115200 8N1, ours alone, and no line toggled by us. Knows no event loop.
#pragma once

#include <string>

#include "base/result.h"
#include "daemon/link_address.h"

namespace leakhunt::daemon {

// Opens `path` without waiting, closed on exec, under flock and TIOCEXCL; HUPCL is cleared, so that closing
// drops no line. (The kernel itself raises DTR and RTS inside open().) listen opens it for reading alone.
// Errors name the remedy: not there, no permission, no serial port, held by another process (named where it
// can be seen).
[[nodiscard]] Result<int> open_serial(const std::string& path, LinkMode mode);

// Ends the exclusiveness of an open port, which may outlive its closing: somebody else may hold the terminal
// open (the other end of a pty, a program from before).
void give_up_serial(int fd);

// A pseudo-terminal: no UART behind it, and no board to reset.
[[nodiscard]] bool is_pty(const std::string& path);

// What tells a replugged device from one that stayed: changes when the node was made anew; empty while it is
// gone.
[[nodiscard]] std::string port_stamp(const std::string& path);

}  // namespace leakhunt::daemon
