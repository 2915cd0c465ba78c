// Every answer but the report as text or CSV. Knows the layout, not how anything was found.
#pragma once

#include <string>

#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl {

// The answer for a person. `brief`: status in one line per device.
[[nodiscard]] std::string text_of(const v1::Answer& answer, bool brief);

// The answer as CSV with a header line. Status and report have no rows of their own: they give their samples'
// figures, one device or window per row.
[[nodiscard]] std::string csv_of(const v1::Answer& answer);

}  // namespace leakhunt::ctl
