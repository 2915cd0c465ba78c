// The answers about the store's file as text or CSV: SQL, db.
#pragma once

#include <string>

#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl {

// Empty for any other answer.
[[nodiscard]] std::string file_text_of(const v1::Answer& answer);
[[nodiscard]] std::string file_csv_of(const v1::Answer& answer);

}  // namespace leakhunt::ctl
