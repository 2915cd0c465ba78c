// Asks the daemon over its control socket. Knows the framing of envelopes; knows no question in particular.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl {

// The sockets looked for, first to last: --socket alone if given, else $LEAKHUNT_SOCKET,
// /run/leakhunt/control.sock, and the one in the user's state folder.
[[nodiscard]] std::vector<std::string> socket_candidates(const std::optional<std::string>& given);

// Connects to the first candidate that exists and asks. Unreachable: names all that were tried. Waits 15 s
// for an answer, which is longer than the daemon's own limit of 10 s; three minutes for debug_log, in which a
// device reboots, and an hour for what is done with the whole file (database).
[[nodiscard]] Result<v1::Answer> ask_daemon(const std::vector<std::string>& candidates,
                                            const v1::Question& question);

// 0 when somebody listens at the path and this user may connect, else the errno that says why not.
[[nodiscard]] int connect_error(const std::string& path);

}  // namespace leakhunt::ctl
