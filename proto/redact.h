// Takes the private parts out of what a device says: texts of messages, positions, keys. Runs right after the
// grammar and before anything else sees a line; no setting switches it off.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/log_line.h"

namespace leakhunt::proto {

// What stands in place of a private part.
inline constexpr std::string_view redaction_mark = "…";

// Replaces private parts of `message` (a log body without prefix) in place; returns how many.
std::uint32_t redact_message(std::string& message);

// The same for a parsed line: text is changed from message_at on, redactions counted, nothing else lost.
void redact(LogLine& line);

// Grammar and redaction in one step: what every link and importer uses.
[[nodiscard]] LogLine read_text_line(std::string_view text, bool complete = true);
[[nodiscard]] LogLine read_record_body(std::string_view message, Level level, std::string_view source);

}  // namespace leakhunt::proto
