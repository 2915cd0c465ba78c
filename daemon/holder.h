// Who holds a port: reads /proc, opens no device.
#pragma once

#include <filesystem>
#include <string>

namespace leakhunt::daemon {

// "4711 (minicom)" for a process that has the device or file `path` open; empty when none can be seen
// (another user's processes are hidden from an ordinary one). The calling process does not count.
[[nodiscard]] std::string holder_of(const std::string& path, const std::filesystem::path& proc = "/proc");

}  // namespace leakhunt::daemon
