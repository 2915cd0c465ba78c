// The words that introduce written text.
#include "proto/private_text.h"

#include <algorithm>

namespace leakhunt::proto {

namespace {

// Where the value behind the first `NAME=` of `names` begins; message.size() when there is none.
template <std::size_t N>
std::size_t value_of_first(std::string_view message, const std::string_view (&names)[N]) {
  for (std::size_t at = message.find('='); at != std::string_view::npos; at = message.find('=', at + 1)) {
    const std::string_view before = message.substr(0, at);
    for (const std::string_view name : names) {
      // The last letter first: most names are others, and this saves the call that compares them.
      if (at > 0 && message[at - 1] == name.back() && before.ends_with(name)) return at + 1;
    }
  }
  return message.size();
}

}  // namespace

std::size_t written_text_begin(std::string_view message) {
  constexpr std::string_view starts[] = {"serialized json message: ", "p.payload.bytes"};
  for (const std::string_view start : starts) {
    if (message.starts_with(start)) return start.size();
  }
  constexpr std::string_view names[] = {"msg", "text", "payload"};
  const std::size_t json = message.find('{');
  const bool is_json = json != std::string_view::npos && message.substr(json).starts_with("{\"");
  return std::min(value_of_first(message, names), is_json ? json : message.size());
}

std::string_view firmware_words(std::string_view message) {
  const std::string_view before = message.substr(0, written_text_begin(message));
  constexpr std::string_view names[] = {"name", "Name"};
  return before.substr(0, value_of_first(before, names));
}

}  // namespace leakhunt::proto
