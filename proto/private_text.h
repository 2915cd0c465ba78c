// Where text written by a person begins in a log message. For proto/ and the readers of files.
#pragma once

#include <cstddef>
#include <string_view>

namespace leakhunt::proto {

// The text of a message, or a packet as JSON: it goes on to the end of the line. message.size() when there is
// none.
[[nodiscard]] std::size_t written_text_begin(std::string_view message);

// The part of a message before anything a person or another node wrote, names included: only there the
// firmware's own words can stand.
[[nodiscard]] std::string_view firmware_words(std::string_view message);

// Whether words speak of what a person chose (`Set owner`, `Connecting to`): what stands behind is theirs.
// `of_firmware`: its own log, where a message or a name is a person's as well.
[[nodiscard]] bool introduces_user_data(std::string_view words, bool of_firmware);

// Whether what stands at `at` in a message is quoted: between quotes, in a path or topic, behind the prefix
// of another log line, in a command typed at a prompt, or behind words that introduce what a person chose or
// wrote (`Set owner: ...`, `Connecting to ...`).
[[nodiscard]] bool stands_quoted(std::string_view message, std::size_t at);

}  // namespace leakhunt::proto
