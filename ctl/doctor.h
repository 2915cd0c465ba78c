// What stands in the way of recording, also where no daemon answers that could be asked.
#pragma once

#include <string>
#include <vector>

#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl {

// The check of the control socket: which candidates there are, and whether this user may connect.
[[nodiscard]] v1::Check socket_check(const std::vector<std::string>& candidates);

// The check of the socket, and those of the daemon; where none answers (which is a check that failed), those
// of `leakhuntd --doctor`, from beside this program or in PATH.
[[nodiscard]] v1::Doctor examine(const std::vector<std::string>& candidates, const v1::Question& question);

}  // namespace leakhunt::ctl
