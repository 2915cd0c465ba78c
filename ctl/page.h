// The report page: labels, order and spelling of INTERFACES. Knows the layout, not how anything was found.
#pragma once

#include <cstddef>
#include <string>

#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl {

// The whole page, ending in a newline. Device text in it is made printable.
[[nodiscard]] std::string report_page(const v1::Report& report);

// The page within so many columns, but for what is there to be copied.
[[nodiscard]] std::string fitted(const std::string& page, std::size_t columns);

// "~1,127 min (~18.8 h) at current slope (95 %: ...)" or "none", with the reserve it is reckoned to.
[[nodiscard]] std::string time_to_oom(const v1::Verdict& verdict);

// "SLOW LEAK - primary suspect MeshPacket thread (confirmed)": one line for a verdict.
[[nodiscard]] std::string verdict_line(const v1::Verdict& verdict);

}  // namespace leakhunt::ctl
