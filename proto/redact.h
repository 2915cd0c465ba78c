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

// Grammar and redaction in one step, for a line that stands alone.
[[nodiscard]] LogLine read_text_line(std::string_view text, bool complete = true);
[[nodiscard]] LogLine read_record_body(std::string_view message, Level level, std::string_view source);

// The same for the lines of one stream, in order: what every link and importer uses. The firmware prints the
// line ends of a message text as they are, so the lines after one that ends in such a text may be its rest:
// as far as the text can reach and until the next prefix they are redacted whole and tell nothing.
class TextReader {
 public:
  [[nodiscard]] LogLine read(std::string_view text, bool complete = true);

 private:
  static constexpr std::size_t longest_message_bytes = 237;  // Constants.DATA_PAYLOAD_LEN
  std::size_t written_bytes_left_ = 0;
};

}  // namespace leakhunt::proto
