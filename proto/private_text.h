// Where text written by a person begins in a log message. Private to proto/.
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

}  // namespace leakhunt::proto
