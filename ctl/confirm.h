// What a person must know and agree to before it is done.
#pragma once

#include <string>

#include "base/result.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl {

// Whether the question does what cannot be undone, or disturbs a device: debug_log, and forget.
[[nodiscard]] bool must_be_confirmed(const v1::Question& question);

// The name of the device such a question is about, by the recorder's status for that question's device. A
// usage error, without any asking, where the recorder would refuse it: debug_log of a device that is not
// configured, or without a name where there are several, and forget of one that is.
[[nodiscard]] Result<std::string> device_meant(const v1::Question& question, const v1::Status& status);

// What the question will do, in a line or more; empty for one that needs no confirmation.
[[nodiscard]] std::string warning_of(const v1::Question& question);

// Says the warning on stderr. Without `yes` asks on the terminal; a usage error where stdin is none, an error
// when the answer is no.
[[nodiscard]] Outcome confirm(const std::string& warning, bool yes);

}  // namespace leakhunt::ctl
