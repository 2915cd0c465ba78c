// The words that introduce written text.
#include "proto/private_text.h"

#include <algorithm>

namespace leakhunt::proto {

std::size_t written_text_begin(std::string_view message) {
  constexpr std::string_view introductions[] = {"msg=", "text=", "payload=", "p.payload.bytes",
                                                "json message: "};
  std::size_t first = std::min(message.find("{\""), message.size());
  for (const std::string_view introduction : introductions) {
    const std::size_t at = message.substr(0, first).find(introduction);
    if (at != std::string_view::npos) first = at + introduction.size();
  }
  return first;
}

std::string_view firmware_words(std::string_view message) {
  const std::string_view before = message.substr(0, written_text_begin(message));
  return before.substr(0, std::min(before.find("name="), before.find("_name")));
}

}  // namespace leakhunt::proto
