// What all catalogues share.
#include "daemon/port_catalogue.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace leakhunt::daemon {
namespace {

// The name without its number, the length of the number, the number: ttyUSB2 before ttyUSB10.
std::tuple<std::string_view, std::size_t, std::string_view> sort_key(const PortInfo& port) {
  const std::string_view path = port.path;
  const auto end_of_name = path.find_last_not_of("0123456789") + 1;
  return {path.substr(0, end_of_name), path.size() - end_of_name, path.substr(end_of_name)};
}

}  // namespace

void sort_ports(std::vector<PortInfo>& ports) {
  std::sort(ports.begin(), ports.end(),
            [](const PortInfo& a, const PortInfo& b) { return sort_key(a) < sort_key(b); });
}

std::unique_ptr<PortCatalogue> make_catalogue(const std::filesystem::path& folder) {
  return folder.empty() ? system_catalogue() : folder_catalogue(folder);
}

}  // namespace leakhunt::daemon
