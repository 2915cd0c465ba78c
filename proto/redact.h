// Takes the private parts out of what a device says: texts of messages, positions, keys. Runs right after the
// grammar and before anything else sees a line; no setting switches it off.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
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
// as far as the text can reach, until the next prefix of the firmware and within one burst they are redacted
// whole and tell nothing. Only the certain words of a panic, a reset or a boot are kept (proto/own_words.h).
class TextReader {
 public:
  // `burst`: the longest that the lines of one message can be apart, where the time is told.
  explicit TextReader(Duration burst = std::chrono::seconds{1}) : burst_(burst) {}

  // `received`: by any clock that never runs backwards; without it all lines are of one burst.
  [[nodiscard]] LogLine read(std::string_view text, bool complete = true, std::optional<Mono> received = {});

 private:
  static constexpr std::size_t longest_message_bytes = 237;  // Constants.DATA_PAYLOAD_LEN

  [[nodiscard]] bool may_be_rest(const LogLine& line, bool complete, std::optional<Mono> received) const;

  Duration burst_;
  std::size_t written_bytes_left_ = 0;
  bool written_by_firmware_ = false;  // the line that began the text had the firmware's prefix
  std::optional<Mono> written_at_;
};

}  // namespace leakhunt::proto
