// The report page: labels, order and spelling of INTERFACES. Knows the layout, not how anything was found.
#pragma once

#include <string>

#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl {

// The whole page, ending in a newline. Device text in it is made printable.
[[nodiscard]] std::string report_page(const v1::Report& report);

// "SLOW LEAK - primary suspect MeshPacket thread (confirmed)": one line for a verdict.
[[nodiscard]] std::string verdict_line(const v1::Verdict& verdict);

}  // namespace leakhunt::ctl
