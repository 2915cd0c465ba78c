// The answers about devices, ports and the recorder itself as text or CSV. Knows the layout alone; everything
// a device or a port says is made printable.
#pragma once

#include <string>

#include "leakhunt/v1/api.pb.h"

namespace leakhunt::ctl {

// As text_of() and csv_of() of tables.h; empty for an answer of another kind.
[[nodiscard]] std::string device_text_of(const v1::Answer& answer);
[[nodiscard]] std::string device_csv_of(const v1::Answer& answer);

// What release gave up and until when, in one line.
[[nodiscard]] std::string released_line(const v1::Released& released);
// What came back; `asked` is the one device that was asked for, empty for all.
[[nodiscard]] std::string resumed_line(const v1::Resumed& resumed, const std::string& asked);

}  // namespace leakhunt::ctl
