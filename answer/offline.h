// Answers out of a database file, without a daemon: what stands behind `--db`.
#pragma once

#include <string>

#include "base/result.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::answer {

// Opens the file read-only and answers; the newest record of the device stands for `now`, and the answer says
// so. Questions that change something are refused (usage), naming the daemon as what they need.
[[nodiscard]] Result<v1::Answer> answer_offline(const std::string& database, const v1::Question& question);

}  // namespace leakhunt::answer
