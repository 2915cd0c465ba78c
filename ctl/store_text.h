// The store in the text of status.
#pragma once

#include <string>

#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl {

// Whole lines: its room and pace, and what retention took away.
[[nodiscard]] std::string store_text(const v1::StoreStatus& store);

}  // namespace leakhunt::ctl
