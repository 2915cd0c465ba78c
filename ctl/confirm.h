// What a person must know and agree to before it is done.
#pragma once

#include <string>

#include "base/result.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl {

// What the question will do that cannot be undone or disturbs a device, in a line or more; empty for others.
[[nodiscard]] std::string warning_of(const v1::Question& question);

// Says the warning on stderr. Without `yes` asks on the terminal; a usage error where stdin is none, an error
// when the answer is no.
[[nodiscard]] Outcome confirm(const std::string& warning, bool yes);

}  // namespace leakhunt::ctl
